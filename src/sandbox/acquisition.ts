import { bitsToNormal, fractalNoise, hash, normal, uniform } from './random.ts';
import { opticalTimeMs, passes } from './passes.ts';
import { MATERIALS, seasonOn, Surface } from './surface.ts';
import { SANDBOX_GRID } from './terrain.ts';
import { DAY_MS, FIRST_DAY_MS, snowPack, SNOW_COVER_MM } from './weather.ts';
import type { World } from './world.ts';

const HEIGHT_STEP_M = 25; // snow is worked out for slices of this height
const NOISE = 0.025; // of the reflectance, one sigma: calibration and atmosphere of one pixel
const HAZE = 0.006; // of a scene, one sigma: what correction leaves of the air, in reflectance
const HAZE_BY_BAND = [1, 0.7, 0.3, 0.1, 0.05] as const; // it scatters short waves more
const MISSED = 0.15; // share of thinly clouded pixels that the mask takes for clear
const SHADOW_PIXELS = { cols: 4, rows: 8 } as const; // from a shadow to its cloud: 150 m off, the sun in the south-east

/** Share of the region under cloud from which a pass is not delivered, as data providers are asked by `eo:cloud_cover`. */
const CLOUD_LIMIT = 0.3;
const DELIVERY_GAP_DAYS = 15; // between two passes that are delivered, at least: each third one

/** One pass of the satellite over the region; row-major. */
export interface Acquisition {
  /** Name of the scene: `SIM_2022-01-03`. */
  readonly key: string;
  readonly timeMs: number;
  /** Reflectance by band: green, red, near infrared, short-wave infrared 1 and 2. */
  readonly bands: readonly Float32Array[];
  /** Sentinel-2 scene classes (SCL): 3 shadow, 5 ground, 6 water, 9 cloud, 11 snow. */
  readonly sceneClass: Uint8Array;
}

const BAND_FACTORS = [0x9e3779b1, 0x85ebca77, 0xc2b2ae3d, 0x27d4eb2f, 0x165667b1] as const; // odd: primes of xxHash
const CLOUD_STEP = 4; // pixels between the places where clouds are worked out; between them they are interpolated
const HALO = 3; // steps beyond the region, for what throws a shadow into it

/** Takes the pictures of a world. */
export class Satellite {
  readonly #world: World;
  readonly #surface: Surface;
  /** Snow on the ground by slice of height, then day. */
  readonly #snow: readonly Float32Array[];
  /** Days of the passes delivered so far, all those before a day. */
  readonly #delivered: number[] = [];
  #lookedUntil = 0;

