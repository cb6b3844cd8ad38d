import { Random } from '../calibration/simulated-case.ts';
import type { SampleStack } from './engine.ts';
import { DAY_MS } from '../../src/base/time.ts';
import { YEAR_DAYS } from '../../test/fakes/simulated-metric-series.ts';

const START_MS = Date.UTC(2012, 0, 3);
const SNOW_DAYS = 60; // number of days from 1 January in which there may be snow

/** Parameters of a simulated region: season, noise, clouds and planted clearings. */
export interface Simulation {
  readonly width: number;
  readonly height: number;
  readonly years: number;
  readonly seed: number;
  /** Days between scenes. */
  readonly everyDays: number;
  /** Standard deviation of a clear observation [NDVI]. */
  readonly noise: number;
  /** Correlation of a pixel's noise from scene to scene. */
  readonly rho: number;
  /** Share of observations lost to clouds; each is lost independently of the others. */
  readonly gaps: number;
  /** Share of winter scenes with unmasked snow. */
  readonly snow: number;
  /** Trend of the whole region [NDVI per year]. */
  readonly drift: number;
  /** Side of each planted clearing [pixels], 0 for none; `spacing`: distance between clearings [pixels]. */
  readonly side: number;
  readonly spacing: number;
  /** Fall of NDVI within a clearing. */
  readonly magnitude: number;
  /** Time of the clearings [years since the start]. */
  readonly breakYears: number;
}

/** The standard region of the sweeps: 30 m pixels, a scene every 16 days, 30 % clouds, a clear loss. */
export const STANDARD: Simulation = {
  width: 48,
  height: 48,
  years: 7,
  seed: 1,
  everyDays: 16,
  noise: 0.03,
  rho: 0,
  gaps: 0.3,
  snow: 0,
  drift: 0,
  side: 4,
  spacing: 16,
  magnitude: 0.25,
  breakYears: 4.45,
};
/** Area of a Landsat pixel [m2]. */
export const PIXEL_AREA_M2 = 900;

/** Time of the clearings [ms since the Unix epoch]. */
export function breakMs({ breakYears }: Simulation): number {
  return START_MS + breakYears * YEAR_DAYS * DAY_MS;
}

/** Index of the clearing that contains a pixel; -1 outside all clearings. */
export function clearingOf({ width, side, spacing }: Simulation, pixel: number): number {
  const [row, col] = [Math.floor(pixel / width), pixel % width];
  const margin = Math.floor((spacing - side) / 2);
  const [r, c] = [(row % spacing) - margin, (col % spacing) - margin];
  if (r < 0 || r >= side || c < 0 || c >= side) return -1;
  return Math.floor(row / spacing) * Math.ceil(width / spacing) + Math.floor(col / spacing);
}

/** Simulates the NDVI of a region. */
export function simulate(simulation: Simulation): SampleStack {
  const { width, height, years, everyDays, noise, rho, gaps, snow, drift, magnitude } = simulation;
  const random = new Random(simulation.seed);
  const times = Math.floor((years * YEAR_DAYS) / everyDays);
  const timesMs = Float64Array.from({ length: times }, (_, t) => START_MS + t * everyDays * DAY_MS);
  const fromMs = breakMs(simulation);
  const scene = Array.from(timesMs, (time) => {
    const day = (time - START_MS) / DAY_MS;
    const isWinter = day % YEAR_DAYS < SNOW_DAYS;
    return {
      level: 0.65 - 0.12 * Math.cos((2 * Math.PI * day) / YEAR_DAYS) + (drift * day) / YEAR_DAYS,
      isSnowy: isWinter && random.uniform() < snow,
      isAfter: time >= fromMs,
    };
  });
  const ndvi = new Float32Array(width * height * times);
  for (let p = 0; p < width * height; p++) {
    const isCleared = clearingOf(simulation, p) >= 0;
    let error = random.normal();
    for (let t = 0; t < times; t++) {
      error = rho * error + Math.sqrt(1 - rho * rho) * random.normal();
      const { level, isSnowy, isAfter } = scene[t]!;
      const ground = level - (isCleared && isAfter ? magnitude : 0);
      const value = (isSnowy ? 0.05 : ground) + noise * error;
      ndvi[p * times + t] = random.uniform() < gaps ? Number.NaN : value;
    }
  }
  return { width, height, pixelAreaM2: PIXEL_AREA_M2, timesMs, metrics: { ndvi } };
}
