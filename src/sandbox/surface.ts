import { COVER } from './land-cover.ts';
import type { PlantedEvent } from './events.ts';
import { exponential } from './portable-math.ts';
import { noiseField, normal, uniform } from './random.ts';
import { SANDBOX_GRID } from './terrain.ts';
import { calendar, type Weather } from './weather.ts';
import type { World } from './world.ts';

/** Reflectance in the bands of the spectral indices: green, red, near infrared, short-wave infrared 1.6 and 2.2 um. */
export type Reflectance = readonly [green: number, red: number, nir: number, swir1: number, swir2: number];

/**
 * Typical surface reflectances, rounded from the ECOSTRESS spectral library (Meerdink et al. 2019,
 * doi:10.1016/j.rse.2019.05.015).
 */
export const MATERIALS = {
  leaves: [0.07, 0.04, 0.42, 0.2, 0.09],
  needles: [0.05, 0.03, 0.27, 0.11, 0.05],
  straw: [0.14, 0.18, 0.3, 0.36, 0.25],
  soil: [0.12, 0.16, 0.25, 0.33, 0.28],
  rock: [0.18, 0.21, 0.25, 0.28, 0.25],
  roof: [0.16, 0.17, 0.22, 0.26, 0.24],
  water: [0.06, 0.04, 0.02, 0.01, 0.008],
  char: [0.05, 0.06, 0.09, 0.15, 0.17],
  snow: [0.88, 0.86, 0.74, 0.09, 0.07],
  cloud: [0.55, 0.56, 0.6, 0.45, 0.35],
} as const satisfies Readonly<Record<string, Reflectance>>;

const { leaves: LEAVES, needles: NEEDLES, straw: STRAW, soil: SOIL } = materials();
const { rock: ROCK, roof: ROOF, water: WATER, char: CHAR } = materials();

/** Returns the materials with a common type, so that `mix` accepts any of them. */
function materials(): Readonly<Record<keyof typeof MATERIALS, Reflectance>> {
  return MATERIALS;
}

const REGROWTH_DAYS = 900; // e-folding time of regrowth on burnt or cleared ground (our choice)

/** State of the season on one day, common to all pixels. */
export interface Season {
  readonly day: number;
  readonly year: number;
  readonly dayOfYear: number;
  /** Dryness of the grass, from 0 (fresh) to 1 (straw), according to the rain of the last 60 days. */
  readonly dryness: number;
  /** Number of days by which spring is late this year; negative if early. */
  readonly lateDays: number;
}

/** Computes the state of the season. @param weather daily weather from day 0 to at least `day` */
export function seasonOn(seed: number, weather: readonly Weather[], day: number): Season {
  let rain = 0;
  for (let back = 0; back < 60; back++) rain += weather[day - back]?.rainMm ?? 2;
  const { year, dayOfYear } = calendar(day);
  return {
    day,
    year,
    dayOfYear,
    dryness: Math.min(1, Math.max(0, (60 - rain) / 60)),
    lateDays: 7 * normal(seed, 41, year),
  };
}

/** Value of a smooth step from 0 to 1 on the given day. The step is 0.5 on the day `around`. */
function rise(day: number, around: number, width: number): number {
  return 1 / (1 + exponential(-(day - around) / width));
}

/** Greenness of a land cover in a field, from 0 to 1, according to season, field work and drought. */
function greenness(seed: number, cover: number, field: number, season: Season): number {
  const { dayOfYear: today, year, dryness, lateDays } = season;
  if (cover === COVER.forest) return 0.25 + 0.75 * rise(today, 118 + lateDays, 8) * (1 - rise(today, 298, 9));
  if (cover === COVER.crops) {
    const sown = 95 + 40 * uniform(seed, 42, field) + lateDays;
    const cut = sown + 95 + 20 * uniform(seed, 43, field, season.year);
    return 0.05 + 0.85 * rise(today, sown + 30, 7) * (1 - rise(today, cut, 2.5)) * (1 - 0.4 * dryness);
  }
  const grown = 0.3 + 0.6 * rise(today, 92 + lateDays, 10) * (1 - 0.5 * rise(today, 285, 15));
  let mown = 0;
  if (uniform(seed, 44, field) < 0.5) {
    for (const base of [150, 205]) {
      const since = today - (base + 18 * uniform(seed, 45, field, year + base));
      if (since >= 0 && since < 60) mown = Math.max(mown, 0.75 * exponential(-since / 18));
    }
  }
  return grown * (1 - 0.55 * dryness) * (1 - mown);
}

/** An event at one pixel, and the first day on which it affects the pixel. */
interface Touch {
  readonly event: PlantedEvent;
  readonly since: number;
}

/** Computes the reflectance of each pixel of the ground on a day, without snow and cloud. */
export class Surface {
  readonly #world: World;
  /** Events by pixel, in the order of the world's events, and a flag for pixels with events. */
  readonly #touched = new Map<number, Touch[]>();
  readonly #isTouched: Uint8Array;
  /** Random factor that multiplies the greenness of each pixel, in [0.9, 1.1). */
  readonly #own: Float32Array;
  /** Share of conifers in each forest pixel. */
  readonly #needles: Float32Array;
  /**
   * Kinds of pixels: all pixels with the same cover and field are of one kind, because cover and field determine the
   * greenness. `#kindOf` has the index of the kind of each pixel.
   */
  readonly #kinds: readonly (readonly [cover: number, field: number])[];
  readonly #kindOf: Int32Array;
  /** Greenness of each kind on the day `#greenDay`. */
  readonly #green: Float64Array;
  #greenDay = Number.NaN;

