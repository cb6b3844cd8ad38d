import { setImmediate } from 'node:timers/promises';
import type { Grid } from '../../../geo/grid.ts';
import { type DisplacementField, DisplacementFitter } from '../../../risk/subsidence/displacement-field.ts';
import { velocityGradient } from '../../../risk/subsidence/displacement-gradient.ts';
import { decomposeSights, verticalOf, type ViewGeometry } from '../../../risk/subsidence/line-of-sight.ts';
import { cellSizes } from './derive-hand.ts';
import { InvalidInput } from '../../../base/errors.ts';
import { fileName } from '../file-name.ts';
import type { VersionRequest } from '../layer-checks.ts';
import { type AddedLayer, addMadeLayer, type LayerDeps } from '../add-layer.ts';
import type { BandDate, DatesReader, RasterStack, StackReader } from '../../imagery/raster-stack.ts';

/** A stack of displacement maps, one band per date. */
export interface DisplacementStack {
  /** File of displacements [mm after scaling]; positive towards the satellite, or upwards. */
  readonly path: string;
  readonly datesPath: string;
  /** Viewing geometry. Absent when the stack contains vertical displacement. */
  readonly view?: ViewGeometry | undefined;
}

/** Input of a derivation of ground motion from stacks, and the version under which the layers are installed. */
export interface DisplacementRequest extends VersionRequest {
  /** One stack, or two stacks on the same grid with different viewing geometries. */
  readonly stacks: readonly DisplacementStack[];
  /** Factor from raw values to mm; the offset is then 0. Default: the scale and offset of the file. */
  readonly scale?: number | undefined;
  /** Raw value of nodata. Default: the value declared in the file. */
  readonly nodata?: number | undefined;
}

export interface DisplacementDeps extends LayerDeps {
  readonly stacks: StackReader & DatesReader;
}

/** Result of a derivation from stacks. */
export interface DerivedDisplacement {
  readonly added: readonly AddedLayer[];
  /** Number of pixels with a velocity. */
  readonly pixels: number;
  /** Number of pixels whose velocity is more than twice its error. */
  readonly moving: number;
}

/** Maximum number of samples in memory [1]: 512 MiB of float32. Larger stacks are read in several passes. */
const PASS_SAMPLES = 2 ** 27;
/**
 * Number of pixels fitted before the event loop can run other work. Fitting them takes 5 ms at first, and 1 ms when
 * the engine has optimised the code.
 */
const PIXELS_AT_ONCE = 25;
/**
 * Ratio of a velocity to its standard error [1] above which the velocity is significant: 95 % of normal errors are
 * smaller than this number of standard errors.
 */
const SIGNIFICANT = 2;

/**
 * Derives velocity, its error, acceleration and gradient from stacks of displacement maps, and installs them as
 * layers.
 * @throws InvalidInput when a stack cannot be used, or two stacks do not match
 */
export async function deriveDisplacement(
  deps: DisplacementDeps,
  request: DisplacementRequest,
): Promise<DerivedDisplacement> {
  const { stacks, version, licence, replace, environment } = request;
  checkViews(stacks);
  const fits: FittedStack[] = [];
  for (const stack of stacks) {
    const fit = await fitStack(deps, stack, request);
    if (fits.length > 0 && !isSameGrid(fits[0]!.grid, fit.grid)) {
      throw new InvalidInput(`${fit.name} is not on the grid of ${fits[0]!.name}: warp one to the other`);
    }
    fits.push(fit);
  }
  const { grid } = fits[0]!;
  const field = verticalField(fits);
  const pixels = field.velocity.reduce((sum, v) => sum + (Number.isFinite(v) ? 1 : 0), 0);
  const names = fits.map(({ name }) => name).join(' and ');
  if (pixels === 0) throw new InvalidInput(`no pixel of ${names} was seen on enough dates for a velocity`);
  const last = Math.max(...fits.map(({ lastMs }) => lastMs));
  const shared = {
    version,
    licence,
    replace,
    environment,
    date: request.date ?? new Date(last).toISOString().slice(0, 10),
    source: request.source ?? `Huber regression of ${sourceOf(fits)}`,
    from: names,
  };
  const gradient = velocityGradient({ ...field, ...grid, ...cellSizes(grid) });
  const added: AddedLayer[] = [];
  for (const [layer, samples] of [
    ['displacement-velocity', field.velocity],
    ['velocity-error', field.error],
    ['velocity-gradient', gradient],
    ['displacement-acceleration', field.acceleration],
  ] as const) {
    if (samples === null || samples.every(Number.isNaN)) continue;
    added.push(await addMadeLayer(deps, { ...shared, layer, raster: { grid, samples } }));
  }
  const moving = field.velocity.reduce(
    (sum, v, i) => sum + (Math.abs(v) > SIGNIFICANT * field.error[i]! ? 1 : 0),
    0,
  );
  return { added, pixels, moving };
}

/** A stack with its fitted velocities. */
interface FittedStack {
  readonly name: string;
  readonly grid: Grid;
  readonly view: ViewGeometry | undefined;
  readonly field: DisplacementField;
  readonly dateCount: number;
  readonly lastMs: number;
}

