import { DAY_MS, JULIAN_YEAR_MS } from '../../src/base/time.ts';
import { firstScenes, type Stack } from './resumed-passes.ts';
import { uniform } from './simulated-series.ts';

/** Side of the savanna or forest [pixels]. */
export const SAVANNA_SIDE = 16;
/** The day on which a part of it becomes crops or pasture [ms since the Unix epoch]. */
export const CROPS_FROM_MS = Date.UTC(2018, 0, 10);
const STEP_DAYS = 8;
const START_MS = Date.UTC(2015, 0, 3);

/** Whether a pixel becomes crops: one of 25, in rows and columns 4 to 8. */
export function becomesCrops(pixel: number): boolean {
  const [row, column] = [Math.floor(pixel / SAVANNA_SIDE), pixel % SAVANNA_SIDE];
  return row >= 4 && row <= 8 && column >= 4 && column <= 8;
}

/** Whether a pixel becomes pasture: one of four, too few for the other rules of neighbours. */
export function becomesPasture(pixel: number): boolean {
  const [row, column] = [Math.floor(pixel / SAVANNA_SIDE), pixel % SAVANNA_SIDE];
  return (row === 6 || row === 7) && (column === 6 || column === 7);
}

/** Cosine of the season, highest in March. */
function season(timeMs: number): number {
  return Math.cos((2 * Math.PI * (timeMs - Date.UTC(2015, 2, 10))) / JULIAN_YEAR_MS);
}

/** Greenness of a savanna. */
function savanna(timeMs: number): number {
  return 0.5 + 0.1 * season(timeMs);
}

/** The same with crops that are greener or browner for six weeks each, so that no departure lasts. */
function crops(timeMs: number): number {
  return savanna(timeMs) + 0.2 * Math.sin((8 * Math.PI * (timeMs - START_MS)) / JULIAN_YEAR_MS);
}

/** Greenness of a forest. */
function forest(timeMs: number): number {
  return 0.8 + 0.02 * season(timeMs);
}

/** Greenness of a pasture, which is that of the forest for the last 100 of 300 days. */
function pasture(timeMs: number): number {
  const days = (timeMs - CROPS_FROM_MS) / DAY_MS;
  return forest(timeMs) - (days % 300 < 200 ? 0.3 : 0);
}

/** Greenness of fields. */
function field(timeMs: number): number {
  return 0.5 + 0.25 * season(timeMs);
}

/** NDVI of scenes until the end of 2020 with noise of .05 and clouds. @param level of a pixel at a time */
function simulated(level: (pixel: number, timeMs: number) => number, fromMs = START_MS): Stack {
  const next = uniform(11);
  const times = Math.floor((START_MS + 6 * JULIAN_YEAR_MS - fromMs) / (STEP_DAYS * DAY_MS));
  const timesMs = Float64Array.from({ length: times }, (_, t) => fromMs + t * STEP_DAYS * DAY_MS);
  const ndvi = new Float64Array(SAVANNA_SIDE * SAVANNA_SIDE * times);
  for (let p = 0; p < SAVANNA_SIDE * SAVANNA_SIDE; p++)
    for (const [t, timeMs] of timesMs.entries()) {
      const noise = 0.1 * (next() + next() + next() - 1.5);
      const isCloudy = next() < 0.25;
      ndvi[p * times + t] = isCloudy ? Number.NaN : level(p, timeMs) + noise;
    }
  const spec = { width: SAVANNA_SIDE, height: SAVANNA_SIDE, pixelAreaM2: 62_500, metric: 'ndvi', timesMs };
  return { spec, metrics: { ndvi } };
}

/** A savanna of which a part has crops until `untilMs`. */
export function simulatedSavanna(untilMs: number): Stack {
  return simulated((pixel, timeMs) => {
    const isCrops = becomesCrops(pixel) && timeMs >= CROPS_FROM_MS && timeMs < untilMs;
    return isCrops ? crops(timeMs) : savanna(timeMs);
  });
}

/** A forest of which a part is pasture until `untilMs`. */
export function simulatedPasture(untilMs: number): Stack {
  return simulated((pixel, timeMs) => {
    const isPasture = becomesPasture(pixel) && timeMs >= CROPS_FROM_MS && timeMs < untilMs;
    return isPasture ? pasture(timeMs) : forest(timeMs);
  });
}

/** Fields of which a part is forest until `untilMs`. The record begins 1.7 years before it is planted. */
export function simulatedPlanting(untilMs: number): Stack {
  return simulated(
    (pixel, timeMs) => {
      const isForest = becomesPasture(pixel) && timeMs >= CROPS_FROM_MS && timeMs < untilMs;
      return isForest ? forest(timeMs) : field(timeMs);
    },
    CROPS_FROM_MS - 1.7 * JULIAN_YEAR_MS,
  );
}

/** The scenes of a stack until some days after a part of it changed. */
export function untilDay(stack: Stack, days: number): Stack {
  const end = stack.spec.timesMs.findIndex((ms) => ms > CROPS_FROM_MS + days * DAY_MS);
  return firstScenes(stack, end);
}
