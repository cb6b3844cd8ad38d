import {
  BYTE_SUMS,
  byteSum,
  byteSumNormal,
  fractalField,
  hash,
  hashOn,
  normal,
  seedState,
  uniform,
} from './random.ts';
import { opticalTimeMs, passes } from './passes.ts';
import { MATERIALS, type Reflectance, type Season, seasonOn, Surface } from './surface.ts';
import { SANDBOX_GRID } from './terrain.ts';
import { FIRST_DAY_MS, snowPack, SNOW_COVER_MM } from './weather.ts';
import { DAY_MS } from '../base/time.ts';
import type { World } from './world.ts';

const HEIGHT_STEP_M = 25; // height range of one slice; snow is computed per slice
const NOISE = 0.025; // relative standard deviation of a pixel's reflectance: calibration and atmosphere
/**
 * Haze that atmospheric correction leaves in a scene: the absolute value of a normal draw with this standard
 * deviation [reflectance].
 */
const HAZE = 0.006;
/** Haze by band, relative to green: haze scatters short waves more than long waves. */
const HAZE_BY_BAND = [1, 0.7, 0.3, 0.1, 0.05] as const;
const MISSED = 0.15; // share of thinly clouded pixels that the mask misses
/** Offset from a shadow to its cloud: 179 m in the direction of the sun, which is in the south-east. */
const SHADOW_PIXELS = { cols: 4, rows: 8 } as const;

/**
 * Cloud cover of the region at or above which a pass is not delivered, like a limit on `eo:cloud_cover` in requests to
 * data providers.
 */
const CLOUD_LIMIT = 0.3;
const DELIVERY_GAP_DAYS = 15; // minimum time between two delivered passes: every third pass

/** Scene of one pass of the satellite over the region; arrays are row-major. */
export interface Acquisition {
  /** Name of the scene, such as `SIM_2022-01-03`. */
  readonly key: string;
  readonly timeMs: number;
  /** Reflectance by band: green, red, near infrared, short-wave infrared 1 and 2. */
  readonly bands: readonly Float32Array[];
  /** Sentinel-2 scene classes (SCL): 3 shadow, 5 ground, 6 water, 9 cloud, 11 snow. */
  readonly sceneClass: Uint8Array;
}

const BAND_FACTORS = [0x9e3779b1, 0x85ebca77, 0xc2b2ae3d, 0x27d4eb2f, 0x165667b1] as const; // odd: primes of xxHash
const CLOUD_STEP = 4; // pixels between the points where clouds are computed; values in between are interpolated
const HALO = 3; // points beyond the region, for clouds that cast a shadow into it
const CLOUD_SIZE = 70; // pixels across the largest feature of a cloud
const CLOUD_OCTAVES = 3; // number of feature sizes in a cloud, each half of the one before
const CLOUDS_ACROSS = Math.ceil(SANDBOX_GRID.width / CLOUD_STEP) + 1 + HALO;
const CLOUDS_DOWN = Math.ceil(SANDBOX_GRID.height / CLOUD_STEP) + 1 + HALO;
/** Width and height of the sky [pixels]: the region, and a margin for clouds that cast a shadow into the region. */
const SKY_WIDTH = SANDBOX_GRID.width + SHADOW_PIXELS.cols;
const SKY_HEIGHT = SANDBOX_GRID.height + SHADOW_PIXELS.rows;
const TO_CLOUD = SHADOW_PIXELS.rows * SKY_WIDTH + SHADOW_PIXELS.cols; // index offset from pixel to shading cloud

type FiveBands = readonly [Float32Array, Float32Array, Float32Array, Float32Array, Float32Array];

/** A scene in preparation, and the values shared by all of its pixels. */
interface Exposure extends Pick<Acquisition, 'bands' | 'sceneClass'> {
  readonly season: Season;
  readonly noiseSeed: number;
  /** Result of `seedState` for `noiseSeed`. */
  readonly noiseState: number;
  /** Reflectance that haze adds to each band. */
  readonly airlight: readonly number[];
  /** Share of the ground that is covered by snow, by height slice; null if there is no snow. */
  readonly snowShares: readonly number[] | null;
  /** Cloud thickness above each pixel; see `thicknessOf`. */
  readonly cloud: Float64Array;
}

