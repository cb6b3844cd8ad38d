/** Fuel of a land cover: how often it burns, and the damage that a fire there causes to a building. */
export interface Fuel {
  readonly name: string;
  /** Natural logarithm of the ratio of the burn rate of this cover to that of all land [1]. */
  readonly logRate: number;
  /** Standard error of `logRate`. */
  readonly logRateError: number;
  /** Mean damage ratio [0-1] of a building when the land of this cover around it burns (our choice). */
  readonly conditionalLoss: number;
}

/**
 * Classes of CORINE. Rates are fitted to the fires of Castilla-La Mancha 1998-2007 with a prior:
 * data/tables/burn-probability.csv, made by scripts/fit-burn-probability.ts. Losses are our choice: flames and
 * embers of forests reach farthest, grass and crops burn low and briefly, paved ground stops fire.
 */
const URBAN: Fuel = { name: 'built-up', logRate: -0.498, logRateError: 0.38, conditionalLoss: 0.05 };
const FARMLAND: Fuel = { name: 'cropland', logRate: -0.1898, logRateError: 0.26, conditionalLoss: 0.05 };
const PASTURE: Fuel = { name: 'pasture', logRate: -0.2906, logRateError: 0.33, conditionalLoss: 0.06 };
const BROADLEAVES: Fuel = { name: 'broadleaves', logRate: -0.3699, logRateError: 0.34, conditionalLoss: 0.2 };
const CONIFERS: Fuel = { name: 'conifers', logRate: 0.1778, logRateError: 0.29, conditionalLoss: 0.3 };
const MIXED_WOODS: Fuel = { name: 'mixed woods', logRate: 0.542, logRateError: 0.3, conditionalLoss: 0.25 };
const NATURAL_GRASS: Fuel = {
  name: 'grassland',
  logRate: 0.0288,
  logRateError: 0.41,
  conditionalLoss: 0.08,
};
const HEATH: Fuel = { name: 'heath', logRate: 0.1366, logRateError: 0.27, conditionalLoss: 0.2 };
const SCRUB: Fuel = { name: 'scrub', logRate: 0.2209, logRateError: 0.31, conditionalLoss: 0.2 };

/** Classes of WorldCover, fitted to the same fires. */
const BUILT_UP: Fuel = { name: 'built-up', logRate: -0.4993, logRateError: 0.38, conditionalLoss: 0.05 };
const CROPLAND: Fuel = { name: 'cropland', logRate: -0.1877, logRateError: 0.26, conditionalLoss: 0.05 };
const GRASSLAND: Fuel = { name: 'grassland', logRate: -0.1286, logRateError: 0.32, conditionalLoss: 0.08 };
const TREES: Fuel = { name: 'tree cover', logRate: 0.0752, logRateError: 0.28, conditionalLoss: 0.25 };
const SHRUBS: Fuel = { name: 'shrubland', logRate: 0.145, logRateError: 0.27, conditionalLoss: 0.2 };

/** Covers without fires in this record (our choice): sparse, wet or bare, so fires are few and weak. */
const BARE: Fuel = { name: 'bare ground', logRate: -2, logRateError: 0.8, conditionalLoss: 0.02 };
const WETLAND: Fuel = { name: 'wetland', logRate: -0.7, logRateError: 0.8, conditionalLoss: 0.05 };
const MANGROVES: Fuel = { name: 'mangroves', logRate: -2, logRateError: 0.8, conditionalLoss: 0.05 };
const MOSS: Fuel = { name: 'moss and lichen', logRate: -1, logRateError: 0.8, conditionalLoss: 0.05 };
const ICE: Fuel = { name: 'snow and ice', logRate: -5, logRateError: 1, conditionalLoss: 0.02 };

/**
 * Fuel where the cover is unknown: the rate of all land, and a loss between those of forests and towns (our
 * choice).
 */
export const UNKNOWN_FUEL: Fuel = {
  name: 'unknown cover',
  logRate: 0,
  logRateError: 0.7,
  conditionalLoss: 0.12,
};

/**
 * Fuel by land cover code. The codes of ESA WorldCover 2021 (10 to 100, doi:10.5281/zenodo.7254221) and of CORINE
 * level 3 (111 to 423) do not overlap. Water is not included: see `isOpenWater`.
 */
const FUELS: ReadonlyMap<number, Fuel> = new Map([
  [10, TREES],
  [20, SHRUBS],
  [30, GRASSLAND],
  [40, CROPLAND],
  [50, BUILT_UP],
  [60, BARE],
  [70, ICE],
  [90, WETLAND],
  [95, MANGROVES],
  [100, MOSS],
  ...[111, 112, 121, 122, 123, 124, 131, 132, 133, 141, 142].map((code) => [code, URBAN] as const),
  ...[211, 212, 213, 221, 222, 223, 241, 242, 243, 244].map((code) => [code, FARMLAND] as const),
  [231, PASTURE],
  [311, BROADLEAVES],
  [312, CONIFERS],
  [313, MIXED_WOODS],
  [321, NATURAL_GRASS],
  [322, HEATH],
  [323, HEATH],
  [324, SCRUB],
  ...[331, 332, 333, 334].map((code) => [code, BARE] as const),
  [335, ICE],
  ...[411, 412, 421, 422, 423].map((code) => [code, WETLAND] as const),
]);

/** Codes of water in WorldCover and CORINE. */
const WATER: ReadonlySet<number> = new Set([80, 511, 512, 521, 522, 523]);

/** CORINE's codes for unclassified land, unclassified water and nodata. */
const UNCLASSIFIED = [990, 995, 999];
/**
 * Codes of each supported legend. Rasters with other legends (ESA CCI, MODIS, CORINE's grid codes 1 to 44) use
 * some of these codes with another meaning.
 */
export const LAND_COVER_LEGENDS: readonly ReadonlySet<number>[] = [
  new Set([...FUELS.keys(), ...WATER].filter((code) => code <= 100)),
  new Set([...FUELS.keys(), ...WATER, ...UNCLASSIFIED].filter((code) => code > 100)),
];

/** Fuel of a land cover code; undefined for water and for codes that are in neither legend. */
export function fuelOf(landCover: number): Fuel | undefined {
  return FUELS.get(landCover);
}

/** Whether a land cover code means water. */
export function isOpenWater(landCover: number): boolean {
  return WATER.has(landCover);
}
