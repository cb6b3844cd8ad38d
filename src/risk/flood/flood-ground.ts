/**
 * How the height of settled places above a water rises with the mapped height H [m] and the distance x [km]: its logarithm
 * is `level + byHeight E + max(0, byDistance + byBoth E) L`, with `L = ln(1 + x)` and `E = ln(max(H, 0) + 4 m)`. Weighted least
 * squares over the places of GeoNames with SRTM heights (scripts/derive/settled-heights.ts prints them): 85,400 near the sea,
 * 23,900 near any mapped water, 6,500 near major rivers. At the sea itself the mapped height of 9 km cells says nothing.
 */
export interface SettledHeights {
  readonly level: number;
  readonly byDistance: number;
  readonly byHeight: number;
  readonly byBoth: number;
}

/** Fits for places above the sea, above any mapped river or lake, and above major rivers. */
export const SETTLED_HEIGHTS = {
  sea: { level: 2.438, byDistance: -0.459, byHeight: 0, byBoth: 0.204 },
  water: { level: 0.744, byDistance: 0.575, byHeight: 0.465, byBoth: 0 },
  major: { level: 0.722, byDistance: 0.494, byHeight: 0.461, byBoth: 0 },
} as const satisfies Readonly<Record<string, SettledHeights>>;

/** Height [m] that is added to mapped heights before their logarithm is taken: differences in 9 km cells err by more. */
export const MAPPED_OFFSET_M = 4;

/** Mapped height [m] where no layer has one: usual on low coasts and valley floors (our choice). */
export const USUAL_MAPPED_M = 5;

/**
 * Distances from the shore [km] up to which a low mapped height is taken as that of a cell that is partly sea, and from
 * which as that of low land such as a polder: ETOPO5 sets shallow sea to -10 m.
 * @see NOAA NGDC, ETOPO5 documentation (1988)
 */
const MIXED_CELL_KM = 5;
const LAND_CELL_KM = 15;

/**
 * Depth below the sea from which a height counts as it is mapped [m] (our choice): lesser ones are rounding and noise of 9 km
 * cells.
 */
const POLDER_DEPTH_M = 2;

/**
 * Spread of the true height about the median within a 9 km cell, as the standard deviation of its logarithm [1]: that of
 * places whose height is predicted from the others near by as below 8 m, 0.98 at the sea and 0.85 to 0.94 at rivers. SRTM's own
 * error of some metres is part of it.
 */
export const COARSE_LOG_SPREAD = 1;

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
 * Height [m] that settled places have above a water, from the mapped height [m], NaN where there is none, and the
 * distance [km], 0 or more.
 */
export function expectedHeightM(fit: SettledHeights, mappedM: number, km: number): number {
  const distance = Math.log1p(km);
  const mapped = Math.log(MAPPED_OFFSET_M + (Number.isNaN(mappedM) ? USUAL_MAPPED_M : Math.max(0, mappedM)));
  // On the lowest plains towns stand a little lower than at the shore; the layers of towns near by tell where.
  const rise = Math.max(0, fit.byDistance + fit.byBoth * mapped);
  return Math.exp(fit.level + fit.byHeight * mapped + rise * distance);
}

/**
 * Median height [m] of the ground above mean sea level at a settled place. Cells of 9 km include hills, while
 * towns are on low ground, so the height is the one that towns with this mapped height and distance have, corrected by how
 * the towns near by stand. Heights below the sea near the shore are those of cells with shallows.
 * @param elevationM mapped height, NaN where there is none
 * @param coastKm distance to the sea, 0 or more
 * @param logRatio logarithm of the ratio of the heights of towns near by to those expected; NaN where unknown
 */
export function groundHeightM(elevationM: number, coastKm: number, logRatio = Number.NaN): number {
  const dry = expectedHeightM(SETTLED_HEIGHTS.sea, elevationM, coastKm) * ratioOf(logRatio);
  if (!(elevationM < 0)) return dry;
  const inland = Math.min(1, Math.max(0, (coastKm - MIXED_CELL_KM) / (LAND_CELL_KM - MIXED_CELL_KM)));
  const polder = inland * Math.min(1, -elevationM / POLDER_DEPTH_M);
  return (1 - polder) * dry + polder * elevationM;
}

/**
 * Median height [m] of the ground of a settled place above the bank of a river.
 * @param fit fit for rivers of the class
 * @param heightM mapped height above the nearest water, NaN where there is none
 * @param riverKm distance to the river, 0 or more
 * @param logRatio as in `groundHeightM`
 */
export function bankHeightM(
  fit: SettledHeights,
  heightM: number,
  riverKm: number,
  logRatio = Number.NaN,
): number {
  return expectedHeightM(fit, heightM, riverKm) * ratioOf(logRatio);
}

function ratioOf(logRatio: number): number {
  return Number.isNaN(logRatio) ? 1 : Math.exp(logRatio);
}

/**
 * Least height [m] of ground behind a strong defence: half of that of the towns near by, twice it where they stand below
 * the sea (our choice). Ground below the usual water is built on where towns are known to stand low, as in a polder, and
 * not on every coast: of the places within 3 km of the sea where the level of ten years is over 5 m, one in twenty stands
 * lower than 4 m, on other coasts lower than 1 m.
 */
export function leastDikedHeightM(medianM: number): number {
  return medianM >= 0 ? medianM / 2 : 2 * medianM;
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
