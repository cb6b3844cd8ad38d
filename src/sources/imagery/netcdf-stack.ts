import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import { InvalidInput } from '../../base/errors.ts';
import type { BandDate, RasterStack, StackChoice } from '../../app/imagery/raster-stack.ts';
import type { Samples, SampleType } from '../../app/series/cube-store.ts';
import type { Grid } from '../../geo/grid.ts';
import { coordinate, unitOf, unpacker, valueVariable } from '../../formats/netcdf/cf-conventions.ts';
import type { ArrayFile, ArrayVariable } from '../../formats/arrays/array-file.ts';
import { openArrays } from '../../formats/arrays/open-arrays.ts';
import { isZarr, zarrDigest } from '../../formats/zarr/folder.ts';
import { timesOf } from '../../formats/netcdf/time.ts';
import { MAX_BAND_PIXELS } from '../../formats/tiff/image.ts';

const MOST_TIMES = 1 << 20; // maximum number of times in one file: 119 years of hourly values
const MOST_EDGE = 1 << 20; // maximum number of latitudes, and of longitudes, of a grid
/**
 * Maximum distance of a latitude or longitude from its place in an evenly spaced grid [steps]. It allows for the
 * rounding of single precision, with a margin (our choice).
 */
const UNEVEN = 0.02;
/** Types whose values are exact in single precision. */
const EXACT_IN_SINGLE = new Set(['byte', 'ubyte', 'short', 'ushort', 'float']);

/**
 * Opens a grid of times, latitudes and longitudes, such as a reanalysis or rain radar, as a stack of north-up images,
 * one for each time. Values are unpacked, in the unit of the file.
 * @throws InvalidInput when the file has no such grid, or its times are in a model calendar
 */
export async function openNetcdfStack(path: string, choice: StackChoice): Promise<RasterStack> {
  const file = await openArrays(path);
  try {
    const isGrid = (variable: ArrayVariable): boolean => axesOf(file, variable) !== undefined;
    const named = valueVariable(file, { ...choice, option: 'variable', suits: isGrid });
    const axes = axesOf(file, named);
    if (axes === undefined)
      throw new InvalidInput(
        `${file.name}: ${named.name} runs along ${named.dimensions.map(({ name, size }) => `${name} (${size})`).join(', ')}; ` +
          'expected a time, then latitudes, then longitudes, each with a coordinate variable: a grid in a projection has to be warped to degrees, series at stations are for ingest points',
        { param: 'variable' },
      );
    const [lats, lngs] = [
      await file.readAll(axes.lat, MOST_EDGE),
      unwrapped(await file.readAll(axes.lng, MOST_EDGE)),
    ];
    if (lats.length * lngs.length > MAX_BAND_PIXELS)
      throw new InvalidInput(
        `${file.name}: expected at most ${MAX_BAND_PIXELS} cells, got ${lats.length} x ${lngs.length}`,
        { param: 'values' },
      );
    const times = timesOf(file, axes.time, await file.readAll(axes.time, MOST_TIMES));
    const values = file.trimmed(named, (name) => name === axes.time.dimensions[0]!.name);
    return new NetcdfStack(file, values, gridOf(file.name, lats, lngs), {
      isNorthUp: lats.length === 1 || lats[0]! > lats[1]!,
      dates: datesOf(file.name, times),
      sha256: await digest(path),
    });
  } catch (error) {
    await file.close();
    throw error;
  }
}

interface Axes {
  readonly time: ArrayVariable;
  readonly lat: ArrayVariable;
  readonly lng: ArrayVariable;
}

/**
 * Returns the coordinate variables of a variable on a grid; undefined if the variable is not on a grid. Other
 * dimensions of length 1 are ignored.
 */
function axesOf(file: ArrayFile, { dimensions }: ArrayVariable): Axes | undefined {
  const axes = (['time', 'lat', 'lng'] as const).map((axis) =>
    dimensions.map(({ name }) => coordinate(file, axis, [name])).find((variable) => variable !== undefined),
  );
  const [time, lat, lng] = axes;
  if (time === undefined || lat === undefined || lng === undefined) return undefined;
  const order = axes.map((axis) => axis!.dimensions[0]!.name);
  const left = dimensions.filter(({ name, size }) => size !== 1 && !order.includes(name));
  const positions = order.map((name) => dimensions.findIndex((dimension) => dimension.name === name));
  const ascends = positions.every((position, i) => i === 0 || position > positions[i - 1]!);
  return left.length === 0 && ascends ? { time, lat, lng } : undefined;
}

/** Makes longitudes continuous where they restart at 0 or -180. The first one is moved to the range -180 to 180. */
function unwrapped(lngs: Float64Array): Float64Array {
  for (let i = 1; i < lngs.length; i++)
    if (lngs[i]! < lngs[i - 1]! && lngs[i - 1]! - lngs[i]! > 180) lngs[i]! += 360;
  const turns = Math.floor((lngs[0]! + 180) / 360);
  return lngs.map((lng) => lng - 360 * turns);
}

