import { InvalidInput } from '../../base/errors.ts';
import { parseMoment } from '../../base/time.ts';
import type { BandDate, RasterStack, StackChoice } from '../../app/imagery/raster-stack.ts';
import type { Samples, SampleType } from '../../app/series/cube-store.ts';
import type { Grid } from '../../geo/grid.ts';
import {
  axisOf,
  coordinate,
  textOf,
  unitOf,
  unpacker,
  valueVariable,
} from '../../formats/netcdf/cf-conventions.ts';
import {
  type GridAxes,
  gridAxes,
  horizontalGrid,
  irregularity,
} from '../../formats/netcdf/horizontal-grid.ts';
import type { ArrayFile, ArrayVariable } from '../../formats/arrays/array-file.ts';
import { openZarr } from '../../formats/zarr/file.ts';
import type { ZarrStore } from '../../formats/zarr/store.ts';
import { arraysDigest, openArrays } from '../../formats/arrays/open-arrays.ts';
import { timesOf } from '../../formats/netcdf/time.ts';

const MOST_TIMES = 1 << 20; // maximum number of times in one file: 119 years of hourly values
/** Types whose values are exact in single precision. */
const EXACT_IN_SINGLE = new Set(['byte', 'ubyte', 'short', 'ushort', 'float']);

/**
 * Opens a grid of times, latitudes and longitudes, such as a reanalysis or rain radar, or of times, y and x of a
 * projection, as a stack of north-up images, one for each time. Values are unpacked, in the unit of the file.
 * @param remote the Zarr to read in place of a file
 * @throws InvalidInput when the file has no such grid, or its times are in a model calendar
 */
export async function openNetcdfStack(
  path: string,
  choice: StackChoice,
  remote?: ZarrStore,
): Promise<RasterStack> {
  const file = remote === undefined ? await openArrays(path) : await openZarr(remote);
  try {
    const only = await onlyTime(file);
    if (only !== undefined) {
      const sha256 = remote?.sha256 ?? (await arraysDigest(path));
      return await openDatedImage(file, choice, only, sha256);
    }
    const isGrid = (variable: ArrayVariable): boolean => axesOf(file, variable) !== undefined;
    const named = valueVariable(file, { ...choice, option: 'variable', suits: isGrid });
    const axes = axesOf(file, named);
    if (axes === undefined) throw new InvalidInput(irregular(file, named), { param: 'variable' });
    const { grid, isNorthUp } = await horizontalGrid(file, named, axes);
    const times = timesOf(file, axes.time, await file.readAll(axes.time, MOST_TIMES));
    const values = file.trimmed(named, (name) => name === axes.time.dimensions[0]!.name);
    return new NetcdfStack(file, values, grid, {
      read: (band) => file.read(values, band, band + 1),
      isNorthUp,
      dates: datesOf(file.name, times),
      sha256: remote?.sha256 ?? (await arraysDigest(path)),
    });
  } catch (error) {
    await file.close();
    throw error;
  }
}

/**
 * The time of a file in which no variable runs along time: that of a time variable with a single value (a scalar
 * coordinate of CF), else the start of what the file covers, such as a level 3 map of PACE; undefined for another file.
 * @see https://wiki.esipfed.org/Attribute_Convention_for_Data_Discovery_1-3
 * @throws InvalidInput when the time variable cannot be used
 */
async function onlyTime(file: ArrayFile): Promise<number | undefined> {
  const times = file.variables.filter((variable) => axisOf(variable) === 'time');
  if (times.length > 0 && file.variables.some((variable) => axesOf(file, variable) !== undefined))
    return undefined;
  const single = times.filter(({ dimensions }) => dimensions.every(({ size }) => size === 1));
  const named = single.find(({ attributes }) => textOf(attributes, 'standard_name') === 'time');
  const time = named ?? (single.length === 1 ? single[0] : undefined);
  if (time !== undefined) {
    const [timeMs = Number.NaN] = timesOf(file, time, await file.readAll(time, 1));
    if (!Number.isNaN(timeMs)) return timeMs;
  }
  const start = textOf(file.attributes, 'time_coverage_start');
  return start === undefined || times.length > 0 ? undefined : parseMoment(start)?.ms;
}

