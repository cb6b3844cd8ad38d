import { COVER } from './land-cover.ts';
import type { PlantedEvent } from './events.ts';
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
  return 1 / (1 + Math.exp(-(day - around) / width));
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
      if (since >= 0 && since < 60) mown = Math.max(mown, 0.75 * Math.exp(-since / 18));
    }
  }
  return grown * (1 - 0.55 * dryness) * (1 - mown);
}

/** What each pixel of the land is made of on one day, without snow and cloud. */
export class Surface {
  readonly #world: World;
  /** Events by pixel, oldest first. */
  readonly #touched = new Map<number, { readonly event: PlantedEvent; readonly since: number }[]>();
  /** Greenness on the day asked for last, by cover and field: all pixels of a field are alike. */
  readonly #green = new Map<number, number>();
  #greenDay = Number.NaN;

  /** How strongly a pixel greens: no two are alike. */
  readonly #own: Float32Array;
  /** Share of conifers in a wood. */
  readonly #needles: Float32Array;

  constructor(world: World) {
    this.#world = world;
    const { seed, land } = world;
    this.#own = Float32Array.from(land.cover, (_, pixel) => 0.9 + 0.2 * uniform(seed, 46, pixel));
    const stands = noiseField(seed + 3, SANDBOX_GRID.width, SANDBOX_GRID.height, 25, 2);
    this.#needles = stands.map((noise) => 0.5 + 0.35 * noise);
    for (const event of world.events) {
      if (event.kind === 'subsidence') continue;
      event.pixels.forEach((pixel, i) => {
        const list = this.#touched.get(pixel) ?? [];
        list.push({ event, since: event.since[i]! });
        this.#touched.set(pixel, list);
      });
    }
  }

  /** Writes the reflectance of one pixel, bands in the order of Reflectance, into `out`. */
  reflectance(pixel: number, season: Season, out: Float64Array): void {
    out.fill(0);
    const shares = this.#shares(pixel, season);
    for (let m = 0; m < shares.length; m++) {
      const share = shares[m]!;
      if (share === 0) continue;
      for (let band = 0; band < 5; band++) out[band]! += share * BANDS_OF_MIX[5 * m + band]!;
    }
  }

  readonly #mix = new Float64Array(MIX.length);

  #greenness(cover: number, field: number, season: Season): number {
    if (this.#greenDay !== season.day) {
      this.#green.clear();
      this.#greenDay = season.day;
    }
    const key = cover === COVER.forest ? COVER.forest : field * 256 + cover;
    let green = this.#green.get(key);
    if (green === undefined) {
      green = greenness(this.#world.seed, cover, field, season);
      this.#green.set(key, green);
    }
    return green;
  }

  #shares(pixel: number, season: Season): Float64Array {
    const mix = this.#mix.fill(0);
    const cover = this.#world.land.cover[pixel]!;
    const field = this.#world.land.field[pixel]!;
    const own = this.#own[pixel]!;
    if (cover === COVER.water) mix[6] = 1;
    else if (cover === COVER.bare) this.#fill(mix, 0.08 * own * (1 - season.dryness), 4);
    else if (cover === COVER.built) this.#fill(mix, 0.25 * own * this.#greenness(COVER.grass, 0, season), 5);
    else if (cover === COVER.forest) {
      const green = this.#greenness(cover, field, season);
      const needles = this.#needles[pixel]!;
      mix[1] = 0.85 * needles * own;
      mix[0] = Math.min(1 - mix[1], 0.95 * (1 - needles) * green * own);
      mix[3] = Math.max(0, 1 - mix[0] - mix[1]);
    } else {
      const green = Math.min(1, this.#greenness(cover, field, season) * own);
      mix[0] = green;
      mix[2] = (1 - green) * (cover === COVER.grass ? 0.7 : 0.35);
      mix[3] = 1 - mix[0] - mix[2];
    }
    for (const { event, since } of this.#touched.get(pixel) ?? []) {
      if (season.day < since || (event.until !== null && season.day >= event.until)) continue;
      this.#apply(mix, event.kind, season, since);
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
    const regrown = 0.6 * (1 - Math.exp(-age / REGROWTH_DAYS));
    const grass = regrown * this.#greenness(COVER.grass, 1, season);
    mix.fill(0);
    if (kind === 'clearing') {
      mix[0] = grass;
      mix[2] = 0.25 * (1 - grass);
      mix[3] = 0.75 * (1 - grass);
    } else if (kind === 'fire') {
      const char = (1 - grass) * Math.exp(-age / 400);
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
      mix[0] = (1 - grown) * 0.5 * this.#greenness(COVER.grass, 1, season);
      mix[3] = 1 - mix[0] - mix[1];
    } else mix[6] = 1; // reservoir, flood
  }
}