/** Creates the scenes of a world. */
export class Satellite {
  readonly #world: World;
  readonly #surface: Surface;
  /** Snow on the ground by height slice, then by day [mm of water]. */
  readonly #snow: readonly Float32Array[];
  /** Days of the delivered passes; complete for all days before `#lookedUntil`. */
  readonly #delivered: number[] = [];
  #lookedUntil = 0;
  /** Work array: reflectance of the current pixel by band. */
  readonly #mixed = new Float64Array(5);

  constructor(world: World) {
    this.#world = world;
    this.#surface = new Surface(world);
    const highest = world.ground.elevationM.reduce((most, height) => Math.max(most, height), 0);
    this.#snow = Array.from({ length: Math.floor(highest / HEIGHT_STEP_M) + 1 }, (_, slice) =>
      snowPack(world.weather, (slice + 0.5) * HEIGHT_STEP_M),
    );
  }

  /**
   * Days in `[from, to)` with a delivered pass. A pass is delivered if its cloud cover is below `CLOUD_LIMIT` and the
   * previous delivered pass is at least `DELIVERY_GAP_DAYS` earlier.
   */
  deliveredPasses(from: number, to: number): number[] {
    for (const day of passes(this.#lookedUntil, to)) {
      const isDue = day - (this.#delivered.at(-1) ?? -Infinity) >= DELIVERY_GAP_DAYS;
      if (isDue && this.#cloudShare(day) < CLOUD_LIMIT) this.#delivered.push(day);
    }
    this.#lookedUntil = Math.max(this.#lookedUntil, to);
    return this.#delivered.filter((day) => day >= from && day < to);
  }

  /** Creates the scene of a day. @throws RangeError if the world has no weather on that day */
  take(day: number): Acquisition {
    const { seed, weather } = this.#world;
    if (!(day >= 0 && day < weather.length)) {
      throw new RangeError(`expected a day from 0 to ${weather.length - 1}, got ${day}`);
    }
    const pixels = SANDBOX_GRID.width * SANDBOX_GRID.height;
    const haze = HAZE * Math.abs(normal(seed, 51, day));
    const noiseSeed = hash(seed, 52, day);
    const snowShares = this.#snow.map((byDay) => Math.min(0.9, byDay[day]! / (3 * SNOW_COVER_MM)));
    const exposure: Exposure = {
      season: seasonOn(seed, weather, day),
      noiseSeed,
      noiseState: seedState(noiseSeed),
      airlight: HAZE_BY_BAND.map((share) => haze * share),
      snowShares: snowShares.some((share) => share > 0) ? snowShares : null,
      cloud: thicknessOf(this.#clouds(day)),
      bands: HAZE_BY_BAND.map(() => new Float32Array(pixels)),
      sceneClass: new Uint8Array(pixels),
    };
    // Row by row, because V8 optimises a function that is called often better than one long loop.
    for (let row = 0; row < SANDBOX_GRID.height; row++) this.#expose(row, exposure);
    const { bands, sceneClass } = exposure;
    return {
      key: `SIM_${new Date(FIRST_DAY_MS + day * DAY_MS).toISOString().slice(0, 10)}`,
      timeMs: opticalTimeMs(day),
      bands,
      sceneClass,
    };
  }

  #expose(row: number, exposure: Exposure): void {
    const { elevationM, isWater } = this.#world.ground;
    const { season, noiseSeed, noiseState, airlight, snowShares, cloud, bands, sceneClass } = exposure;
    const [green, red, nir, swir1, swir2] = bands as FiveBands;
    const mixed = this.#mixed;
    const { width } = SANDBOX_GRID;
    for (let col = 0; col < width; col++) {
      const i = row * width + col;
      this.#surface.reflectance(i, season, mixed);
      const snowShare =
        snowShares !== null && isWater[i] === 0 ? snowShares[Math.floor(elevationM[i]! / HEIGHT_STEP_M)]! : 0;
      if (snowShare > 0) blend(mixed, MATERIALS.snow, snowShare);
      const above = row * SKY_WIDTH + col;
      const thickness = cloud[above]!;
      if (thickness > 0) blend(mixed, MATERIALS.cloud, Math.min(1, thickness));
      const isShaded = thickness <= 0 && cloud[above + TO_CLOUD]! > 0.3;
      const bits = hashOn(noiseState, i);
      const light = isShaded ? 0.35 : 1;
      green[i] = seen(mixed[0]!, bits, BAND_FACTORS[0], light, airlight[0]!);
      red[i] = seen(mixed[1]!, bits, BAND_FACTORS[1], light, airlight[1]!);
      nir[i] = seen(mixed[2]!, bits, BAND_FACTORS[2], light, airlight[2]!);
      swir1[i] = seen(mixed[3]!, bits, BAND_FACTORS[3], light, airlight[3]!);
      swir2[i] = seen(mixed[4]!, bits, BAND_FACTORS[4], light, airlight[4]!);
      // Like real masks, the mask misses some pixels with thin cloud.
      const isSeen = thickness > 0.5 || (thickness > 0 && uniform(noiseSeed, i, 6) > MISSED);
      sceneClass[i] = isSeen ? 9 : isShaded ? 3 : snowShare > 0.4 ? 11 : isOpenWater(mixed) ? 6 : 5;
    }
  }

  /** Cloud cover of the region [1], from the points where clouds are computed. */
  #cloudShare(day: number): number {
    const field = this.#clouds(day);
    let [under, all] = [0, 0];
    for (let row = 0; row < SANDBOX_GRID.height / CLOUD_STEP; row++) {
      for (let col = 0; col < SANDBOX_GRID.width / CLOUD_STEP; col++) {
        all++;
        if (field[row * CLOUDS_ACROSS + col]! > 0) under++;
      }
    }
    return under / all;
  }

  /** Cloud thickness at the points where it is computed: 0 or less means no cloud, 1 or more means opaque. */
  #clouds(day: number): Float32Array {
    const { seed, weather } = this.#world;
    // Humid days, which have low pressure, have more cloud than dry days.
    const limit = 0.8 - 0.02 * (weather[day]!.humidity - 40) + 0.25 * normal(seed, 54, day);
    const noise = fractalField(
      hash(seed, 55, day),
      CLOUDS_ACROSS,
      CLOUDS_DOWN,
      CLOUD_SIZE,
      CLOUD_OCTAVES,
      CLOUD_STEP,
    );
    return new Float32Array(noise.map((value) => (value - limit) * 6));
  }
}

