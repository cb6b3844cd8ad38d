/** Daily weather of one station, days ascending; NaN where missing. Noon, local standard time, where it was observed so. */
export interface StationWeather {
  /** Decimal degrees; null where the file does not say. */
  readonly lat: number | null;
  readonly lng: number | null;
  /** Days since 1970-01-01. */
  readonly days: readonly number[];
  readonly temperatureC: Float64Array;
  /** The day's maximum where there is one, else as at noon. */
  readonly maximumC: Float64Array;
  /** [%] */
  readonly relativeHumidity: Float64Array;
  readonly windKmh: Float64Array;
  /** Of the 24 hours before noon. */
  readonly rainMm: Float64Array;
  /** [m]; null without such a column. */
  readonly snowDepthM: Float64Array | null;
  /** Columns that stand for noon without being so. */
  readonly proxies: readonly string[];
}

/** Reads the weather of a station. */
export interface WeatherReader {
  /** @throws InvalidInput naming the column or line that cannot be used */
  readWeather(path: string): Promise<StationWeather>;
}
