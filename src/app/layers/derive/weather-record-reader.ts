/**
 * Daily weather of one station, days ascending; NaN: missing. Values are for noon, local standard time. Other
 * values replace noon values that the file does not contain: see `proxies`.
 */
export interface StationWeather {
  /** Decimal degrees; null when the file does not state the position. */
  readonly lat: number | null;
  readonly lng: number | null;
  /** Days since 1970-01-01. */
  readonly days: readonly number[];
  readonly temperatureC: Float64Array;
  /** Daily maximum temperature; the noon temperature when the file has no maximum. */
  readonly maximumC: Float64Array;
  /** Relative humidity [%]. */
  readonly relativeHumidity: Float64Array;
  readonly windKmh: Float64Array;
  /** Rain of the 24 hours before noon. */
  readonly rainMm: Float64Array;
  /** Snow depth [m]; null when the file has no such column. */
  readonly snowDepthM: Float64Array | null;
  /** Phrases that describe the values used in place of noon values; empty when there are none. */
  readonly proxies: readonly string[];
}

/** Reads the weather of a station. */
export interface WeatherReader {
  /** @throws InvalidInput that names the invalid column or line */
  readWeather(path: string): Promise<StationWeather>;
}
