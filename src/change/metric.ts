import { orbitPolarisation } from '../raster/backscatter.ts';

/**
 * Properties of a metric that the monitor uses: the range and noise of its values, and the types of change that a
 * lasting fall and a lasting rise mean.
 */
export interface MetricTraits {
  /** Change type of a lasting fall and of a lasting rise; null where that direction is not a change. */
  readonly fall: ChangeType | null;
  readonly rise: ChangeType | null;
  /** Range of physically possible values [metric unit]. */
  readonly range: readonly [low: number, high: number];
  /** Smallest credible standard deviation of one clear observation [metric unit]. */
  readonly noiseFloor: number;
  /**
   * Step in which values are stored [metric unit]; 0 if unknown. Interpolated values lie on a line to within a few
   * steps.
   */
  readonly quantum: number;
  /**
   * Phenomenon that the metric measures. Metrics of the same phenomenon are joint evidence of a change. `sense` is 1
   * if the metric rises when the phenomenon increases, -1 if it falls. `alert`: the values are departures that the
   * provider has computed, so they are followed by change/alert and not compared with a baseline.
   */
  readonly phenomenon: 'greenness' | 'water' | 'backscatter' | 'motion' | 'alert';
  readonly sense: 1 | -1;
  /**
   * Whether the metric follows the growing season, so that low values in a whole scene mean dormancy, snow or haze.
   */
  readonly seasonal: boolean;
  /** Value below which ground is open water, as neither plants nor dry ground have it; absent if there is none. */
  readonly openWater?: number;
}

/** Kinds of change, as in the API contract. */
export type ChangeType =
  | 'vegetation_loss'
  | 'vegetation_gain'
  | 'conversion'
  | 'burn'
  | 'water_gain'
  | 'water_loss'
  | 'built_up'
  | 'ground_subsidence'
  | 'ground_uplift';

/**
 * Traits of normalised differences, which are in [-1, 1] by definition. Two clear observations of the same ground
 * rarely differ by less than the noise floor (our choice).
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
/**
 * Traits of indices of red and near infrared light. Water reflects less of the latter, so its index is negative. That of
 * plants and of dry ground is not (Rouse et al. 1974, NASA SP-351).
 */
const GREENNESS = { ...VEGETATION, openWater: 0 } as const;
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
 * Traits of radar backscatter [dB]. The backscatter of a forest falls by 1 to 3 dB when it is cleared (Reiche et al.
 * 2018, doi:10.1016/j.rse.2017.10.034); that of open water is even lower. The noise floor is the speckle of a
 * multilooked scene (our choice).
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
/**
 * Traits of line-of-sight or vertical motion [mm], up positive. The noise floor is a few millimetres for one
 * acquisition (our choice).
 */
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
/** Traits of the loss of cover in an alert product [% of the pixel], 0 without a loss. Values are whole percents. */
const ALERT = {
  fall: null,
  rise: 'vegetation_loss',
  range: [0, 100],
  noiseFloor: 1,
  quantum: 1,
  phenomenon: 'alert',
  sense: -1,
  seasonal: false,
} as const;

const TRAITS: ReadonlyMap<string, MetricTraits> = new Map<string, MetricTraits>([
  ['ndvi', GREENNESS],
  ['evi', GREENNESS],
  ['savi', GREENNESS],
  ['nbr', VEGETATION],
  ['ndmi', VEGETATION],
  ['moisture', VEGETATION],
  ['ndwi', WATER],
  ['mndwi', WATER],
  ['ndbi', BUILT],
  ['displacement', MOTION],
  ['vv', BACKSCATTER],
  ['vh', BACKSCATTER],
  ['veg_anom', ALERT],
]);

/**
 * Traits of cross-polarised backscatter seen from one relative orbit [dB]. It falls when vegetation is lost, so it is
 * joint evidence with the greenness of optical scenes (Reiche et al. 2018). Co-polarised backscatter follows the
 * moisture of the soil as much as vegetation, so it is no evidence (docs/methods/change.md).
 */
const CROSS_POLARISED = { ...BACKSCATTER, phenomenon: 'greenness' } as const;

/** Returns the traits of a metric by its key (lower case), or null when changes are not monitored in the metric. */
export function metricTraits(metric: string): MetricTraits | null {
  return TRAITS.get(metric) ?? (orbitPolarisation(metric) === 'vh' ? CROSS_POLARISED : null);
}
