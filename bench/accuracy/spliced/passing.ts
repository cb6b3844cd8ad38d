import { Random } from '../../calibration/simulated-case.ts';
import type { SampleStack } from '../engine.ts';
import type { Ground, PixelSeries } from './ground.ts';
import { growObject, isApart } from './objects.ts';
import { stackOf } from './splice.ts';
import { DAY_MS, JULIAN_YEAR_MS } from '../../../src/base/time.ts';

const SIZES = [3, 60] as const; // number of pixels of an object, log-uniform: as for conversions
const DISTURBED = 0.15; // share of the land that is disturbed once
const TRIES = 60; // number of objects that are tried
const YEARS_BEFORE = 1; // years before the first disturbance
const FLOOD_DAYS = [16, 60] as const; // duration of a flood that drains: our choice
const WATER = { ndvi: -0.1, evi: -0.05, moisture: 0.6 } as const; // open water: typical values, our choice
const MUDDY = { ndvi: 0.1, evi: 0.06, moisture: 0.4 } as const; // turbid water, or plants that stand in it: our choice
const WATER_NOISE = 0.05; // standard deviation of an observation of water: our choice
const REGROWTH_DAYS = 365; // time in which coppiced wood is as green as before: our choice
const SEEN_DAYS = 120; // time after the end of a disturbance that a record still holds: our choice

/** A disturbance that passes: a flood of clear or muddy water, or wood that is cut and grows again from its stools. */
export type Passing = 'flood' | 'muddy flood' | 'coppice';

/** Land with disturbances that pass. */
export interface DisturbedStack {
  readonly stack: SampleStack;
  /** The pixels that were disturbed once. */
  readonly disturbed: ReadonlySet<number>;
}

/**
 * Makes land of real series in which objects are disturbed for a while. A flood replaces the values by those of water
 * for some weeks. Coppiced wood takes the values of the cover that follows a conversion, from which it grows back
 * linearly within a year.
 */
export function disturbedStack(ground: Ground, passing: Passing, seed: number): DisturbedStack {
  const random = new Random(seed);
  const { timesMs, pixelAreaM2 } = ground;
  const land = ground.land(random);
  const { width, height } = land;
  const series = [...land.series];
  const firstMs = timesMs[0]! + YEARS_BEFORE * JULIAN_YEAR_MS;
  const isFlood = passing !== 'coppice';
  const longest = isFlood ? FLOOD_DAYS[1] : REGROWTH_DAYS;
  const lastMs = timesMs.at(-1)! - (longest + SEEN_DAYS) * DAY_MS;
  const taken = new Uint8Array(width * height);
  let disturbed = 0;
  for (let i = 0; i < TRIES && disturbed < DISTURBED * width * height; i++) {
    const [least, most] = SIZES;
    const size = Math.round(least * (most / least) ** random.uniform());
    const mayBe = (p: number): boolean => isFlood || land.isConvertible[p] === 1;
    const isFree = (p: number): boolean => mayBe(p) && isApart(width, height, p, taken);
    const fromMs = random.between(firstMs, lastMs);
    const endMs = fromMs + random.between(...FLOOD_DAYS) * DAY_MS;
    const after = land.convertedTo();
    for (const p of growObject(width, height, size, isFree, random)) {
      taken[p] = 1;
      disturbed++;
      series[p] = isFlood
        ? flooded(series[p]!, passing === 'flood' ? WATER : MUDDY, timesMs, [fromMs, endMs], random)
        : coppiced(series[p]!, after(), timesMs, fromMs);
    }
  }
  return {
    stack: stackOf(width, height, pixelAreaM2, timesMs, series),
    disturbed: new Set([...taken.keys()].filter((p) => taken[p] === 1)),
  };
}

function flooded(
  before: PixelSeries,
  levels: typeof WATER | typeof MUDDY,
  timesMs: Float64Array,
  [fromMs, endMs]: readonly [number, number],
  random: Random,
): PixelSeries {
  return mapSeries(before, (metric, value, t) => {
    const isFlooded = timesMs[t]! >= fromMs && timesMs[t]! < endMs;
    const water = levels[metric as keyof typeof levels] + WATER_NOISE * random.normal();
    return isFlooded && !Number.isNaN(value) ? water : value;
  });
}

function coppiced(
  before: PixelSeries,
  after: PixelSeries,
  timesMs: Float64Array,
  fromMs: number,
): PixelSeries {
  return mapSeries(before, (metric, value, t) => {
    const days = (timesMs[t]! - fromMs) / DAY_MS;
    const grown = days < 0 ? 1 : Math.min(1, days / REGROWTH_DAYS);
    return grown === 1 ? value : grown * value + (1 - grown) * after[metric]![t]!;
  });
}

function mapSeries(
  series: PixelSeries,
  of: (metric: string, value: number, t: number) => number,
): PixelSeries {
  return Object.fromEntries(
    Object.entries(series).map(([metric, values]) => [
      metric,
      values.map((value, t) => of(metric, value, t)),
    ]),
  );
}
