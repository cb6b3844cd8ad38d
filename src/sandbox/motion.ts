import type { Grid } from '../geo/grid.ts';
import type { PlantedEvent } from './events.ts';
import { exponential, hypotenuse, sine } from './portable-math.ts';
import { bitsToNormal, hash, hashOn, normal, seedState } from './random.ts';
import { PIXEL_M, SANDBOX_GRID } from './terrain.ts';
import { calendar, FIRST_DAY_MS } from './weather.ts';
import { DAY_MS } from '../base/time.ts';
import type { World } from './world.ts';

/** Days between two radar passes: the repeat cycle of one Sentinel-1 satellite. */
const RADAR_DAYS = 12;
const BOWL_MM_PER_YEAR = -26; // velocity in the middle of the bowl after sinking has begun
const DAYS_PER_YEAR = 365.25;
const SEASON_MM = 2; // seasonal amplitude: the ground swells and shrinks with its water content
const NOISE_MM = 1.6; // standard deviation for one pixel and pass, after filtering

/** Measured vertical displacement since the first day [mm], up positive, as in an InSAR stack; NaN on water. */
export function displacementOn(world: World, day: number): Float32Array {
  const { seed, ground } = world;
  const noise = seedState(hash(seed, 62, day));
  const season = seasonMm(day);
  const air = 0.8 * normal(seed, 61, day);
  const mm = new Float32Array(ground.isWater.length);
  for (let i = 0; i < mm.length; i++)
    mm[i] = ground.isWater[i] === 1 ? Number.NaN : season + air + NOISE_MM * bitsToNormal(hashOn(noise, i));
  for (const bowl of bowls(world))
    bowl.event.pixels.forEach((pixel, i) => (mm[pixel]! += sunkMm(bowl, i, day)));
  return mm;
}

/**
 * Returns a function that gives, for a day, the true vertical displacement of the ground at a pixel since the first
 * day [mm], up positive. It includes the season and the subsidence bowls, but no noise.
 */
export function displacementAt(world: World, pixel: number): (day: number) => number {
  const under = bowls(world).flatMap((bowl) => {
    const i = bowl.event.pixels.indexOf(pixel);
    return i < 0 ? [] : [(day: number) => sunkMm(bowl, i, day)];
  });
  return (day) => under.reduce((mm, sunk) => mm + sunk(day), seasonMm(day));
}

/** Velocity at the pixels of a bowl after sinking has begun [mm/yr], in the order of the event's pixels. */
export function bowlVelocities(event: PlantedEvent): Float64Array {
  const bowl = bowlOf(event);
  return Float64Array.from(event.pixels, (_, i) => velocityIn(bowl, i));
}

interface Bowl {
  readonly event: PlantedEvent;
  readonly col: number;
  readonly row: number;
  readonly radius: number;
}

function bowls({ events }: World): readonly Bowl[] {
  return events.filter(({ kind }) => kind === 'subsidence').map(bowlOf);
}

function bowlOf(event: PlantedEvent): Bowl {
  const { pixels } = event;
  const { width } = SANDBOX_GRID;
  const [col, row] = [mean(pixels.map((p) => p % width)), mean(pixels.map((p) => Math.floor(p / width)))];
  return { event, col, row, radius: Math.sqrt(pixels.length / Math.PI) };
}

function velocityIn({ event, col, row, radius }: Bowl, i: number): number {
  const { width } = SANDBOX_GRID;
  const pixel = event.pixels[i]!;
  const from = hypotenuse((pixel % width) - col, Math.floor(pixel / width) - row) / radius;
  return BOWL_MM_PER_YEAR * exponential(-2 * from * from);
}

function sunkMm(bowl: Bowl, i: number, day: number): number {
  return velocityIn(bowl, i) * (Math.max(0, day - bowl.event.since[i]!) / DAYS_PER_YEAR);
}

function seasonMm(day: number): number {
  return SEASON_MM * sine((2 * Math.PI * (calendar(day).dayOfYear - 60)) / DAYS_PER_YEAR);
}

const LOOKS = 2; // the radar product averages this many pixels in each direction: 40 m

/** Grid of the radar product: each pixel covers four pixels of the region. */
export const RADAR_GRID: Grid = {
  ...SANDBOX_GRID,
  width: SANDBOX_GRID.width / LOOKS,
  height: SANDBOX_GRID.height / LOOKS,
  transform: [SANDBOX_GRID.transform[0], PIXEL_M * LOOKS, 0, SANDBOX_GRID.transform[3], 0, -PIXEL_M * LOOKS],
};

/** Displacement as delivered [mm], on RADAR_GRID: the mean of four pixels if all are land, otherwise NaN. */
export function multilooked(world: World, day: number): Float32Array {
  const fine = displacementOn(world, day);
  const { width, height } = RADAR_GRID;
  const mm = new Float32Array(width * height);
  for (let i = 0; i < mm.length; i++) {
    const first = Math.floor(i / width) * LOOKS * SANDBOX_GRID.width + (i % width) * LOOKS;
    const next = first + SANDBOX_GRID.width;
    mm[i] = (fine[first]! + fine[first + 1]! + fine[next]! + fine[next + 1]!) / (LOOKS * LOOKS);
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
