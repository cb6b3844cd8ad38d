/**
 * Expected ground height of a settled place at the shore [m], and the increase of this height with the distance
 * from the sea [m/km] (our choice).
 */
const SHORE_HEIGHT_M = 5;
const COAST_SLOPE_M_PER_KM = 0.6;

/** Expected height above the river bank of a settled place directly at the river [m] (our choice). */
const BANK_HEIGHT_M = 4;

/** Least mapped height above a bank that counts [m]: differences of heights in 9 km cells err by more (our choice). */
const LEAST_BANK_M = 1.5;

/**
 * Distances from the shore [km] up to which a low mapped height is taken as that of a cell that is partly sea, and from
 * which as that of low land such as a polder: ETOPO5 sets shallow sea to -10 m.
 * @see NOAA NGDC, ETOPO5 documentation (1988)
 */
const MIXED_CELL_KM = 5;
const LAND_CELL_KM = 15;

/**
 * Least mapped height above the sea that counts [m], and the depth below the sea from which a height counts as it is
 * mapped [m] (our choice): between them, heights in 9 km cells are rounding and noise.
 */
const LEAST_GROUND_M = 1;
const POLDER_DEPTH_M = 1;

/**
 * Weight of the mapped height against the height expected from the distance to water [1] (our choice): where it is below
 * the expected height, and where it is above, because cells of 9 km include hills. In a valley, towns stand on its floor;
 * on a hilly coast, many stand on slopes.
 */
const VALLEY_WEIGHTS = { below: 1 / 2, above: 1 / 4 } as const;
const COAST_WEIGHTS = { below: 1 / 2, above: 1 / 2 } as const;

/**
 * Spread of the true height about the median within a 9 km cell, as the standard deviation of its logarithm [1]
 * (our choice): the height of most places is between a third and three times the median.
 */
export const COARSE_LOG_SPREAD = 1.1;

/**
 * Spread of the true height about the mapped height in cells of at most `FINE_CELL_M`, as the standard deviation
 * of its logarithm [1]: about 1.5 m up or down on low ground (our choice, based on the 1.7 m RMSE of Copernicus
 * DEM).
 */
export const FINE_LOG_SPREAD = 0.6;

/**
 * Spread of the true height above nearest drainage about the mapped one, as the standard deviation of its
 * logarithm [1] (our choice, from comparing the western half of the DEM of Olinda with cells two and three times
 * as large; bench/calibration).
 */
export const HAND_LOG_SPREAD = 0.65;

/**
 * Share of places that are on the valley floor although the mapped height of their cell is above the valley
 * floor. FLOOR_SHARE: share at a mapped height of 0 [1]. The other two constants give the height over which the
 * share falls to 1/e: a constant for the error of any DEM [m] plus a part proportional to the cell size [m/m]
 * (our choice, same comparison as HAND_LOG_SPREAD).
 */
const FLOOR_SHARE = 0.8;
const FLOOR_FALL_M = 1;
const FLOOR_FALL_PER_CELL = 0.005;

/**
 * Maximum size [m] of cells whose height is used as the height of the ground at a building; larger cells include
 * hills.
 */
const FINE_CELL_M = 250;

/**
 * Median height [m] below which the spread in metres is constant: at a median of 0 the 5th and the 95th
 * percentile are about 3 m apart.
 */
const FULL_SPREAD_BELOW_M = 1;

/**
 * Median height [m] of the ground above mean sea level at a settled place. Cells of 9 km include hills, while
 * towns are on low ground. Therefore, a mapped height above the height expected from the distance to the sea is
 * moved towards the expected height on a logarithmic scale, and so is one below it. Heights below the sea near the shore
 * are those of cells with shallows.
 * @param elevationM mapped height, NaN where there is none
 * @param coastKm distance to the sea, 0 or more
 */
export function groundHeightM(elevationM: number, coastKm: number): number {
  const expected = SHORE_HEIGHT_M + COAST_SLOPE_M_PER_KM * coastKm;
  if (Number.isNaN(elevationM)) return expected;
  const dry = blend(Math.max(elevationM, LEAST_GROUND_M), expected, COAST_WEIGHTS);
  if (elevationM >= 0) return dry;
  const inland = Math.min(1, Math.max(0, (coastKm - MIXED_CELL_KM) / (LAND_CELL_KM - MIXED_CELL_KM)));
  const polder = inland * Math.min(1, -elevationM / POLDER_DEPTH_M);
  return (1 - polder) * dry + polder * elevationM;
}

/**
 * Median height [m] of the ground above the bank of the nearest mapped river. A mapped height above the expected
 * height is moved towards the expected height as in `groundHeightM`.
 * @param heightM mapped height above the nearest water, NaN where there is none
 * @param riverKm distance to the river, 0 or more
 * @param slopeMPerKm rise of the valley floor per distance from a river of this class
 */
export function bankHeightM(heightM: number, riverKm: number, slopeMPerKm: number): number {
  const expected = BANK_HEIGHT_M + slopeMPerKm * riverKm;
  return Number.isNaN(heightM) ? expected : blend(Math.max(heightM, LEAST_BANK_M), expected, VALLEY_WEIGHTS);
}

function blend(
  mapped: number,
  expected: number,
  weights: typeof VALLEY_WEIGHTS | typeof COAST_WEIGHTS,
): number {
  const weight = mapped > expected ? weights.above : weights.below;
  return mapped ** weight * expected ** (1 - weight);
}

/** Whether cells of this size [m] are small enough to use their height as the height of the ground at a building. */
export function isFine(cellM: number): boolean {
  return cellM <= FINE_CELL_M;
}

/** Returns the `spread` factors for `heightDraw`, one per standard normal draw. */
export function heightSpread(draws: Float64Array, logSpread: number): Float64Array {
  return draws.map((z) => Math.exp(logSpread * z));
}

/**
 * One draw of the true height [m] from a lognormal distribution with this median. A median below 1 m has the same
 * spread in metres as a median of 1 m, so that polders also have a spread.
 */
export function heightDraw(medianM: number, spread: number): number {
  return Math.max(medianM, FULL_SPREAD_BELOW_M) * spread + Math.min(0, medianM - FULL_SPREAD_BELOW_M);
}

/**
 * Share [1] of places with this mapped height that are in fact on the valley floor.
 * @param handM mapped height above nearest drainage [m]
 * @param cellM size of the cell [m]
 */
export function valleyFloorShare(handM: number, cellM: number): number {
  return FLOOR_SHARE * Math.exp(-Math.max(0, handM) / (FLOOR_FALL_M + FLOOR_FALL_PER_CELL * cellM));
}
