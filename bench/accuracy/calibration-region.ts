import { Random } from '../calibration/simulated-case.ts';
import type { ChangeObject } from '../../src/change/object/objects.ts';
import type { SampleStack } from './engine.ts';
import { DAY_MS, JULIAN_YEAR_MS } from '../../src/base/time.ts';
import { YEAR_DAYS } from '../../test/fakes/simulated-metric-series.ts';

const START_MS = Date.UTC(2013, 3, 10);
const SIDE = 36; // side of a region [pixels], which has a lattice of 3 x 3 places
const SPACING = 12; // distance between neighbouring places [pixels]
const PIXEL_AREA_M2 = 900; // area of a pixel of 30 m
// Maximum time by which a true claim may be dated before the planted change: the tolerance for break dates.
const DATED_WITHIN_MS = 60 * DAY_MS;
const DRAWS = {
  years: [3, 7],
  everyDays: [8, 16, 16],
  gaps: [0.1, 0.7],
  rho: [0, 0.7],
  outliers: [0, 0.04],
  passing: [20, 240],
} as const;

/** Ranges from which a metric is simulated: its values without a change, and the size of its changes [metric unit]. */
export interface MetricWorld {
  readonly metric: string;
  readonly direction: -1 | 1;
  readonly level: readonly [number, number];
  readonly season: readonly [number, number];
  readonly noise: readonly [number, number];
  readonly magnitude: readonly [number, number];
  /** Range of the error that an unmasked cloud, shadow or bad scene adds to a value. */
  readonly outlier: readonly [number, number];
  /** Whether a change is a trend, with `magnitude` per year, instead of a step. */
  readonly isRate: boolean;
}

/** The change planted at one place of the lattice. */
export interface Planting {
  readonly kind: 'lasting' | 'passing' | 'nothing';
  readonly fromMs: number;
}

/** A simulated region with its truth. */
export interface CalibrationRegion {
  readonly stack: SampleStack;
  readonly plantings: readonly Planting[];
  /** Index of the planting that contains each pixel; -1 outside all plantings. */
  readonly plantingOf: Int32Array;
}

/**
 * Random duration of a passing change [days], log-uniform (our choice): from a few weeks, as for a mown field, to
 * several months, as for a drought.
 */
function passingDays(random: Random): number {
  const [shortest, longest] = DRAWS.passing;
  return shortest * (longest / shortest) ** random.uniform();
}

/**
 * Simulates a region with nine places. Each place has a lasting change, a change that passes within months (mowing,
 * drought, flood) or no change. All pixels share the weather; each pixel has autocorrelated noise, clouds, and
 * unmasked outliers.
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
    // Changes start at the earliest half a year after the start of the record and at the latest at its end, so that
    // claims of every age are judged.
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
      const yearly = season * Math.cos((2 * Math.PI * (time - START_MS)) / JULIAN_YEAR_MS);
      let value = ground + yearly + weather[t]! + noise * error;
      if (planting !== undefined && time >= planting.fromMs && time < planting.untilMs)
        value += world.isRate ? planting.size * ((time - planting.fromMs) / JULIAN_YEAR_MS) : planting.size;
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

/**
 * Whether a claim is true: it has the direction of the planted changes, at least half of its pixels are in lasting
 * planted changes, and it is not dated more than 60 days before these changes.
 */
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