/** Opens the only image of a variable, dated by the start of what it covers. @throws InvalidInput */
async function openDatedImage(
  file: ArrayFile,
  choice: StackChoice,
  timeMs: number,
  sha256: string,
): Promise<RasterStack> {
  const isImage = (variable: ArrayVariable): boolean =>
    gridAxes(file, variable) !== undefined &&
    variable.dimensions.slice(0, -2).every(({ size }) => size === 1);
  const values = valueVariable(file, { ...choice, option: 'variable', suits: isImage, among: isImage });
  const { grid, isNorthUp } = await horizontalGrid(file, values, gridAxes(file, values)!);
  const image = values.dimensions.slice(0, -2).map(() => 0);
  return new NetcdfStack(file, values, grid, {
    read: () => file.readRows(values, image, 0, grid.height),
    isNorthUp,
    dates: [{ band: 1, timeMs, scene: null }],
    sha256,
  });
}

interface Axes extends GridAxes {
  readonly time: ArrayVariable;
}

/**
 * Returns the coordinate variables of a variable of times on a grid; undefined if the variable is none. Other dimensions
 * of length 1 are ignored.
 */
function axesOf(file: ArrayFile, variable: ArrayVariable): Axes | undefined {
  const { dimensions } = variable;
  const grid = gridAxes(file, variable);
  const time = dimensions
    .map(({ name }) => coordinate(file, 'time', [name]))
    .find((found) => found !== undefined);
  if (time === undefined || grid === undefined) return undefined;
  const order = [time, grid.y, grid.x].map((axis) => axis.dimensions[0]!.name);
  const left = dimensions.filter(({ name, size }) => size !== 1 && !order.includes(name));
  const positions = order.map((name) => dimensions.findIndex((dimension) => dimension.name === name));
  const ascends = positions.every((position, i) => i === 0 || position > positions[i - 1]!);
  return left.length === 0 && ascends ? { time, ...grid } : undefined;
}

/** Reason why a variable cannot be read as a stack of images. */
function irregular(file: ArrayFile, variable: ArrayVariable): string {
  const why = irregularity(file, variable);
  if (why !== undefined)
    return `${file.name}: ${why}; expected rows and columns of a map: warp it first, for example with gdalwarp -t_srs EPSG:4326`;
  const turned = turnedOrder(file, variable);
  const hint =
    turned === undefined
      ? ''
      : `; put them in this order first, with xarray: ds.transpose(${turned.map((name) => `'${name}'`).join(', ')})`;
  return (
    `${file.name}: ${variable.name} runs along ${variable.dimensions.map(({ name, size }) => `${name} (${size})`).join(', ')}; ` +
    'expected a time, then latitudes and longitudes (or y and x of a projection), each with a coordinate variable; series at stations are for ingest points' +
    hint
  );
}

/** The dimensions of a variable in the order of a stack, where only their order is another; else undefined. */
function turnedOrder(file: ArrayFile, variable: ArrayVariable): readonly string[] | undefined {
  const { dimensions } = variable;
  const permuted = (order: readonly number[]): ArrayVariable => ({
    ...variable,
    dimensions: order.map((i) => dimensions[i]!),
  });
  const rest = dimensions.map((_, i) => i);
  if (rest.length > 4) return undefined;
  const turned = permutations(rest)
    .map(permuted)
    .find((one) => axesOf(file, one) !== undefined);
  return turned?.dimensions.map(({ name }) => name);
}

function permutations(items: readonly number[]): readonly (readonly number[])[] {
  if (items.length < 2) return [items];
  return items.flatMap((item) =>
    permutations(items.filter((one) => one !== item)).map((rest) => [item, ...rest]),
  );
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
  readonly #read: (band: number) => Promise<Float64Array>;

  constructor(
    file: ArrayFile,
    values: ArrayVariable,
    grid: Grid,
    {
      read,
      isNorthUp,
      dates,
      sha256,
    }: {
      readonly read: (band: number) => Promise<Float64Array>;
      readonly isNorthUp: boolean;
      readonly dates: readonly BandDate[];
      readonly sha256: string;
    },
  ) {
    this.#read = read;
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
    const values = unpacker(this.#values)(await this.#read(band));
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
