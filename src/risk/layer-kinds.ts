// Long file: one table, an entry a layer.
import { LAND_COVER_LEGENDS } from './wildfire/fire-fuel.ts';

/** Properties that the models expect of the layers with a certain name. */
export interface LayerKind {
  /** Unit that the models expect; `class` for class codes. */
  readonly unit: string;
  /** Other spellings of the same unit. */
  readonly spellings?: readonly string[];
  readonly meaning: string;
  /** Whether the maps of the layer must, must not or may have a return period. */
  readonly returnPeriod: 'required' | 'none' | 'either';
  /** Set where values are discrete, such as classes, and must not be averaged. */
  readonly stepwise?: true;
  /**
   * Lowest and highest possible value in the unit. Values outside mean that the unit or the nodata value is
   * wrong.
   */
  readonly range: readonly [lowest: number, highest: number];
  /**
   * Minimum, in the unit, of the largest absolute value in a map with many values (our choice). If the largest
   * value is below this minimum, the map is in a larger unit than the expected one.
   */
  readonly atLeast?: number;
  /** Where the values of whole maps lie; values elsewhere are possible, but a wrong unit is more likely. */
  readonly usual?: UsualValues;
  /** Alternative sets of class codes; each raster uses one of the sets. */
  readonly legends?: readonly ReadonlySet<number>[];
}

/** Range of the median of the magnitudes of a map, of its values other than 0. */
export interface UsualValues {
  /** In the unit of the layer. */
  readonly median: readonly [least: number, most: number];
  /** What the range rests on. */
  readonly because: string;
}

const METRE = { unit: 'm', spellings: ['metre', 'metres', 'meter', 'meters'] } as const;
const KILOMETRE = { unit: 'km', spellings: ['kilometre', 'kilometres', 'kilometer', 'kilometers'] } as const;
const SPEED = { unit: 'm/s', spellings: ['m s-1', 'm s**-1', 'm s^-1', 'ms-1', 'mps'] } as const;
const CLASS = { unit: 'class', spellings: ['classes', 'code', '1'], stepwise: true } as const;
const NUMBER = { unit: '1', spellings: ['index', 'dimensionless'] } as const;
/** Greatest distance between two places on Earth [km]: half the circumference through the poles. */
const FAR_KM = 20_004;
/** Range of heights from the deepest trench to the highest peak, with a margin for vertical datums [m]. */
const RELIEF_M = [-12_000, 9_000] as const;
/**
 * Range of winds [m/s]. The highest gust on record is 113.3 m/s (Barrow Island 1996); a map in km/h would have higher
 * values.
 * @see doi:10.1071/ES12001 (Courtney et al. 2012, for the WMO)
 */
const WIND_MPS = [0, 120] as const;

/**
 * Depths of floods [m]. The deepest valley known to have been flooded is that of Lake Sarez behind a landslide of 1911,
 * about 550 m (Schuster & Alford 2002, GSA Annual Meeting, paper 40226; others give 450 to 505 m). Gorges and reservoirs
 * reach 30 to 60 m, whole maps do not (our choice of 10 m): the damage curves of the JRC end at 6 m (Huizinga et al.
 * 2017).
 */
const FLOOD_DEPTH = {
  range: [0, 550],
  usual: { median: [0, 10], because: 'half of the flooded land of a map lies under less than 10 m of water' },
} as const;
/**
 * Median gust of a map [m/s] (our choice): one and a half times the fifty-year gust of 40 m/s in most of the United
 * States (ASCE 7-05). Tropical cyclones are left out of these layers.
 */
const USUAL_GUST: UsualValues = {
  median: [5, 60],
  because: 'without tropical cyclones, half of a map stays below 60 m/s at any return period',
};

/**
 * The layers that models use, by name. Other layers can also be installed and sampled. Ranges are physical
 * limits, not usual values.
 */
