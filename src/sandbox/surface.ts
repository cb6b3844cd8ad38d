import { COVER } from './land-cover.ts';
import type { PlantedEvent } from './events.ts';
import { exponential } from './portable-math.ts';
import { noiseField, normal, uniform } from './random.ts';
import { SANDBOX_GRID } from './terrain.ts';
import { calendar, type Weather } from './weather.ts';
import type { World } from './world.ts';

/** Reflectance of the bands that the indices need: green, red, near infrared, short-wave infrared 1.6 and 2.2 um. */
export type Reflectance = readonly [green: number, red: number, nir: number, swir1: number, swir2: number];

/** Typical surface reflectances, rounded from the ECOSTRESS spectral library (Meerdink et al. 2019, doi:10.1016/j.rse.2019.05.015). */
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

/** What covers a pixel besides snow and cloud: shares of materials that add up to 1, in the order of MIX. */
export const MIX = ['leaves', 'needles', 'straw', 'soil', 'rock', 'roof', 'water', 'char'] as const;

/** Reflectances of MIX, five bands each. */
const BANDS_OF_MIX = Float64Array.from(MIX.flatMap((name) => MATERIALS[name]));

const REGROWTH_DAYS = 900; // e-folding time in which burnt or cleared ground greens again (ours)

/** What one day does to all pixels alike. */
export interface Season {
  readonly day: number;
  readonly year: number;
  readonly dayOfYear: number;
  /** Dryness of the grass, 0 (fresh) to 1 (straw), after the last 60 days' rain. */
  readonly dryness: number;
  /** How many days the spring comes late this year. */
  readonly lateDays: number;
}

/** @param weather from day 0 to this one at least */
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

/** A smooth step from 0 to 1 around a day. */
function rise(day: number, around: number, width: number): number {
  return 1 / (1 + exponential(-(day - around) / width));
}

/** Greenness of one pixel, 0 to 1, as season, field work and drought leave it. */
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

/** Something that was done to a pixel. */
interface Touch {
  readonly event: PlantedEvent;
  readonly since: number;
}

/** What each pixel of the land is made of on one day, without snow and cloud. */
export class Surface {
  readonly #world: World;
  /** Events by pixel, oldest first; undefined for most. */
  readonly #touched: (readonly Touch[] | undefined)[];
  /** How strongly a pixel greens: no two are alike. */
  readonly #own: Float32Array;
  /** Share of conifers in a wood. */
  readonly #needles: Float32Array;
  /** What greens alike, all pixels of a field: cover and field of each kind, and the kind of each pixel. */
  readonly #kinds: readonly (readonly [cover: number, field: number])[];
  readonly #kindOf: Int32Array;
  /** Greenness of each kind on the day asked for last. */
  readonly #green: Float64Array;
  #greenDay = Number.NaN;
  readonly #mix = new Float64Array(MIX.length);

