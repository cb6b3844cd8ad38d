import { DAY_MS, JULIAN_YEAR_MS } from '../../src/base/time.ts';
import type { Stack } from './resumed-passes.ts';
import { becomesPasture, SAVANNA_SIDE } from './simulated-savanna.ts';
import { uniform } from './simulated-series.ts';

/** Day on which a part of the forest is thinned, early in the dry season [ms since the Unix epoch]. */
export const THINNED_MS = Date.UTC(2018, 5, 15);
const START_MS = Date.UTC(2015, 0, 3);
const STEP_DAYS = 8;

/** Whether a time is in the dry season, June to October. */
function isDry(timeMs: number): boolean {
  const month = new Date(timeMs).getUTCMonth();
  return month >= 5 && month <= 9;
}

/** What is special about a forest. */
export interface CloudyForest {
  /** Fall of the four thinned pixels in [NDVI, moisture] [metric unit]. */
  readonly size?: readonly [ndvi: number, moisture: number];
  /** Whether a pixel is thinned, if not those that become pasture in `simulatedSavanna`. */
  readonly isThinned?: (pixel: number) => boolean;
  /** When the forest is whole again [ms since the Unix epoch]. */
  readonly untilMs?: number;
  /** Share of the looks that are lost in the dry season. */
  readonly lost?: number;
  /** Share of the looks of the dry season whose clouds the mask misses. */
  readonly haze?: number;
}

/**
 * NDVI and moisture of six years of a forest whose wet season is cloudy: four fifths of the looks are lost then, and the mask
 * misses the clouds of half of the others. Four pixels are thinned from `THINNED_MS` on, so little that their CUSUM beside
 * like pixels is seldom plain.
 */
export function simulatedCloudyForest(forest: CloudyForest): Stack {
  const { size = [0.07, 0.07], untilMs = Number.POSITIVE_INFINITY, lost = 0.1, haze = 0 } = forest;
  const { isThinned = becomesPasture } = forest;
  const next = uniform(7);
  const times = Math.floor((6 * JULIAN_YEAR_MS) / (STEP_DAYS * DAY_MS));
  const timesMs = Float64Array.from({ length: times }, (_, t) => START_MS + t * STEP_DAYS * DAY_MS);
  const pixels = SAVANNA_SIDE * SAVANNA_SIDE;
  const ndvi = new Float64Array(pixels * times);
  const moisture = new Float64Array(pixels * times);
  for (let p = 0; p < pixels; p++)
    for (const [t, timeMs] of timesMs.entries()) {
      const [seen, cloud, depth] = [next(), next(), next()];
      const isFallen = isThinned(p) && timeMs >= THINNED_MS && timeMs < untilMs;
      const isLost = seen < (isDry(timeMs) ? lost : 0.8);
      const shade = cloud < (isDry(timeMs) ? haze : 0.5) ? 0.1 + 0.3 * depth : 0;
      for (const [m, values] of [ndvi, moisture].entries()) {
        const fall = shade + (isFallen ? size[m]! : 0);
        const value = [0.8, 0.4][m]! - fall + 0.06 * (next() - 0.5);
        values[p * times + t] = isLost ? Number.NaN : Math.round(1e4 * value) / 1e4;
      }
    }
  const spec = { width: SAVANNA_SIDE, height: SAVANNA_SIDE, pixelAreaM2: 900, metric: 'ndvi', timesMs };
  return { spec, metrics: { ndvi, moisture } };
}
