/** Weather of one day at noon, local standard time. */
export interface FireWeather {
  readonly temperatureC: number;
  /** Relative humidity [%], 0 to 100. */
  readonly relativeHumidity: number;
  /** Wind at 10 m above open ground [km/h]. */
  readonly windKmh: number;
  /** Rain over the 24 hours before noon [mm]. */
  readonly rainMm: number;
}

/** Moisture codes of a day, from which those of the next day are computed. */
export interface MoistureCodes {
  /** Fine Fuel Moisture Code, [0, 101] */
  readonly ffmc: number;
  /** Duff Moisture Code, 0 or more */
  readonly dmc: number;
  /** Drought Code, 0 or more */
  readonly dc: number;
}

/** Moisture codes of a day and the indices of fire behaviour computed from them, each 0 or more. */
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

/** Moisture codes at the start of a season after a snowy winter. @see Van Wagner & Pickett 1985, FTR 33 */
export const SPRING_CODES: MoistureCodes = { ffmc: 85, dmc: 6, dc: 15 };