  constructor(world: World) {
    this.#world = world;
    this.#surface = new Surface(world);
    const highest = world.ground.elevationM.reduce((most, height) => Math.max(most, height), 0);
    this.#snow = Array.from({ length: Math.floor(highest / HEIGHT_STEP_M) + 1 }, (_, slice) =>
      snowPack(world.weather, (slice + 0.5) * HEIGHT_STEP_M),
    );
  }

  /** Days in `[from, to)` with a pass that is delivered: enough of it is free of cloud, and the last one is not too near. */
  deliveredPasses(from: number, to: number): number[] {
    for (const day of passes(this.#lookedUntil, to)) {
      const isDue = day - (this.#delivered.at(-1) ?? -Infinity) >= DELIVERY_GAP_DAYS;
      if (isDue && this.#cloudShare(day) < CLOUD_LIMIT) this.#delivered.push(day);
    }
    this.#lookedUntil = Math.max(this.#lookedUntil, to);
    return this.#delivered.filter((day) => day >= from && day < to);
  }

  /** @throws RangeError for a day that the world does not reach to */
  take(day: number): Acquisition {
    const { seed, ground, weather } = this.#world;
    if (!(day >= 0 && day < weather.length)) {
      throw new RangeError(`expected a day from 0 to ${weather.length - 1}, got ${day}`);
    }
    const { width, height } = SANDBOX_GRID;
    const pixels = width * height;
    const season = seasonOn(seed, weather, day);
    const bands = [0, 1, 2, 3, 4].map(() => new Float32Array(pixels));
    const sceneClass = new Uint8Array(pixels);
    const haze = HAZE * Math.abs(normal(seed, 51, day));
    const noiseSeed = hash(seed, 52, day);
    const mixed = new Float64Array(5);
    const cloud = this.#clouds(day);
    const snow = this.#snow.map((byDay) => byDay[day]!);
    const [green, red, nir, swir1, swir2] = bands as [
      Float32Array,
      Float32Array,
      Float32Array,
      Float32Array,
      Float32Array,
    ];
    const airlight = HAZE_BY_BAND.map((share) => haze * share);
    for (let row = 0; row < height; row++) {
      for (let col = 0; col < width; col++) {
        const i = row * width + col;
        const heightM = ground.elevationM[i]!;
        this.#surface.reflectance(i, season, mixed);
        const depth = ground.isWater[i] === 1 ? 0 : snow[Math.floor(heightM / HEIGHT_STEP_M)]!;
        const snowShare = Math.min(0.9, depth / (3 * SNOW_COVER_MM));
        if (snowShare > 0) blend(mixed, MATERIALS.snow, snowShare);
        const thickness = cloud(col, row);
        if (thickness > 0) blend(mixed, MATERIALS.cloud, Math.min(1, thickness));
        const isShaded = thickness <= 0 && cloud(col + SHADOW_PIXELS.cols, row + SHADOW_PIXELS.rows) > 0.3;
        const bits = hash(noiseSeed, i);
        const light = isShaded ? 0.35 : 1;
        green[i] = seen(mixed[0]!, bits, BAND_FACTORS[0], light, airlight[0]!);
        red[i] = seen(mixed[1]!, bits, BAND_FACTORS[1], light, airlight[1]!);
        nir[i] = seen(mixed[2]!, bits, BAND_FACTORS[2], light, airlight[2]!);
        swir1[i] = seen(mixed[3]!, bits, BAND_FACTORS[3], light, airlight[3]!);
        swir2[i] = seen(mixed[4]!, bits, BAND_FACTORS[4], light, airlight[4]!);
        // A rim of thin cloud is now and then taken for clear, as real masks do.
        const isSeen = thickness > 0.5 || (thickness > 0 && uniform(noiseSeed, i, 6) > MISSED);
        sceneClass[i] = isSeen ? 9 : isShaded ? 3 : snowShare > 0.4 ? 11 : isOpenWater(mixed) ? 6 : 5;
      }
    }
    return {
      key: `SIM_${new Date(FIRST_DAY_MS + day * DAY_MS).toISOString().slice(0, 10)}`,
      timeMs: opticalTimeMs(day),
      bands,
      sceneClass,
    };
  }

  /** Share of the region under cloud, by the places where clouds are worked out. */
  #cloudShare(day: number): number {
    const cloud = this.#clouds(day);
    const { width, height } = SANDBOX_GRID;
    let [under, all] = [0, 0];
    for (let row = 0; row < height; row += CLOUD_STEP) {
      for (let col = 0; col < width; col += CLOUD_STEP) {
        all++;
        if (cloud(col, row) > 0) under++;
      }
    }
    return under / all;
  }

  /** How thick the cloud is at a pixel: none at 0 or less, opaque from 1. */
  #clouds(day: number): (col: number, row: number) => number {
    const { seed, weather } = this.#world;
    // Low pressure brings more.
    const limit = 0.8 - 0.02 * (weather[day]!.humidity - 40) + 0.25 * normal(seed, 54, day);
    const { width, height } = SANDBOX_GRID;
    const across = Math.ceil(width / CLOUD_STEP) + 1 + HALO;
    const down = Math.ceil(height / CLOUD_STEP) + 1 + HALO;
    const field = new Float32Array(across * down);
    for (let r = 0; r < down; r++) {
      for (let c = 0; c < across; c++) {
        const noise = fractalNoise(hash(seed, 55, day), (c * CLOUD_STEP) / 70, (r * CLOUD_STEP) / 70, 3);
        field[r * across + c] = (noise - limit) * 6;
      }
    }
    return (col, row) => {
      const x = col / CLOUD_STEP;
      const y = row / CLOUD_STEP;
      const at = Math.floor(y) * across + Math.floor(x);
      const fx = x - Math.floor(x);
      const fy = y - Math.floor(y);
      const upper = field[at]! + (field[at + 1]! - field[at]!) * fx;
      const lower = field[at + across]! + (field[at + across + 1]! - field[at + across]!) * fx;
      return upper + (lower - upper) * fy;
    };
  }
}

/** One band of one pixel, with its noise and what the air adds. */
function seen(value: number, bits: number, factor: number, light: number, air: number): number {
  return Math.max(0.001, value * (1 + NOISE * bitsToNormal(Math.imul(bits, factor))) * light + air);
}

function blend(mixed: Float64Array, over: readonly number[], share: number): void {
  for (let band = 0; band < mixed.length; band++)
    mixed[band] = mixed[band]! * (1 - share) + over[band]! * share;
}

/** Green brighter than short-wave infrared: open water. */
function isOpenWater(mixed: Float64Array): boolean {
  return mixed[0]! > 2 * mixed[3]! && mixed[2]! < 0.1;
}