  constructor(world: World) {
    this.#world = world;
    const { seed, land } = world;
    this.#own = Float32Array.from(land.cover, (_, pixel) => 0.9 + 0.2 * uniform(seed, 46, pixel));
    const stands = noiseField(seed + 3, SANDBOX_GRID.width, SANDBOX_GRID.height, 25, 2);
    this.#needles = stands.map((noise) => 0.5 + 0.35 * noise);
    const touched: (Touch[] | undefined)[] = Array.from(land.cover, () => undefined);
    for (const event of world.events) {
      if (event.kind === 'subsidence') continue;
      event.pixels.forEach((pixel, i) => (touched[pixel] ??= []).push({ event, since: event.since[i]! }));
    }
    this.#touched = touched;
    const kinds: [number, number][] = [
      [COVER.grass, 0],
      [COVER.grass, 1],
      [COVER.forest, 0],
    ]; // TOWN_GREEN, REGROWN, FOREST
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

  /** Writes the reflectance of one pixel, bands in the order of Reflectance, into `out`. */
  reflectance(pixel: number, season: Season, out: Float64Array): void {
    const shares = this.#shares(pixel, season);
    let [green, red, nir, swir1, swir2] = [0, 0, 0, 0, 0];
    for (let m = 0; m < shares.length; m++) {
      const share = shares[m]!;
      if (share === 0) continue;
      const at = 5 * m;
      green += share * BANDS_OF_MIX[at]!;
      red += share * BANDS_OF_MIX[at + 1]!;
      nir += share * BANDS_OF_MIX[at + 2]!;
      swir1 += share * BANDS_OF_MIX[at + 3]!;
      swir2 += share * BANDS_OF_MIX[at + 4]!;
    }
    out[0] = green;
    out[1] = red;
    out[2] = nir;
    out[3] = swir1;
    out[4] = swir2;
  }

  #turnTo(season: Season): void {
    if (this.#greenDay === season.day) return;
    this.#greenDay = season.day;
    for (const [kind, [cover, field]] of this.#kinds.entries()) {
      const isGreen = cover !== COVER.water && cover !== COVER.bare;
      this.#green[kind] = isGreen ? greenness(this.#world.seed, cover, field, season) : 0;
    }
  }

  #shares(pixel: number, season: Season): Float64Array {
    this.#turnTo(season);
    const mix = this.#mix;
    mix.fill(0);
    const cover = this.#world.land.cover[pixel]!;
    const own = this.#own[pixel]!;
    const kindGreen = this.#green[this.#kindOf[pixel]!]!;
    if (cover === COVER.water) mix[6] = 1;
    else if (cover === COVER.bare) this.#fill(mix, 0.08 * own * (1 - season.dryness), 4);
    else if (cover === COVER.built) this.#fill(mix, 0.25 * own * kindGreen, 5);
    else if (cover === COVER.forest) {
      const needles = this.#needles[pixel]!;
      mix[1] = 0.85 * needles * own;
      mix[0] = Math.min(1 - mix[1], 0.95 * (1 - needles) * kindGreen * own);
      mix[3] = Math.max(0, 1 - mix[0] - mix[1]);
    } else {
      const green = Math.min(1, kindGreen * own);
      mix[0] = green;
      mix[2] = (1 - green) * (cover === COVER.grass ? 0.7 : 0.35);
      mix[3] = 1 - mix[0] - mix[2];
    }
    const touches = this.#touched[pixel];
    if (touches !== undefined) {
      for (const { event, since } of touches) {
        if (season.day < since || (event.until !== null && season.day >= event.until)) continue;
        this.#apply(mix, event.kind, season, since);
      }
    }
    return mix;
  }

  /** Green by a share, else one material. */
  #fill(mix: Float64Array, green: number, other: number): void {
    mix[0] = green;
    mix[other] = 1 - green;
  }

  #apply(mix: Float64Array, kind: PlantedEvent['kind'], season: Season, since: number): void {
    const age = season.day - since;
    const regrown = 0.6 * (1 - exponential(-age / REGROWTH_DAYS));
    const grass = regrown * this.#green[REGROWN]!;
    mix.fill(0);
    if (kind === 'clearing') {
      mix[0] = grass;
      mix[2] = 0.25 * (1 - grass);
      mix[3] = 0.75 * (1 - grass);
    } else if (kind === 'fire') {
      const char = (1 - grass) * exponential(-age / 400);
      mix[0] = grass;
      mix[7] = char;
      mix[3] = 1 - grass - char;
    } else if (kind === 'construction') {
      // Stripped first, roofed within the year.
      const built = Math.min(0.85, age / 300);
      mix[5] = built;
      mix[3] = 1 - built;
    } else if (kind === 'planting') {
      const grown = Math.min(0.8, age / 1000);
      mix[1] = grown;
      mix[0] = (1 - grown) * 0.5 * this.#green[REGROWN]!;
      mix[3] = 1 - mix[0] - mix[1];
    } else mix[6] = 1; // reservoir, flood
  }
}

/** Positions of the kinds that are no field: gardens of a town, what grows back, woods. */
const [TOWN_GREEN, REGROWN, FOREST] = [0, 1, 2];