export const LAYER_KINDS: Readonly<Record<string, LayerKind>> = {
  elevation: {
    ...METRE,
    meaning: 'height of the ground above mean sea level',
    returnPeriod: 'none',
    range: RELIEF_M,
  },
  hand: {
    ...METRE,
    meaning: 'height above the nearest drainage',
    returnPeriod: 'none',
    range: [-100, 9_000],
  },
  'upstream-area': {
    unit: 'km2',
    spellings: ['km^2', 'square kilometres'],
    meaning: 'area upstream of the drainage that hand counts from',
    returnPeriod: 'none',
    stepwise: true,
    range: [0, 7_500_000], // the Amazon has 6.9 million km2
  },
  'height-above-water': {
    ...METRE,
    meaning: 'height above the nearest mapped water',
    returnPeriod: 'none',
    range: RELIEF_M,
  },
  'flood-depth': {
    ...METRE,
    meaning: 'depth of river floods above ground, undefended',
    returnPeriod: 'required',
    ...FLOOD_DEPTH,
  },
  'coastal-flood-depth': {
    ...METRE,
    meaning: 'depth of floods from the sea above ground, undefended',
    returnPeriod: 'required',
    ...FLOOD_DEPTH,
  },
  'sea-level': {
    ...METRE,
    meaning: 'highest sea level above mean sea level, from tide gauges near by',
    returnPeriod: 'required',
    range: [0, 30], // the highest tides rise 8 m above the mean, the highest surges 13 m
  },
  'sea-level-error': {
    ...NUMBER,
    meaning: 'standard error of the logarithm of sea-level of the same version',
    returnPeriod: 'none',
    range: [0, 100],
  },
  'coast-level': {
    ...METRE,
    meaning: 'usual highest sea level of the coast above mean sea level, from tides, far gauges and cyclones',
    returnPeriod: 'required',
    range: [0, 30],
  },
  'coast-level-error': {
    ...NUMBER,
    meaning: 'standard error of the logarithm of coast-level of the same version',
    returnPeriod: 'none',
    range: [0, 100],
  },
  'settled-height': {
    unit: 'ln',
    meaning:
      'how much higher the towns near by stand above the sea than their mapped height lets expect (logarithm)',
    returnPeriod: 'none',
    range: [-10, 10],
  },
  'settled-bank': {
    unit: 'ln',
    meaning: 'the same above the nearest mapped river or lake (logarithm)',
    returnPeriod: 'none',
    range: [-10, 10],
  },
  'settled-major-bank': {
    unit: 'ln',
    meaning: 'the same above the nearest large river (logarithm)',
    returnPeriod: 'none',
    range: [-10, 10],
  },
  'river-stage': {
    ...NUMBER,
    meaning: 'height of floods above the bank as a share of the bankfull depth, from river gauges near by',
    returnPeriod: 'required',
    range: [0, 100],
  },
  'river-stage-error': {
    ...NUMBER,
    meaning: 'standard error of the logarithm of river-stage of the same version',
    returnPeriod: 'none',
    range: [0, 100],
  },
  'flood-protection': {
    unit: 'years',
    spellings: ['year', 'yr', 'a'],
    meaning: 'return period up to which defences hold',
    stepwise: true,
    returnPeriod: 'none',
    range: [0, 1_000_000],
  },
  'permanent-water': {
    ...CLASS,
    meaning: '1 where there is always water, else 0',
    returnPeriod: 'none',
    range: [0, 1], // rejects maps of water occurrence in percent
  },
  'coast-distance': {
    ...KILOMETRE,
    meaning: 'distance to the shore, negative at sea',
    returnPeriod: 'none',
    range: [-FAR_KM, FAR_KM],
  },
  'lake-distance': {
    ...KILOMETRE,
    meaning: 'distance to the shore within a lake, 0 outside lakes',
    returnPeriod: 'none',
    range: [0, FAR_KM],
  },
  'water-distance': {
    ...KILOMETRE,
    meaning: 'distance to the nearest river or lake, negative inside lakes',
    returnPeriod: 'none',
    range: [-FAR_KM, FAR_KM],
  },
  'major-river-distance': {
    ...KILOMETRE,
    meaning: 'distance to the nearest large river',
    returnPeriod: 'none',
    range: [-FAR_KM, FAR_KM],
  },
  country: {
    ...CLASS,
    meaning: 'country, by its ISO 3166-1 numeric code (983 is Kosovo)',
    returnPeriod: 'none',
    range: [1, 999],
  },
  'climate-zone': {
    ...CLASS,
    meaning: 'Koeppen-Geiger climate, 1 to 31 in the order of the names Af to ET',
    returnPeriod: 'none',
    range: [1, 31],
  },
  'population-density': {
    unit: '1/km2',
    spellings: ['km-2', 'people/km2', 'people per km2', 'persons per km2'],
    meaning: 'people living on a km2',
    returnPeriod: 'none',
    range: [0, 200_000],
  },
  'extreme-rain': {
    unit: 'mm',
    spellings: ['mm/day', 'millimetre', 'millimetres'],
    meaning: 'highest rain of a day that is reached on average every ten years',
    returnPeriod: 'none',
    range: [0, 2_000], // 1,825 mm fell on La Reunion in a day (WMO)
    atLeast: 1,
    usual: { median: [10, 1_000], because: 'less than 10 mm in ten years falls in few deserts only' },
  },
  gust: {
    ...SPEED,
    meaning: 'highest three-second gust at 10 m, tropical cyclones left out',
    returnPeriod: 'required',
    range: WIND_MPS,
    usual: USUAL_GUST,
  },
  'inland-gust': {
    ...SPEED,
    meaning: 'three-second gust at 10 m in open country, once in 50 years, tropical cyclones left out',
    returnPeriod: 'none',
    range: WIND_MPS,
    usual: USUAL_GUST,
  },
  'sea-wind': {
    ...SPEED,
    meaning: 'highest ten-minute wind over the sea',
    returnPeriod: 'required',
    range: WIND_MPS,
    usual: {
      median: [5, 60],
      because: 'the ten-minute wind over the open sea stays below 60 m/s, but in cyclones',
    },
  },
  'cyclone-wind': {
    ...SPEED,
    meaning: 'highest one-minute wind of tropical cyclones',
    returnPeriod: 'required',
    range: WIND_MPS,
    usual: {
      median: [0, 85],
      because:
        'the strongest one-minute wind of a cyclone on record is 95 m/s (185 kt, Patricia 2015, National Hurricane Center)',
    },
  },
  'cyclone-count': {
    unit: 'storms',
    spellings: ['storms in 45 years', 'storms in 46 years'],
    meaning: 'cyclones seen near by, which tells how well their winds are known',
    returnPeriod: 'none',
    range: [0, 10_000],
  },
  'fire-climate': {
    unit: 'log10 1/yr',
    meaning: 'share of buildings whose land burns in a year, by climate, country and people (logarithm)',
    returnPeriod: 'none',
    range: [-9, 0],
  },
  'fire-climate-loss': {
    unit: 'log10',
    meaning: 'mean damage ratio of a building where its land burns, by climate (logarithm)',
    returnPeriod: 'none',
    range: [-4, 0],
  },
  'fire-climate-severity': {
    unit: 'log10',
    meaning: 'Daily Severity Rating, mean of the four worst months, usual in the climate (logarithm)',
    returnPeriod: 'none',
    range: [-3, 2],
  },
  'fire-danger': {
    ...NUMBER,
    meaning:
      'Fire Weather Index: the highest 7-day mean of a year, or the seasonal mean without a return period',
    returnPeriod: 'either',
    range: [0, 1_000],
  },
  'fire-severity': {
    ...NUMBER,
    meaning: 'Daily Severity Rating, mean of the four worst months of the year',
    returnPeriod: 'none',
    range: [0, 1_000],
  },
  'fire-frequency': {
    unit: '1/(km2 yr)',
    spellings: ['km-2 yr-1', '1/km2/yr', 'fires/km2/yr'],
    meaning: 'fires of 1 ha or more near by, a km2 and year',
    returnPeriod: 'none',
    range: [0, 10],
  },
  'burn-history': {
    unit: '1/yr',
    spellings: ['1/year', '1', 'yr-1'],
    meaning: 'share of the land near by that burned, a year',
    returnPeriod: 'none',
    range: [0, 1],
  },
  'fire-record-years': {
    unit: 'years',
    spellings: ['year', 'yr', 'a'],
    meaning: 'years of the record that fire-frequency or burn-history of the same version is of',
    returnPeriod: 'none',
    stepwise: true,
    range: [1, 1_000],
  },
  'land-cover': {
    ...CLASS,
    meaning: 'land cover, codes of ESA WorldCover (10 to 100) or CORINE level 3 (111 to 523)',
    returnPeriod: 'none',
    range: [0, 999],
    legends: LAND_COVER_LEGENDS,
  },
  slope: {
    unit: 'degree',
    spellings: ['degrees', 'deg', '°'],
    meaning: 'steepness of the ground',
    returnPeriod: 'none',
    range: [0, 90],
  },
  'displacement-velocity': {
    unit: 'mm/yr',
    spellings: ['mm/year', 'mm/a', 'mm yr-1'],
    meaning: 'vertical velocity of the ground, up positive',
    returnPeriod: 'none',
    range: [-5_000, 5_000],
    atLeast: 0.1, // radar noise alone exceeds this; a map in m/yr would exceed it only above 100 mm/yr
    usual: {
      median: [0.02, 500],
      because: 'the noise of radar alone is some tenths of a mm/yr, and the fastest cities sink by 500 mm/yr',
    },
  },
  'velocity-error': {
    unit: 'mm/yr',
    spellings: ['mm/year', 'mm/a', 'mm yr-1'],
    meaning: 'standard error of the vertical velocity',
    returnPeriod: 'none',
    range: [0, 5_000],
  },
  'velocity-gradient': {
    unit: 'mm/yr per m',
    spellings: ['mm/yr/m', 'mm/year/m', 'mm/a/m', 'mm yr-1 m-1'],
    meaning: 'change of the vertical velocity along the ground',
    returnPeriod: 'none',
    range: [-1_000, 1_000],
  },
  'displacement-acceleration': {
    unit: 'mm/yr2',
    spellings: ['mm/yr^2', 'mm/year2', 'mm/a2', 'mm yr-2'],
    meaning: 'change of the vertical velocity in time',
    returnPeriod: 'none',
    range: [-5_000, 5_000],
  },
  'subsiding-share': {
    ...NUMBER,
    meaning: 'share of buildings whose ground moves, by kind of ground',
    returnPeriod: 'none',
    range: [0, 1],
  },
  'subsiding-speed': {
    unit: 'mm/yr',
    spellings: ['mm/year', 'mm yr-1'],
    meaning: 'standard deviation of the velocity of moving ground',
    returnPeriod: 'none',
    range: [0, 1_000],
  },
  'soil-clay': {
    unit: '%',
    spellings: ['percent', 'per cent', 'pct'],
    meaning: 'clay in the soil by mass',
    returnPeriod: 'none',
    range: [0, 100],
    atLeast: 1.001, // a map of fractions has no value above 1
    usual: { median: [1, 100], because: 'sands have 1 % of clay or more' },
  },
};

