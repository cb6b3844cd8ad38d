import { Random } from '../calibration/simulated-case.ts';
import type { SampleStack } from './engine.ts';
import { DAY_MS } from '../../src/base/time.ts';

const START_MS = Date.UTC(2012, 0, 3);
const YEAR_DAYS = 365.25;
const SNOW_DAYS = 60; // of the year, from its turn, when snow may lie

/** A simulated region: a season, noise, clouds, and what is planted in it. */
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
  /** Share of observations that clouds take, independently. */
  readonly gaps: number;
  /** Share of winter scenes under snow that no mask holds. */
  readonly snow: number;
  /** Slow change of the whole region [NDVI a year]. */
  readonly drift: number;
  /** Side of each planted clearing [pixels], 0 for none, and the lattice that they stand on. */
  readonly side: number;
  readonly spacing: number;
  /** Fall of NDVI within a clearing. */
  readonly magnitude: number;
  /** When clearings happen [years since the start]. */
  readonly breakYears: number;
}

/** What the sweeps start from: 30 m pixels, a scene every 16 days, three of ten clouded, a clear loss. */
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
/** Pixel of Landsat [m2]. */
export const PIXEL_AREA_M2 = 900;

/** When clearings happen [ms]. */
export function breakMs({ breakYears }: Simulation): number {
  return START_MS + breakYears * YEAR_DAYS * DAY_MS;
}

/** Number of a pixel's clearing, or -1 outside all. */
export function clearingOf({ width, side, spacing }: Simulation, pixel: number): number {
  const [row, col] = [Math.floor(pixel / width), pixel % width];
  const margin = Math.floor((spacing - side) / 2);
  const [r, c] = [(row % spacing) - margin, (col % spacing) - margin];
  if (r < 0 || r >= side || c < 0 || c >= side) return -1;
  return Math.floor(row / spacing) * Math.ceil(width / spacing) + Math.floor(col / spacing);
}

/** Makes a region's NDVI. */
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
