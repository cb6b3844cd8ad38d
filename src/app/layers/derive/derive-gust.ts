import {
  PERIODS_PER_YEAR,
  regionalGev,
  regionalShape,
  type RegionalShape,
} from '../../../risk/storm/gust-climate.ts';
import { gevReturnLevel } from '../../../numerics/gev.ts';
import { sampleLMoments } from '../../../numerics/l-moments.ts';
import { InvalidInput } from '../../../base/errors.ts';
import type { LayerEnvironment } from '../layer-shelf.ts';
import { type AddedLayer, addMadeLayer, type LayerDeps } from '../manage-layers.ts';
import type { RasterStack, StackReader } from '../../imagery/raster-stack.ts';

/** What gust return levels are to be made from, and how they are to be kept. */
export interface GustRequest {
  /** Yearly maximum gusts [m/s, once scaled], one band a year. */
  readonly path: string;
  readonly version: string;
  readonly date?: string | undefined;
  readonly licence?: string | undefined;
  readonly source?: string | undefined;
  readonly replace?: boolean | undefined;
  readonly environment?: LayerEnvironment | undefined;
}

export interface GustDeps extends LayerDeps {
  readonly stacks: StackReader;
}

/** Return periods [years] that are made as far as the years carry them. */
export const GUST_RETURN_PERIODS = [2, 5, 10, 25, 50, 100, 200, 250] as const;
/** Years that a pixel needs: they carry a 200-year level. */
const ENOUGH_YEARS = 20;
/** Samples held in memory at once: 1 GiB of them. */
const MOST_SAMPLES = 2 ** 28;
/** Pixels that tell the region's shape, spread evenly. */
const SHAPE_PIXELS = 1000;

/**
 * Derives gust return levels from a stack of yearly maxima, pixel by pixel, and installs them: L-moments, the shape
 * drawn towards that of the whole raster. A pixel with fewer than 20 years is nodata.
 * @throws InvalidInput when the stack cannot be used
 */
export async function deriveGust(deps: GustDeps, request: GustRequest): Promise<readonly AddedLayer[]> {
  const stack = await deps.stacks.open(request.path);
  const name = request.path.split(/[\\/]/).at(-1)!;
  const added: AddedLayer[] = [];
  try {
    const { grid, bandCount } = stack;
    if (bandCount < ENOUGH_YEARS) {
      throw new InvalidInput(`${name} has ${bandCount} bands; expected one a year, at least ${ENOUGH_YEARS}`);
    }
    if (grid.width * grid.height * bandCount > MOST_SAMPLES) {
      throw new InvalidInput(`${name} has more than ${MOST_SAMPLES} samples: cut it into pieces`);
    }
    const levels = gustLevels(await readMaxima(stack), bandCount, grid.width * grid.height);
    const shared = {
      layer: 'gust',
      version: request.version,
      date: request.date,
      licence: request.licence,
      source: request.source ?? `GEV of ${bandCount} yearly maxima from ${name}`,
      from: name,
      replace: request.replace,
      environment: request.environment,
    };
    for (const { returnPeriodYears, samples } of levels)
      added.push(await addMadeLayer(deps, { ...shared, returnPeriodYears, raster: { grid, samples } }));
  } finally {
    await stack.close();
  }
  return added;
}

/** Maxima pixel by pixel: `[pixel * bandCount + band]`, NaN for nodata. */
async function readMaxima(stack: RasterStack): Promise<Float32Array> {
  const { bandCount, nodata, scale, offset, grid } = stack;
  const maxima = new Float32Array(grid.width * grid.height * bandCount);
  for (let band = 0; band < bandCount; band++) {
    const raw = await stack.readBand(band);
    for (let pixel = 0; pixel < raw.length; pixel++) {
      const value = raw[pixel]!;
      maxima[pixel * bandCount + band] = value === nodata ? Number.NaN : value * scale + offset;
    }
  }
  return maxima;
}

/** Return levels of a raster of yearly maxima, NaN where the years do not carry them. */
export interface GustLevels {
  readonly returnPeriodYears: number;
  readonly samples: Float32Array;
}

/**
 * Gust return levels of every pixel, for the return periods that some pixel carries.
 * @param maxima `[pixel * bandCount + band]`, NaN for nodata
 * @throws InvalidInput when no pixel has 20 years of values that differ
 */
export function gustLevels(maxima: Float32Array, bandCount: number, pixelCount: number): GustLevels[] {
  const region = shapeOf(maxima, bandCount, pixelCount);
  const levels = GUST_RETURN_PERIODS.map((returnPeriodYears) => ({
    returnPeriodYears,
    samples: new Float32Array(pixelCount).fill(Number.NaN),
  }));
  for (let pixel = 0; pixel < pixelCount; pixel++) {
    const record = recordAt(maxima, bandCount, pixel);
    if (record === null) continue;
    const gev = regionalGev(sampleLMoments(record), record.length, region);
    for (const { returnPeriodYears, samples } of levels)
      if (returnPeriodYears <= PERIODS_PER_YEAR * record.length)
        samples[pixel] = gevReturnLevel(gev, returnPeriodYears);
  }
  return levels.filter(({ samples }) => !samples.every(Number.isNaN));
}

function shapeOf(maxima: Float32Array, bandCount: number, pixelCount: number): RegionalShape {
  const step = Math.max(1, Math.floor(pixelCount / SHAPE_PIXELS));
  const records: Float32Array[] = [];
  for (let pixel = 0; pixel < pixelCount; pixel += step) {
    const record = recordAt(maxima, bandCount, pixel);
    if (record !== null) records.push(record);
  }
  if (records.length === 0) {
    for (let pixel = 0; pixel < pixelCount && records.length === 0; pixel++) {
      const record = recordAt(maxima, bandCount, pixel);
      if (record !== null) records.push(record);
    }
  }
  if (records.length === 0) {
    throw new InvalidInput(`no pixel has ${ENOUGH_YEARS} years of gusts that differ`);
  }
  return regionalShape(records);
}

/** The valid years of a pixel; null where they are too few, or all the same. */
function recordAt(maxima: Float32Array, bandCount: number, pixel: number): Float32Array | null {
  const record = maxima.subarray(pixel * bandCount, (pixel + 1) * bandCount).filter(Number.isFinite);
  if (record.length < ENOUGH_YEARS) return null;
  return record.every((value) => value === record[0]) ? null : record;
}
