/**
 * Properties of a metric that the monitor uses: the range and noise of its values, and the names of a lasting fall or
 * rise.
 */
export interface MetricTraits {
  /** Change type of a lasting fall and of a lasting rise; null where that direction is no change. */
  readonly fall: ChangeType | null;
  readonly rise: ChangeType | null;
  /** Physically possible values, in the metric's unit; an observation far outside is noise. */
  readonly range: readonly [low: number, high: number];
  /** Smallest credible standard deviation of one clear observation [metric unit]. */
  readonly noiseFloor: number;
  /**
   * Storage step of the values [metric unit]; 0 where unknown. Interpolated values lie on a line to within this step.
   */
  readonly quantum: number;
  /**
   * Phenomenon that the metric measures. Metrics of the same phenomenon are evidence for each other. `sense`: whether
   * more of the phenomenon is a rise (1) or a fall (-1) of the metric.
   */
  readonly phenomenon: 'greenness' | 'water' | 'backscatter' | 'motion';
  readonly sense: 1 | -1;
  /** Whether the value follows the growing season, so that a scene with a low level is dormant, snowy or hazy. */
  readonly seasonal: boolean;
}

/** Kinds of change, as in the API contract. */
export type ChangeType =
  | 'vegetation_loss'
  | 'vegetation_gain'
  | 'burn'
  | 'water_gain'
  | 'water_loss'
  | 'built_up'
  | 'ground_subsidence'
  | 'ground_uplift';

/**
 * Normalised differences are bounded by construction. Two clear observations of the same ground rarely agree better
 * than the floor (our choice).
 */
const NORMALISED = { range: [-1, 1], noiseFloor: 0.025, quantum: 1e-4 } as const;
const VEGETATION = {
  ...NORMALISED,
  fall: 'vegetation_loss',
  rise: 'vegetation_gain',
  phenomenon: 'greenness',
  sense: 1,
  seasonal: true,
} as const;
const WATER = {
  ...NORMALISED,
  fall: 'water_loss',
  rise: 'water_gain',
  phenomenon: 'water',
  sense: 1,
  seasonal: false,
} as const;
const BUILT = {
  ...NORMALISED,
  fall: null,
  rise: 'built_up',
  phenomenon: 'greenness',
  sense: -1,
  seasonal: false,
} as const;
/**
 * Radar backscatter [dB]. Forest falls by 1 to 3 dB when it is cleared (Reiche et al. 2018,
 * doi:10.1016/j.rse.2017.10.034); open water is lower still. The floor is the speckle of a multilooked scene (our choice).
 */
const BACKSCATTER = {
  fall: 'vegetation_loss',
  rise: 'vegetation_gain',
  range: [-40, 10],
  noiseFloor: 0.8,
  quantum: 0,
  phenomenon: 'backscatter',
  sense: 1,
  seasonal: false,
} as const;
/** Line-of-sight or vertical motion [mm], up positive. The floor is a few millimetres for one acquisition (our choice). */
const MOTION = {
  fall: 'ground_subsidence',
  rise: 'ground_uplift',
  range: [-1000, 1000],
  noiseFloor: 3,
  quantum: 0,
  phenomenon: 'motion',
  sense: 1,
  seasonal: false,
} as const;

const TRAITS: ReadonlyMap<string, MetricTraits> = new Map<string, MetricTraits>([
  ['ndvi', VEGETATION],
  ['evi', VEGETATION],
  ['savi', VEGETATION],
  ['nbr', VEGETATION],
  ['ndmi', VEGETATION],
  ['moisture', VEGETATION],
  ['ndwi', WATER],
  ['mndwi', WATER],
  ['ndbi', BUILT],
  ['displacement', MOTION],
  ['vv', BACKSCATTER],
  ['vh', BACKSCATTER],
]);

/** Traits of a metric by its key (lower case), or null when the metric makes no changes. */
export function metricTraits(metric: string): MetricTraits | null {
  return TRAITS.get(metric) ?? null;
}
