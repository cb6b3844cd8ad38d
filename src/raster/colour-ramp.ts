import { orbitPolarisation } from './backscatter.ts';

/** Colours at equal steps of a range of values, and the range that they stand for. */
export interface ColourRamp {
  readonly name: string;
  /** Colours as `#rrggbb`. */
  readonly colours: readonly string[];
  /** Values of the first and the last colour; null where they depend on what is shown. */
  readonly range: readonly [number, number] | null;
  /** Whether the middle colour means zero, so that a range that depends on what is shown is symmetric. */
  readonly aroundZero?: true;
}

/** Bare ground to dense vegetation. The range leaves out water, which no vegetation index tells apart. */
const VEGETATION = ['#6b4a2f', '#b58a55', '#e8d9a0', '#a6cf6f', '#4f9a3f', '#12542a'];
/** Dry ground to water. */
const WATER = ['#7a5a33', '#c9ab76', '#f2ead2', '#9fcbe0', '#3f86c0', '#0b3c78'];
/** Vegetation to buildings and bare ground. */
const BUILT = ['#14562f', '#7db56b', '#f0ead0', '#d99a6c', '#9a3b3b', '#55163a'];
/** Burnt to healthy. */
const BURN = ['#2b0f1e', '#8a2f2a', '#dd8f4d', '#f3e3a6', '#9cc76d', '#1f6a34'];
/** Away to towards, or down to up. */
const MOTION = ['#7f1d1d', '#d9663f', '#f7d8b0', '#f5f5f0', '#b9d4e6', '#4a86b8', '#1c3f72'];
/** Weak to strong. @see the order of lightness follows viridis (van der Walt and Smith 2015) */
const MAGNITUDE = ['#2d1a4a', '#31558a', '#25858c', '#4db37a', '#b5d648', '#fbe94a'];
const GREY = ['#111111', '#f4f4f4'];
/** Untouched to lost. */
const LOSS = ['#eef0e2', '#f6d67a', '#ec8f3c', '#c43b2b', '#6b0f2a'];

const ramp = (name: string, colours: readonly string[], range: readonly [number, number]): ColourRamp => ({
  name,
  colours,
  range,
});
const MOVING: ColourRamp = { name: 'motion', colours: MOTION, range: null, aroundZero: true };

/** Ramps of metrics; the ranges are what land shows in each index, so that pictures of one metric compare. */
const RAMPS: Readonly<Record<string, ColourRamp>> = {
  ndvi: ramp('vegetation', VEGETATION, [-0.2, 0.9]),
  evi: ramp('vegetation', VEGETATION, [-0.2, 0.8]),
  ndmi: ramp('water', WATER, [-0.5, 0.5]),
  moisture: ramp('water', WATER, [-0.5, 0.5]),
  mndwi: ramp('water', WATER, [-0.7, 0.7]),
  ndwi: ramp('water', WATER, [-0.7, 0.7]),
  nbr: ramp('burn', BURN, [-0.5, 0.8]),
  ndbi: ramp('built', BUILT, [-0.5, 0.4]),
  vv: ramp('grey', GREY, [-25, 0]),
  vh: ramp('grey', GREY, [-30, -5]),
  veg_anom: ramp('loss', LOSS, [0, 100]),
  displacement: MOVING,
  displacement_up: MOVING,
  displacement_east: MOVING,
  displacement_north: MOVING,
  displacement_rate: MOVING,
};
const OTHER: ColourRamp = { name: 'magnitude', colours: MAGNITUDE, range: null };

/** The metrics that have a ramp of their own. */
export const RAMPED_METRICS: readonly string[] = Object.keys(RAMPS);

/** The ramp of a metric. An unknown metric has one whose range depends on what is shown. */
export function rampOf(metric: string): ColourRamp {
  const key = orbitPolarisation(metric) ?? metric;
  return Object.hasOwn(RAMPS, key) ? RAMPS[key]! : OTHER;
}

/** Shallow to deep. */
const DEPTH = ['#d8ecf5', '#9fcbe0', '#5d9fd0', '#2f6cae', '#163f7d', '#0a1f4d'];
/** Low ground to high ground, in the order of lightness. */
const HEIGHT = ['#0f3d3e', '#2f6b4f', '#7a9a5b', '#c2b27a', '#e3d3b4', '#fbf8f2'];

/** The ramp of a layer of risk. Its range depends on the layer. */
export function layerRamp(layer: string): ColourRamp {
  if (/depth|sea-level$|coast-level$|river-stage$/.test(layer))
    return { name: 'depth', colours: DEPTH, range: null };
  if (/^(elevation|hand|height-above-water)$/.test(layer))
    return { name: 'height', colours: HEIGHT, range: null };
  return OTHER;
}

/** The colours of a ramp at `steps` equal steps, interpolated, as red, green and blue [0-255]. */
export function rampColours(
  colours: readonly string[],
  steps: number,
): (readonly [number, number, number])[] {
  const parsed = colours.map(
    (text) => [1, 3, 5].map((at) => parseInt(text.slice(at, at + 2), 16)) as [number, number, number],
  );
  return Array.from({ length: steps }, (_, step) => {
    const at = (step / (steps - 1)) * (parsed.length - 1);
    const [low, share] = [
      Math.min(Math.floor(at), parsed.length - 2),
      at - Math.min(Math.floor(at), parsed.length - 2),
    ];
    const [from, to] = [parsed[low]!, parsed[low + 1]!];
    return [0, 1, 2].map((i) => Math.round(from[i]! + (to[i]! - from[i]!) * share)) as [
      number,
      number,
      number,
    ];
  });
}

/**
 * The range of values to colour where a ramp has none: the second to the 98th percentile, symmetric for a ramp around
 * zero, rounded outward to two digits. `[0, 1]` without values. Sorts `values`.
 */
export function shownRange({ aroundZero }: ColourRamp, values: Float32Array): readonly [number, number] {
  const seen = values.filter((value) => Number.isFinite(value)).sort();
  if (seen.length === 0) return [0, 1];
  let low = seen[Math.floor(0.02 * (seen.length - 1))]!;
  let high = seen[Math.ceil(0.98 * (seen.length - 1))]!;
  if (aroundZero) [low, high] = [-Math.max(-low, high, 0), Math.max(-low, high, 0)];
  if (!(high > low)) [low, high] = [low - 1, low + 1];
  const step = 10 ** (Math.floor(Math.log10(high - low)) - 1);
  const outward = (value: number, round: (of: number) => number) =>
    Number((round(value / step) * step).toPrecision(6));
  return [outward(low, Math.floor), outward(high, Math.ceil)];
}
