/** Common logarithm of e, rounded as in FTR 33 eq. 30a. */
const COMMON_LOGARITHM = 434 / 1000;

/**
 * Fire Weather Index (FWI), 0 or more: the intensity of a spreading fire.
 * @param isi Initial Spread Index, 0 or more
 * @param bui Buildup Index, 0 or more
 * @see Van Wagner & Pickett 1985, FTR 33 eq. 28-30
 */
export function fireWeatherIndex(isi: number, bui: number): number {
  const duff = bui > 80 ? 1000 / (25 + 108.64 * Math.exp(-0.023 * bui)) : 0.626 * bui ** 0.809 + 2;
  const intermediate = 0.1 * isi * duff;
  return intermediate > 1
    ? Math.exp(2.72 * (COMMON_LOGARITHM * Math.log(intermediate)) ** 0.647)
    : intermediate;
}

/**
 * Daily Severity Rating (DSR), 0 or more: the effort of controlling fires on a day with this Fire Weather Index.
 * Unlike the index, the rating may be averaged over days.
 * @param fwi Fire Weather Index, 0 or more
 * @see Van Wagner & Pickett 1985, FTR 33 eq. 31
 */
export function dailySeverityRating(fwi: number): number {
  return 0.0272 * fwi ** 1.77;
}