/** Returns the properties that the models expect of a layer; undefined if no model uses a layer with this name. */
export function layerKind(layer: string): LayerKind | undefined {
  return Object.hasOwn(LAYER_KINDS, layer) ? LAYER_KINDS[layer] : undefined;
}

/** Factors to the unit of a layer, by that unit and the lower-case name of the other; exact by definition. */
const FACTORS: Readonly<Record<string, Readonly<Record<string, number>>>> = {
  m: { mm: 0.001, cm: 0.01, dm: 0.1, km: 1000, ft: 0.3048, feet: 0.3048, 'us survey ft': 1200 / 3937 },
  km: { m: 0.001, mi: 1.609344, nmi: 1.852 },
  mm: { cm: 10, m: 1000, in: 25.4, inch: 25.4 },
  'm/s': {
    'km/h': 1 / 3.6,
    kmh: 1 / 3.6,
    kn: 1852 / 3600,
    kt: 1852 / 3600,
    knots: 1852 / 3600,
    mph: 0.44704,
  },
  'mm/yr': { 'cm/yr': 10, 'm/yr': 1000 },
  'mm/yr2': { 'cm/yr2': 10, 'm/yr2': 1000 },
  '%': { '1': 100, fraction: 100, 'g/kg': 0.1 },
  '1': { '%': 0.01, percent: 0.01 },
  '1/yr': { '%/yr': 0.01, '%': 0.01, percent: 0.01 },
};

/** Units that can be converted to the unit of the kind. */
export function convertibleUnits({ unit }: LayerKind): readonly string[] {
  return Object.keys(FACTORS[unit] ?? {});
}

/** Value in the unit of the kind = value in `unit` * factor; undefined if it cannot be converted. */
export function factorTo(kind: LayerKind, unit: string): number | undefined {
  if (isUnitOf(kind, unit)) return 1;
  const factors = FACTORS[kind.unit];
  const plain = unit.trim().toLowerCase();
  return factors !== undefined && Object.hasOwn(factors, plain) ? factors[plain] : undefined;
}

/** Whether a unit is the unit of the kind, in any of its spellings. */
export function isUnitOf(kind: LayerKind, unit: string): boolean {
  const plain = unit.trim().toLowerCase();
  return [kind.unit, ...(kind.spellings ?? [])].some((spelling) => spelling.toLowerCase() === plain);
}
