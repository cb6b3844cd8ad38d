import { hash, normal } from './random.ts';
import { SANDBOX_GRID } from './terrain.ts';
import { calendar, DAY_MS, FIRST_DAY_MS } from './weather.ts';
import type { World } from './world.ts';

/** Days between two radar passes: those of one Sentinel-1. */
export const RADAR_DAYS = 12;
const BOWL_MM_PER_YEAR = -26; // at the middle of the bowl, once it sinks
const SEASON_MM = 2; // ground swells and shrinks with its water
const NOISE_MM = 1.6; // of one pixel and pass: what is left after filtering

/** Vertical displacement since the first day [mm], up positive, as an InSAR stack gives it; NaN on water. */
export function displacementOn({ seed, events, ground }: World, day: number): Float32Array {
  const { width } = SANDBOX_GRID;
  const noiseSeed = hash(seed, 62, day);
  const season = SEASON_MM * Math.sin((2 * Math.PI * (calendar(day).dayOfYear - 60)) / 365.25);
  const air = 0.8 * normal(seed, 61, day);
  const mm = Float32Array.from(ground.isWater, (water, i) =>
    water === 1 ? Number.NaN : season + air + NOISE_MM * normal(noiseSeed, i),
  );
  for (const { kind, pixels, since } of events) {
    if (kind !== 'subsidence') continue;
    const [cols, rows] = [pixels.map((p) => p % width), pixels.map((p) => Math.floor(p / width))];
    const [col, row] = [mean(cols), mean(rows)];
    const radius = Math.sqrt(pixels.length / Math.PI);
    pixels.forEach((pixel, i) => {
      const years = Math.max(0, day - since[i]!) / 365.25;
      const from = Math.hypot(cols[i]! - col, rows[i]! - row) / radius;
      mm[pixel]! += BOWL_MM_PER_YEAR * years * Math.exp(-2 * from * from);
    });
  }
  return mm;
}

/** Days of the radar's passes in `[from, to)`. */
export function radarPasses(from: number, to: number): number[] {
  const days: number[] = [];
  for (let day = Math.ceil(from / RADAR_DAYS) * RADAR_DAYS; day < to; day += RADAR_DAYS) days.push(day);
  return days;
}

/** Time of a radar pass [ms since the Unix epoch]. */
export function radarTimeMs(day: number): number {
  return FIRST_DAY_MS + day * DAY_MS + 6.5 * 3_600_000;
}

function mean(values: Uint32Array): number {
  let sum = 0;
  for (const value of values) sum += value;
  return sum / values.length;
}
