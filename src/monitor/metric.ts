/** What the monitor knows of a metric: how its values look, and what a lasting fall or rise of it is called. */
export interface MetricTraits {
  /** Change type of a lasting fall and of a lasting rise; null where that direction is no change. */
  readonly fall: ChangeType | null;
  readonly rise: ChangeType | null;
  /** Physical values that are possible, in the metric's unit; an observation far outside is noise. */
  readonly range: readonly [low: number, high: number];
  /** Smallest credible standard deviation of one clear observation [metric unit]. */
  readonly noiseFloor: number;
  /** Whether the value follows the growing season, so that a scene with a low level is dormant, snowy or hazy. */
  readonly seasonal: boolean;
}

/** Kinds of change that one metric alone can tell. */
export type ChangeType =
  | 'vegetation_loss'
  | 'vegetation_gain'
  | 'water_gain'
  | 'water_loss'
  | 'built_up'
  | 'ground_subsidence'
  | 'ground_uplift';

/** Normalised differences are bounded by construction; two clear ones of the same ground rarely agree better than the floor (ours). */
const NORMALISED = { range: [-1, 1], noiseFloor: 0.025 } as const;
const VEGETATION = {
  ...NORMALISED,
  fall: 'vegetation_loss',
  rise: 'vegetation_gain',
  seasonal: true,
} as const;
const WATER = { ...NORMALISED, fall: 'water_loss', rise: 'water_gain', seasonal: false } as const;
const BUILT = { ...NORMALISED, fall: null, rise: 'built_up', seasonal: false } as const;
/** Line-of-sight or vertical motion [mm], up positive; the floor is a few millimetres for one acquisition (ours). */
const MOTION = {
  fall: 'ground_subsidence',
  rise: 'ground_uplift',
  range: [-1000, 1000],
  noiseFloor: 3,
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
]);

/** Traits of a metric by its key (lower case), or null when the metric makes no changes. */
export function metricTraits(metric: string): MetricTraits | null {
  return TRAITS.get(metric) ?? null;
}
