import {
  PERIODS_PER_YEAR,
  regionalGev,
  regionalShape,
  type RegionalShape,
} from '../../../risk/storm/gust-climate.ts';
import { gevReturnLevel } from '../../../numerics/gev.ts';
import { sampleLMoments } from '../../../numerics/l-moments.ts';
import { InvalidInput } from '../../../base/errors.ts';
import { fileName } from '../file-name.ts';
import type { VersionRequest } from '../layer-checks.ts';
import { type AddedLayer, addMadeLayer, type LayerDeps } from '../add-layer.ts';
import type { RasterStack, StackReader } from '../../imagery/raster-stack.ts';

/** Input of a derivation of gusts from a stack, and the version under which the layers are installed. */
export interface GustRequest extends VersionRequest {
  /** Stack of yearly maximum gusts [m/s after scaling], one band per year. */
  readonly path: string;
}

export interface GustDeps extends LayerDeps {
  readonly stacks: StackReader;
}

/** Return periods of the layers [years]; periods that are too long for the record are omitted. */
export const GUST_RETURN_PERIODS = [2, 5, 10, 25, 50, 100, 200, 250] as const;
/** Minimum number of years of a pixel: enough for a 200-year level. */
const ENOUGH_YEARS = 20;
/** Maximum number of samples, all kept in memory: 1 GiB of float32. */
const MOST_SAMPLES = 2 ** 28;
/** Approximate number of evenly spread pixels from which the regional shape of the distribution is estimated. */
const SHAPE_PIXELS = 1000;

/**
 * Derives gust return levels of each pixel from a stack of yearly maxima, and installs them as layers. The levels come
 * from L-moments whose shape is shrunk towards that of the whole raster. A pixel with fewer than 20 years is nodata.
 * @throws InvalidInput when the stack cannot be used
 */
export async function deriveGust(deps: GustDeps, request: GustRequest): Promise<readonly AddedLayer[]> {
  const stack = await deps.stacks.open(request.path);
  const name = fileName(request.path);
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

/** Reads all maxima into `[pixel * bandCount + band]`; NaN: nodata. */
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

/** Raster of the levels of one return period [m/s]; NaN where the record is too short for this period. */
export interface GustLevels {
  readonly returnPeriodYears: number;
  readonly samples: Float32Array;
}

/**
 * Computes gust return levels of every pixel. Return periods that are too long for all pixels are omitted.
 * @param maxima `[pixel * bandCount + band]` [m/s]; NaN: nodata
 * @throws InvalidInput when no pixel has 20 years of values that are not all equal
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

/** Returns the valid maxima of a pixel; null when they are too few or all equal. */
function recordAt(maxima: Float32Array, bandCount: number, pixel: number): Float32Array | null {
  const record = maxima.subarray(pixel * bandCount, (pixel + 1) * bandCount).filter(Number.isFinite);
  if (record.length < ENOUGH_YEARS) return null;
  return record.every((value) => value === record[0]) ? null : record;
}
