/** One day's weather at noon, local standard time; rain over the 24 hours before. */
export interface FireWeather {
  readonly temperatureC: number;
  /** [%], 0 to 100 */
  readonly relativeHumidity: number;
  /** At 10 m in the open. */
  readonly windKmh: number;
  readonly rainMm: number;
}

/** Codes that each day hands to the next. */
export interface MoistureCodes {
  /** Fine Fuel Moisture Code, [0, 101] */
  readonly ffmc: number;
  /** Duff Moisture Code, 0 or more */
  readonly dmc: number;
  /** Drought Code, 0 or more */
  readonly dc: number;
}

/** A day's codes and the indices of fire behaviour made from them, each 0 or more. */
export interface FireDanger extends MoistureCodes {
  /** Initial Spread Index */
  readonly isi: number;
  /** Buildup Index */
  readonly bui: number;
  /** Fire Weather Index */
  readonly fwi: number;
  /** Daily Severity Rating */
  readonly dsr: number;
}

/** The codes on the first day of a season after a snowy winter. @see Van Wagner & Pickett 1985, FTR 33 */
export const SPRING_CODES: MoistureCodes = { ffmc: 85, dmc: 6, dc: 15 };