function gridOf(name: string, lats: Float64Array, lngs: Float64Array): Grid {
  const [dy, dx] = [stepOf(name, lats, 'latitude'), stepOf(name, lngs, 'longitude')];
  const [height, width] = [Math.abs(dy ?? dx ?? 0), dx ?? Math.abs(dy ?? 0)];
  if (height === 0 || !(width > 0))
    throw new InvalidInput(
      `${name}: ${lats.length} x ${lngs.length} cells tell no grid whose longitudes go east; one place is for ingest points`,
      { param: 'values' },
    );
  const north = Math.max(lats[0]!, lats.at(-1)!) + height / 2;
  return {
    width: lngs.length,
    height: lats.length,
    crs: 'EPSG:4326',
    proj4: '+proj=longlat +datum=WGS84 +no_defs',
    transform: [clean(lngs[0]! - width / 2), clean(width), 0, clean(north), 0, clean(-height)],
  };
}

/** Step of a coordinate [degrees]; undefined for a single value. @throws InvalidInput when steps are uneven */
function stepOf(name: string, values: Float64Array, what: string): number | undefined {
  if (values.length < 2) return undefined;
  const step = (values.at(-1)! - values[0]!) / (values.length - 1);
  for (let i = 0; i < values.length; i++) {
    const even = values[0]! + i * step;
    if (!(Math.abs(values[i]! - even) <= UNEVEN * Math.abs(step)))
      throw new InvalidInput(
        `${name}: expected even steps of ${what}, ${Number(even.toPrecision(8))} at ${i + 1}; got ${values[i]}: regrid it to even degrees first`,
        { param: 'values' },
      );
  }
  return step;
}

/** Removes the rounding errors of single precision, so that files with the same grid have exactly equal grids. */
function clean(degrees: number): number {
  return Number(degrees.toFixed(5));
}

/** @throws InvalidInput when a time is missing, or two are the same */
function datesOf(name: string, times: Float64Array): readonly BandDate[] {
  const seen = new Map<number, number>();
  return Array.from(times, (timeMs, i) => {
    if (Number.isNaN(timeMs))
      throw new InvalidInput(`${name}: time ${i + 1} of ${times.length} is missing`, { param: 'values' });
    const twin = seen.get(timeMs);
    if (twin !== undefined)
      throw new InvalidInput(
        `${name}: times ${twin + 1} and ${i + 1} are both ${new Date(timeMs).toISOString()}; expected one of each`,
        { param: 'values' },
      );
    seen.set(timeMs, i);
    return { band: i + 1, timeMs, scene: null };
  });
}

async function digest(path: string): Promise<string> {
  if (await isZarr(path)) return zarrDigest(path);
  const hash = createHash('sha256');
  await pipeline(createReadStream(path, { highWaterMark: 1 << 20 }), hash);
  return hash.digest('hex');
}

/** One variable of an open file. */
class NetcdfStack implements RasterStack {
  readonly grid: Grid;
  readonly bandCount: number;
  readonly sampleType: SampleType;
  /** Missing values are already NaN. */
  readonly nodata = null;
  readonly scale = 1;
  readonly offset = 0;
  readonly sha256: string;
  readonly unit: string | undefined;
  readonly dates: readonly BandDate[];
  readonly #file: ArrayFile;
  readonly #values: ArrayVariable;
  readonly #isNorthUp: boolean;

  constructor(
    file: ArrayFile,
    values: ArrayVariable,
    grid: Grid,
    {
      isNorthUp,
      dates,
      sha256,
    }: { readonly isNorthUp: boolean; readonly dates: readonly BandDate[]; readonly sha256: string },
  ) {
    this.#file = file;
    this.#values = values;
    this.grid = grid;
    this.#isNorthUp = isNorthUp;
    this.dates = dates;
    this.bandCount = dates.length;
    this.sha256 = sha256;
    this.unit = unitOf(values);
    this.sampleType = EXACT_IN_SINGLE.has(values.type) ? 'float32' : 'float64';
  }

  async readBand(band: number): Promise<Samples> {
    if (!Number.isInteger(band) || band < 0 || band >= this.bandCount)
      throw new RangeError(`band ${band} is not one of 0 to ${this.bandCount - 1}`);
    const values = unpacker(this.#values)(await this.#file.read(this.#values, band, band + 1));
    const { width, height } = this.grid;
    if (!this.#isNorthUp)
      for (let top = 0, bottom = height - 1; top < bottom; top++, bottom--) {
        const row = values.slice(top * width, (top + 1) * width);
        values.copyWithin(top * width, bottom * width, (bottom + 1) * width);
        values.set(row, bottom * width);
      }
    return this.sampleType === 'float32' ? Float32Array.from(values) : values;
  }

  close(): Promise<void> {
    return this.#file.close();
  }
}
