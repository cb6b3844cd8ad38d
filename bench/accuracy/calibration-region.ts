import { Random } from '../calibration/simulated-case.ts';
import type { ChangeObject } from '../../src/change/object/objects.ts';
import type { SampleStack } from './engine.ts';
import { DAY_MS } from '../../src/base/time.ts';

const YEAR_DAYS = 365.25;
const START_MS = Date.UTC(2013, 3, 10);
const SIDE = 36; // pixels of a region; a lattice of 3 x 3 places
const SPACING = 12; // pixels from place to place
const PIXEL_AREA_M2 = 900; // 30 m
const DATED_WITHIN_MS = 60 * DAY_MS; // before the planting, as is asked of a break's date
const DRAWS = {
  years: [3, 7],
  everyDays: [8, 16, 16],
  gaps: [0.1, 0.7],
  rho: [0, 0.7],
  outliers: [0, 0.04],
  passing: [20, 240],
} as const;

/** How a metric looks where it is watched, and how large its changes are, in its own unit. */
export interface MetricWorld {
  readonly metric: string;
  readonly direction: -1 | 1;
  readonly level: readonly [number, number];
  readonly season: readonly [number, number];
  readonly noise: readonly [number, number];
  readonly magnitude: readonly [number, number];
  /** What an unmasked cloud, shadow or bad scene adds. */
  readonly outlier: readonly [number, number];
  /** Whether a change goes on for ever, at so much a year, rather than being a step. */
  readonly isRate: boolean;
}

/** What was planted at a place of the lattice. */
export interface Planting {
  readonly kind: 'lasting' | 'passing' | 'nothing';
  readonly fromMs: number;
}

/** A simulated region and what is true of each pixel. */
export interface CalibrationRegion {
  readonly stack: SampleStack;
  readonly plantings: readonly Planting[];
  /** Number of the planting that a pixel lies in, or -1. */
  readonly plantingOf: Int32Array;
}

/** How long what passes lasts [days]: as often twice as long as half as long (ours; a mown field some weeks, a drought seasons). */
function passingDays(random: Random): number {
  const [shortest, longest] = DRAWS.passing;
  return shortest * (longest / shortest) ** random.uniform();
}

/**
 * A region with nine places, each with a lasting change, one that passes within months (mowing, drought, a flood that
 * falls), or nothing; under weather that all share, noise that remembers, clouds, and outliers that no mask holds.
 */
export function calibrationRegion(world: MetricWorld, random: Random): CalibrationRegion {
  const between = ([low, high]: readonly [number, number]): number => random.between(low, high);
  const everyDays = random.pick(DRAWS.everyDays);
  const years = between(DRAWS.years);
  const times = Math.floor((years * YEAR_DAYS) / everyDays);
  const timesMs = Float64Array.from({ length: times }, (_, t) => START_MS + t * everyDays * DAY_MS);
  const endMs = timesMs[times - 1]!;
  const [gaps, rho, outliers] = [between(DRAWS.gaps), between(DRAWS.rho), between(DRAWS.outliers)];
  const [level, season, noise] = [between(world.level), between(world.season), between(world.noise)];
  const weather = Float64Array.from(timesMs, () => 0.5 * noise * random.normal());

  const plantings: (Planting & { readonly untilMs: number; readonly size: number })[] = [];
  const plantingOf = new Int32Array(SIDE * SIDE).fill(-1);
  for (let place = 0; place < (SIDE / SPACING) ** 2; place++) {
    const kind = random.pick(['lasting', 'passing', 'nothing'] as const);
    // Half a year after the start at the earliest, until the very end: claims are read at every age.
    const fromMs = random.between(timesMs[0]! + 180 * DAY_MS, endMs);
    const untilMs = kind === 'lasting' ? Number.POSITIVE_INFINITY : fromMs + passingDays(random) * DAY_MS;
    plantings.push({ kind, fromMs, untilMs, size: world.direction * between(world.magnitude) });
    if (kind === 'nothing') continue;
    const [height, width] = [1 + Math.floor(random.uniform() * 6), 1 + Math.floor(random.uniform() * 6)];
    const [top, left] = [Math.floor(place / 3) * SPACING + 2, (place % 3) * SPACING + 2];
    for (let row = top; row < top + height; row++)
      for (let col = left; col < left + width; col++) plantingOf[row * SIDE + col] = place;
  }

  const values = new Float32Array(SIDE * SIDE * times);
  for (let p = 0; p < SIDE * SIDE; p++) {
    const ground = level + noise * random.normal();
    const planting = plantings[plantingOf[p]!];
    let error = random.normal();
    for (let t = 0; t < times; t++) {
      const time = timesMs[t]!;
      error = rho * error + Math.sqrt(1 - rho * rho) * random.normal();
      const yearly = season * Math.cos((2 * Math.PI * (time - START_MS)) / (YEAR_DAYS * DAY_MS));
      let value = ground + yearly + weather[t]! + noise * error;
      if (planting !== undefined && time >= planting.fromMs && time < planting.untilMs)
        value += world.isRate
          ? planting.size * ((time - planting.fromMs) / (YEAR_DAYS * DAY_MS))
          : planting.size;
      if (random.uniform() < outliers) value += between(world.outlier);
      values[p * times + t] = random.uniform() < gaps ? Number.NaN : value;
    }
  }
  return {
    stack: {
      width: SIDE,
      height: SIDE,
      pixelAreaM2: PIXEL_AREA_M2,
      timesMs,
      metrics: { [world.metric]: values },
    },
    plantings,
    plantingOf,
  };
}

/** Whether a claim is of a planted change that lasts: most of its pixels lie in one, in its direction, and it is no earlier. */
export function isTrueClaim(
  { plantings, plantingOf }: CalibrationRegion,
  { direction }: MetricWorld,
  { pixels, firstAnomalyMs, magnitude }: ChangeObject,
): boolean {
  if (Math.sign(magnitude) !== direction) return false;
  const within = pixels.filter((pixel) => {
    const planting = plantings[plantingOf[pixel]!];
    return planting?.kind === 'lasting' && firstAnomalyMs >= planting.fromMs - DATED_WITHIN_MS;
  });
  return within.length * 2 >= pixels.length;
}
