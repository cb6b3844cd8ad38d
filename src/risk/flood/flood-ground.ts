/**
 * Expected ground height of a settled place: at the shore [m], and its rise with the distance to the sea [m/km]
 * (our choice).
 */
const SHORE_HEIGHT_M = 2;
const COAST_SLOPE_M_PER_KM = 0.4;

/** Expected height above the bank of a river right at the river [m] (our choice). */
const BANK_HEIGHT_M = 0.5;

/**
 * Within this distance of the shore [km] a cell below zero is taken as a mixture of land and sea, not as a polder:
 * ETOPO5 sets shallow sea to -10 m.
 * @see NOAA NGDC, ETOPO5 documentation (1988)
 */
const MIXED_CELL_REACH_KM = 10;

/** Weight of a mapped height that is above the height expected from the distance to water [1] (our choice). */
const MAPPED_WEIGHT = 1 / 3;

/**
 * Spread of the true height about the median within a 9 km cell, as the standard deviation of its logarithm [1] (our choice):
 * most places lie a third to three times as high.
 */
export const COARSE_LOG_SPREAD = 1.1;

/**
 * The same for heights from cells of at most `FINE_CELL_M`: some 1.5 m up or down on low ground (ours, after the
 * 1.7 m RMSE of Copernicus DEM).
 */
export const FINE_LOG_SPREAD = 0.6;

/**
 * The same for a height above nearest drainage (ours, from cells two and three times as large of the western half
 * of the DEM of Olinda; bench/calibration).
 */
export const HAND_LOG_SPREAD = 0.65;

/**
 * Share of places that stand on the floor of the valley although their cell lies higher: its value at a height of 0
 * [1], and the height over which it falls to 1/e, as a constant for the error of any DEM [m] plus a part per metre
 * of cell size [m/m] (our choice, same comparison).
 */
const FLOOR_SHARE = 0.8;
const FLOOR_FALL_M = 1;
const FLOOR_FALL_PER_CELL = 0.005;

/** Cells up to this size [m] give the height of the ground that a building stands on; larger ones include hills. */
const FINE_CELL_M = 250;

/**
 * Below this median [m] the spread stays constant: about 3 m from the 5th to the 95th percentile at a median of
 * zero.
 */
const FULL_SPREAD_BELOW_M = 1;

/**
 * Median height [m] of the ground above mean sea level at a settled place. Cells of 9 km include hills, while towns
 * stand low: a mapped height above the one expected from the distance to the sea is moved two thirds of the way to
 * it, on a logarithmic scale.
 * @param elevationM mapped height, NaN where there is none
 * @param coastKm distance to the sea, 0 or more
 */
export function groundHeightM(elevationM: number, coastKm: number): number {
  const expected = SHORE_HEIGHT_M + COAST_SLOPE_M_PER_KM * coastKm;
  const unusable = Number.isNaN(elevationM) || (elevationM < 0 && coastKm < MIXED_CELL_REACH_KM);
  return unusable ? expected : blend(elevationM, expected);
}

/**
 * Median height [m] of the ground above the bank of the nearest mapped river, moved towards the valley floor as
 * `groundHeightM` does.
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

/** Whether heights from cells of this size [m] are those of the building's own ground. */
export function isFine(cellM: number): boolean {
  return cellM <= FINE_CELL_M;
}

/** Factors of `heightDraw`, one per standard normal draw. */
export function heightSpread(draws: Float64Array, logSpread: number): Float64Array {
  return draws.map((z) => Math.exp(logSpread * z));
}

/** One draw of the true height [m] about its median: lognormal, shifted below 1 m so that polders keep a spread. */
export function heightDraw(medianM: number, spread: number): number {
  return Math.max(medianM, FULL_SPREAD_BELOW_M) * spread + Math.min(0, medianM - FULL_SPREAD_BELOW_M);
}

/**
 * Share [1] of places on the floor of the valley, by their height above nearest drainage in a cell of this size
 * [m].
 */
export function valleyFloorShare(handM: number, cellM: number): number {
  return FLOOR_SHARE * Math.exp(-Math.max(0, handM) / (FLOOR_FALL_M + FLOOR_FALL_PER_CELL * cellM));
}
