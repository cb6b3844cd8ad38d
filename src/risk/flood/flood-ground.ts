/** Ground rises inland: what is expected of a settled place from its distance to the sea alone [m, m/km] (ours). */
const SHORE_HEIGHT_M = 2;
const COAST_SLOPE_M_PER_KM = 0.4;

/** The same for the height above a river's bank at the river itself (ours). */
const BANK_HEIGHT_M = 0.5;

/**
 * ETOPO5 set shallow sea to -10 m, so a cell this near the shore that is below zero is a mixture with it, not a polder.
 * @see NOAA NGDC, ETOPO5 documentation (1988)
 */
const MIXED_CELL_REACH_KM = 10;

/** Weight of a mapped height that is above what the distance to water suggests [1] (ours). */
const MAPPED_WEIGHT = 1 / 3;

/**
 * Spread of the true height about the median, standard deviation of the logarithm [1] (ours): within a 9 km cell most
 * places lie a third to three times as high.
 */
export const COARSE_LOG_SPREAD = 1.1;

/** The same where the height comes from cells of at most `FINE_CELL_M`: some 1.5 m either way on low ground (ours, after the 1.7 m RMSE of Copernicus DEM). */
export const FINE_LOG_SPREAD = 0.6;

/** The same of a height above nearest drainage: seen in cells two and three times as large (ours, after the western half of the DEM of Olinda; bench/calibration). */
export const HAND_LOG_SPREAD = 0.65;

/**
 * Share of places that stand on the floor of the valley though their cell lies higher: at a height of 0 [1], and the height
 * over which it falls to 1/e, for the error of any DEM [m] and for each metre of the cell [m/m] (ours, same comparison).
 */
const FLOOR_SHARE = 0.8;
const FLOOR_FALL_M = 1;
const FLOOR_FALL_PER_CELL = 0.005;

/** Cells up to this size [m] show the ground that a building stands on; larger ones average hills in. */
const FINE_CELL_M = 250;

/** Median [m] below which the spread no longer shrinks with it: about 3 m from the 5th to the 95th percentile at zero. */
const FULL_SPREAD_BELOW_M = 1;

/**
 * Median height [m] of the ground above mean sea level at a settled place. Cells of 9 km average hills in, and towns stand low: a
 * mapped height above what the distance to the sea suggests is drawn two thirds of the way to it, on a logarithmic scale.
 * @param elevationM mapped height, NaN where there is none
 * @param coastKm distance to the sea, 0 or more
 */
export function groundHeightM(elevationM: number, coastKm: number): number {
  const expected = SHORE_HEIGHT_M + COAST_SLOPE_M_PER_KM * coastKm;
  const unusable = Number.isNaN(elevationM) || (elevationM < 0 && coastKm < MIXED_CELL_REACH_KM);
  return unusable ? expected : blend(elevationM, expected);
}

/**
 * Median height [m] of the ground above the bank of the nearest mapped river, drawn towards the river's valley floor the same way.
 * @param heightM mapped height above the nearest water, NaN where there is none
 * @param riverKm distance to the river, 0 or more
 * @param slopeMPerKm rise of the valley floor away from such a river
 */
export function bankHeightM(heightM: number, riverKm: number, slopeMPerKm: number): number {
  const expected = BANK_HEIGHT_M + slopeMPerKm * riverKm;
  return Number.isNaN(heightM) ? expected : blend(Math.max(heightM, BANK_HEIGHT_M), expected);
}

function blend(mapped: number, expected: number): number {
  return mapped > expected ? mapped ** MAPPED_WEIGHT * expected ** (1 - MAPPED_WEIGHT) : mapped;
}

/** Whether heights from cells of this size [m] are those of the place itself. */
export function isFine(cellM: number): boolean {
  return cellM <= FINE_CELL_M;
}

/** Factors of `heightDraw`, one per standard normal draw. */
export function heightSpread(draws: Float64Array, logSpread: number): Float64Array {
  return draws.map((z) => Math.exp(logSpread * z));
}

/** One draw of the true height [m] about its median: lognormal, shifted below 1 m so that polders keep their spread. */
export function heightDraw(medianM: number, spread: number): number {
  return Math.max(medianM, FULL_SPREAD_BELOW_M) * spread + Math.min(0, medianM - FULL_SPREAD_BELOW_M);
}

/** Share [1] of places on the floor of the valley, by their height above nearest drainage in a cell of this size [m]. */
export function valleyFloorShare(handM: number, cellM: number): number {
  return FLOOR_SHARE * Math.exp(-Math.max(0, handM) / (FLOOR_FALL_M + FLOOR_FALL_PER_CELL * cellM));
}