  constructor(world: World) {
    this.#world = world;
    const { seed, land } = world;
    this.#own = Float32Array.from(land.cover, (_, pixel) => 0.9 + 0.2 * uniform(seed, 46, pixel));
    const stands = noiseField(seed + 3, SANDBOX_GRID.width, SANDBOX_GRID.height, 25, 2);
    this.#needles = stands.map((noise) => 0.5 + 0.35 * noise);
    this.#isTouched = new Uint8Array(land.cover.length);
    for (const event of world.events) {
      if (event.kind === 'subsidence') continue;
      event.pixels.forEach((pixel, i) => {
        const touch = { event, since: event.since[i]! };
        const there = this.#touched.get(pixel);
        if (there === undefined) this.#touched.set(pixel, [touch]);
        else there.push(touch);
        this.#isTouched[pixel] = 1;
      });
    }
    const kinds: [number, number][] = [
      [COVER.grass, 0],
      [COVER.grass, 1],
      [COVER.forest, 0],
    ]; // in the order TOWN_GREEN, REGROWN, FOREST
    const known = new Map<number, number>();
    this.#kindOf = Int32Array.from(land.cover, (cover, pixel) => {
      if (cover === COVER.built) return TOWN_GREEN;
      if (cover === COVER.forest) return FOREST;
      const field = land.field[pixel]!;
      const key = field * 256 + cover;
      let kind = known.get(key);
      if (kind === undefined) known.set(key, (kind = kinds.push([cover, field]) - 1));
      return kind;
    });
    this.#kinds = kinds;
    this.#green = new Float64Array(kinds.length);
  }

  /** Writes the reflectance of one pixel to `out`, with the bands in the order of `Reflectance`. */
  reflectance(pixel: number, season: Season, out: Float64Array): void {
    if (this.#greenDay !== season.day) this.#turnTo(season);
    const touch = this.#isTouched[pixel] === 1 ? this.#touchOn(pixel, season.day) : undefined;
    if (touch === undefined) this.#cover(pixel, season, out);
    else this.#touch(touch, season, out);
  }

  #turnTo(season: Season): void {
    this.#greenDay = season.day;
    for (const [kind, [cover, field]] of this.#kinds.entries()) {
      const isGreen = cover !== COVER.water && cover !== COVER.bare;
      this.#green[kind] = isGreen ? greenness(this.#world.seed, cover, field, season) : 0;
    }
  }

  /** The last listed event that affects a pixel on a day; undefined if there is none. */
  #touchOn(pixel: number, day: number): Touch | undefined {
    return this.#touched
      .get(pixel)!
      .findLast(({ event: { until }, since }) => day >= since && (until === null || day < until));
  }

  #cover(pixel: number, { dryness }: Season, out: Float64Array): void {
    const cover = this.#world.land.cover[pixel]!;
    const own = this.#own[pixel]!;
    const kindGreen = this.#green[this.#kindOf[pixel]!]!;
    if (cover === COVER.water) mix(out, 1, WATER);
    else if (cover === COVER.bare) {
      const green = 0.08 * own * (1 - dryness);
      mix(out, green, LEAVES, 1 - green, ROCK);
    } else if (cover === COVER.built) {
      const green = 0.25 * own * kindGreen;
      mix(out, green, LEAVES, 1 - green, ROOF);
    } else if (cover === COVER.forest) {
      const conifers = this.#needles[pixel]!;
      const needles = 0.85 * conifers * own;
      const leaves = Math.min(1 - needles, 0.95 * (1 - conifers) * kindGreen * own);
      mix(out, leaves, LEAVES, needles, NEEDLES, Math.max(0, 1 - leaves - needles), SOIL);
    } else {
      const green = Math.min(1, kindGreen * own);
      const straw = (1 - green) * (cover === COVER.grass ? 0.7 : 0.35);
      mix(out, green, LEAVES, straw, STRAW, 1 - green - straw, SOIL);
    }
  }

  #touch({ event: { kind }, since }: Touch, { day }: Season, out: Float64Array): void {
    const age = day - since;
    const regrown = 0.6 * (1 - exponential(-age / REGROWTH_DAYS));
    const grass = regrown * this.#green[REGROWN]!;
    if (kind === 'clearing') mix(out, grass, LEAVES, 0.25 * (1 - grass), STRAW, 0.75 * (1 - grass), SOIL);
    else if (kind === 'fire') {
      const char = (1 - grass) * exponential(-age / 400);
      mix(out, grass, LEAVES, 1 - grass - char, SOIL, char, CHAR);
    } else if (kind === 'construction') {
      // The vegetation is removed on the first day, and buildings cover most of the soil within a year.
      const built = Math.min(0.85, age / 300);
      mix(out, 1 - built, SOIL, built, ROOF);
    } else if (kind === 'planting') {
      const grown = Math.min(0.8, age / 1000);
      const leaves = (1 - grown) * 0.5 * this.#green[REGROWN]!;
      mix(out, leaves, LEAVES, grown, NEEDLES, 1 - leaves - grown, SOIL);
    } else mix(out, 1, WATER); // reservoir or flood
  }
}

/** Writes the reflectance of a mixture of up to three materials to `out`. Their shares must add up to 1. */
function mix(
  out: Float64Array,
  a: number,
  first: Reflectance,
  b = 0,
  second = first,
  c = 0,
  third = first,
): void {
  out[0] = a * first[0] + b * second[0] + c * third[0];
  out[1] = a * first[1] + b * second[1] + c * third[1];
  out[2] = a * first[2] + b * second[2] + c * third[2];
  out[3] = a * first[3] + b * second[3] + c * third[3];
  out[4] = a * first[4] + b * second[4] + c * third[4];
}

/** Indices of the kinds that are not fields: gardens of the town, regrowth after events, forest. */
const [TOWN_GREEN, REGROWN, FOREST] = [0, 1, 2];