/** Interpolates the cloud thickness above each pixel of the sky (SKY_WIDTH x SKY_HEIGHT); 0 or less means no cloud. */
function thicknessOf(field: Float32Array): Float64Array {
  const thickness = new Float64Array(SKY_WIDTH * SKY_HEIGHT);
  for (let row = 0; row < SKY_HEIGHT; row++) {
    const fy = (row % CLOUD_STEP) / CLOUD_STEP;
    for (let cell = 0; cell < SKY_WIDTH / CLOUD_STEP; cell++) {
      const at = Math.floor(row / CLOUD_STEP) * CLOUDS_ACROSS + cell;
      const [northWest, northEast] = [field[at]!, field[at + 1]!];
      const [southWest, southEast] = [field[at + CLOUDS_ACROSS]!, field[at + CLOUDS_ACROSS + 1]!];
      if (northWest <= 0 && northEast <= 0 && southWest <= 0 && southEast <= 0) continue;
      for (let step = 0; step < CLOUD_STEP; step++) {
        const fx = step / CLOUD_STEP;
        const upper = northWest + (northEast - northWest) * fx;
        const lower = southWest + (southEast - southWest) * fx;
        thickness[row * SKY_WIDTH + cell * CLOUD_STEP + step] = upper + (lower - upper) * fy;
      }
    }
  }
  return thickness;
}

/** Noise factor on a reflectance, by the sum of the four random bytes that determine it. */
const NOISE_FACTORS = Float64Array.from({ length: BYTE_SUMS }, (_, sum) => 1 + NOISE * byteSumNormal(sum));

/** Observed reflectance of one pixel in one band, including noise and haze. */
function seen(value: number, bits: number, factor: number, light: number, air: number): number {
  return Math.max(0.001, value * NOISE_FACTORS[byteSum(Math.imul(bits, factor))]! * light + air);
}

function blend(mixed: Float64Array, over: Reflectance, share: number): void {
  for (let band = 0; band < 5; band++) mixed[band] = mixed[band]! * (1 - share) + over[band]! * share;
}

/** Whether green is more than twice as bright as short-wave infrared 1 and near infrared is dark: open water. */
function isOpenWater(mixed: Float64Array): boolean {
  return mixed[0]! > 2 * mixed[3]! && mixed[2]! < 0.1;
}
