/** As FTR 33 eq. 30a prints it, not the common logarithm of e. */
const COMMON_LOGARITHM = 434 / 1000;

/**
 * Fire Weather Index, 0 or more: the intensity of a spreading fire.
 * @see Van Wagner & Pickett 1985, FTR 33 eq. 28-30
 */
export function fireWeatherIndex(isi: number, bui: number): number {
  const duff = bui > 80 ? 1000 / (25 + 108.64 * Math.exp(-0.023 * bui)) : 0.626 * bui ** 0.809 + 2;
  const intermediate = 0.1 * isi * duff;
  return intermediate > 1
    ? Math.exp(2.72 * (COMMON_LOGARITHM * Math.log(intermediate)) ** 0.647)
    : intermediate;
}

/** Daily Severity Rating: the work of controlling fires on such a day; unlike the index it may be averaged. */
export function dailySeverityRating(fwi: number): number {
  return 0.0272 * fwi ** 1.77; // FTR 33 eq. 31
}