function checkViews(stacks: readonly DisplacementStack[]): void {
  if (stacks.length === 2 && stacks.some(({ view }) => view === undefined)) {
    throw new InvalidInput('two stacks: expected the incidence and heading of both', { param: 'track' });
  }
  try {
    const sights = stacks.flatMap(({ view }) => (view === undefined ? [] : [{ view, value: 0, error: 0 }]));
    if (sights.length === 2) decomposeSights(sights[0]!, sights[1]!);
    else if (sights.length === 1) verticalOf(sights[0]!);
  } catch (error) {
    throw new InvalidInput((error as Error).message, { param: 'track', cause: error });
  }
}

async function fitStack(
  { stacks }: DisplacementDeps,
  { path, datesPath, view }: DisplacementStack,
  request: DisplacementRequest,
): Promise<FittedStack> {
  const stack = await stacks.open(path);
  const name = fileName(path);
  try {
    const dates = await stacks.readDates(datesPath, stack.bandCount);
    const { grid } = stack;
    const pixelCount = grid.width * grid.height;
    let fitter: DisplacementFitter;
    try {
      fitter = new DisplacementFitter(
        dates.map(({ timeMs }) => timeMs),
        pixelCount,
      );
    } catch (error) {
      throw new InvalidInput(`${name}: ${(error as Error).message}`, { param: 'dates', cause: error });
    }
    const perPass = Math.min(pixelCount, Math.max(1, Math.floor(PASS_SAMPLES / dates.length)));
    const values = new Float32Array(perPass * dates.length);
    for (let from = 0; from < pixelCount; from += perPass) {
      const count = Math.min(perPass, pixelCount - from);
      await readPass(stack, dates, request, from, count, values);
      for (let at = 0; at < count; at += PIXELS_AT_ONCE) {
        const end = Math.min(count, at + PIXELS_AT_ONCE);
        fitter.fit(values.subarray(at * dates.length, end * dates.length), from + at);
        await setImmediate(); // the service must answer requests while it derives layers
      }
    }
    const lastMs = Math.max(...dates.map(({ timeMs }) => timeMs));
    return { name, grid, view, field: fitter.finish(), dateCount: dates.length, lastMs };
  } finally {
    await stack.close();
  }
}

/** Reads `count` pixels of all dates into `[pixel * dates + date]`; NaN: nodata. */
async function readPass(
  stack: RasterStack,
  dates: readonly BandDate[],
  request: DisplacementRequest,
  from: number,
  count: number,
  into: Float32Array,
): Promise<void> {
  const nodata = request.nodata ?? stack.nodata;
  const scale = request.scale ?? stack.scale;
  const offset = request.scale === undefined ? stack.offset : 0;
  for (const [d, { band }] of dates.entries()) {
    const raw = await stack.readBand(band - 1);
    for (let i = 0; i < count; i++) {
      const value = raw[from + i]!;
      into[i * dates.length + d] = value === nodata ? Number.NaN : value * scale + offset;
    }
  }
}

/** Returns the vertical motion from one stack, or from two stacks where both have a value. */
function verticalField(fits: readonly FittedStack[]): DisplacementField {
  const [a, b] = fits as [FittedStack, FittedStack | undefined];
  if (a.view === undefined) return a.field;
  const combine = (
    value: Float32Array,
    error: Float32Array,
    otherValue: Float32Array | undefined,
    otherError: Float32Array | undefined,
  ): { readonly up: Float32Array; readonly upError: Float32Array } => {
    const up = new Float32Array(value.length);
    const upError = new Float32Array(value.length);
    for (let i = 0; i < value.length; i++) {
      const sight = { view: a.view!, value: value[i]!, error: error[i]! };
      const vertical =
        b === undefined
          ? verticalOf(sight)
          : decomposeSights(sight, { view: b.view!, value: otherValue![i]!, error: otherError![i]! });
      up[i] = vertical.up;
      upError[i] = vertical.upError;
    }
    return { up, upError };
  };
  const velocity = combine(a.field.velocity, a.field.error, b?.field.velocity, b?.field.error);
  const own = combine(a.field.velocity, a.field.ownError, b?.field.velocity, b?.field.ownError);
  const [bend, other] = [a.field, b?.field];
  // With two stacks, the result has an acceleration only when both stacks have one.
  const acceleration =
    bend.acceleration === null || bend.accelerationError === null || other?.acceleration === null
      ? null
      : combine(
          bend.acceleration,
          bend.accelerationError,
          other?.acceleration,
          other?.accelerationError ?? undefined,
        );
  return {
    velocity: velocity.up,
    error: velocity.upError,
    ownError: own.upError,
    acceleration: acceleration?.up ?? null,
    accelerationError: acceleration?.upError ?? null,
  };
}

function isSameGrid(a: Grid, b: Grid): boolean {
  const slack = Math.abs(a.transform[1]) * 1e-3; // a thousandth of a pixel
  return (
    a.width === b.width &&
    a.height === b.height &&
    a.proj4 === b.proj4 &&
    a.transform.every((term, i) => Math.abs(term - b.transform[i]!) <= slack)
  );
}

function sourceOf(fits: readonly FittedStack[]): string {
  const dates = fits.map(({ name, dateCount }) => `${dateCount} dates of ${name}`).join(' and ');
  if (fits.length === 2) return `${dates}; vertical from two tracks`;
  return `${dates}; ${fits[0]!.view === undefined ? 'taken as vertical' : 'one track, all movement taken as vertical'}`;
}
