import { InvalidInput } from '../../base/errors.ts';
import type { Grid } from '../../geo/grid.ts';
import { projectionOf } from '../../geo/projection.ts';
import type { ArrayFile, ArrayVariable } from '../arrays/array-file.ts';
import { MAX_BAND_PIXELS } from '../tiff/image.ts';
import { axisOf, coordinate, textOf } from './cf-conventions.ts';
import { gridMapping, mappedSystem } from './grid-mapping.ts';

/** Maximum number of rows, and of columns, of a grid. */
const MOST_EDGE = 1 << 20;
/**
 * Maximum distance of a coordinate from its place in an evenly spaced grid [steps]. It allows for the rounding of single
 * precision, with a margin (our choice).
 */
const UNEVEN = 0.02;
/** Distance between neighbouring numbers of single precision, as a share of them [1]. */
const SINGLE_STEP = 2 ** -23;
/** Metres per unit of length. */
const LENGTHS: Readonly<Record<string, number>> = {
  m: 1,
  metre: 1,
  meter: 1,
  metres: 1,
  meters: 1,
  km: 1000,
  kilometre: 1000,
  kilometer: 1000,
  kilometres: 1000,
  kilometers: 1000,
};

/** The coordinate variables of the rows and columns of a variable. */
export interface GridAxes {
  readonly y: ArrayVariable;
  readonly x: ArrayVariable;
  /** Whether they are latitudes and longitudes; otherwise they are lengths of a projection. */
  readonly isGeographic: boolean;
}

/** Finds the coordinates of the rows and columns of a variable; undefined if it is not on a regular grid. */
export function gridAxes(file: ArrayFile, { dimensions }: ArrayVariable): GridAxes | undefined {
  const along = (find: (name: string) => ArrayVariable | undefined): ArrayVariable | undefined =>
    dimensions.map(({ name }) => find(name)).find((variable) => variable !== undefined);
  const [lat, lng] = (['lat', 'lng'] as const).map((axis) => along((name) => coordinate(file, axis, [name])));
  if (lat !== undefined && lng !== undefined) return { y: lat, x: lng, isGeographic: true };
  const [y, x] = (['y', 'x'] as const).map((axis) => along((name) => projected(file, axis, name)));
  return y === undefined || x === undefined ? undefined : { y, x, isGeographic: false };
}

/** Finds the coordinate of a projection along a dimension. */
function projected(file: ArrayFile, axis: 'x' | 'y', dimension: string): ArrayVariable | undefined {
  return file.variables.find((variable) => {
    const { name, attributes, dimensions, type } = variable;
    if (type === 'char' || type === 'string' || dimensions.length !== 1 || dimensions[0]!.name !== dimension)
      return false;
    const standard = textOf(attributes, 'standard_name');
    if (standard !== undefined) return standard === `projection_${axis}_coordinate`;
    const title = name.slice(name.lastIndexOf('/') + 1).toLowerCase();
    const isNamed = title === axis || title === { x: 'easting', y: 'northing' }[axis];
    const isAxis = textOf(attributes, 'axis')?.toLowerCase() === axis;
    return axisOf(variable) === undefined && name === dimension && (isNamed || isAxis);
  });
}

/** Why a variable that has no {@link gridAxes} is on no regular grid; undefined when nothing is known. */
export function irregularity(file: ArrayFile, variable: ArrayVariable): string | undefined {
  const mapping = gridMapping(file, variable);
  if (mapping !== undefined && textOf(mapping, 'grid_mapping_name') === 'rotated_latitude_longitude')
    return `${variable.name} is on a grid with a rotated pole (rotated_latitude_longitude)`;
  const names = new Set(variable.dimensions.map(({ name }) => name));
  const curved = file.variables.find(
    (other) =>
      other.dimensions.length === 2 &&
      axisOf(other) === 'lat' &&
      other.dimensions.every(({ name }) => names.has(name)),
  );
  return curved && `${variable.name} is on a curvilinear grid (${curved.name} has two dimensions)`;
}

/** A grid whose first row is the northernmost. */
export interface HorizontalGrid {
  readonly grid: Grid;
  /** Whether the rows of the file run from north to south. */
  readonly isNorthUp: boolean;
}

/**
 * The grid of a variable.
 * @throws InvalidInput when its steps are uneven, it has too many cells, or its reference system cannot be used
 */
export async function horizontalGrid(
  file: ArrayFile,
  variable: ArrayVariable,
  { y, x, isGeographic }: GridAxes,
): Promise<HorizontalGrid> {
  const { name } = file;
  const ys = await file.readAll(y, MOST_EDGE);
  const read = await file.readAll(x, MOST_EDGE);
  const xs = isGeographic ? unwrapped(read) : read;
  if (ys.length * xs.length > MAX_BAND_PIXELS)
    throw new InvalidInput(
      `${name}: expected at most ${MAX_BAND_PIXELS} cells, got ${ys.length} x ${xs.length}`,
      { param: 'values' },
    );
  const [dy, dx] = [stepOf(name, ys, y), stepOf(name, xs, x)];
  if (dx !== undefined && dx < 0)
    throw new InvalidInput(
      `${name}: ${x.name} falls from ${xs[0]} to ${xs.at(-1)}; expected it to rise. Sort it first, with xarray: ds.sortby('${x.name}')`,
      { param: 'values' },
    );
  const [height, width] = [Math.abs(dy ?? dx ?? 0), dx ?? Math.abs(dy ?? 0)];
  if (height === 0 || !(width > 0))
    throw new InvalidInput(
      `${name}: ${ys.length} x ${xs.length} cells tell no size of a cell; one place is for ingest points`,
      { param: 'values' },
    );
  const north = Math.max(ys[0]!, ys.at(-1)!) + height / 2;
  const system = isGeographic ? DEGREES : projectedSystem(file, variable, [y, x]);
  const { crs, proj4, metres } = system;
  const grid: Grid = {
    width: xs.length,
    height: ys.length,
    crs,
    proj4,
    transform: [
      clean((xs[0]! - width / 2) * metres, width * metres),
      clean(width * metres, (width * metres) / xs.length),
      0,
      clean(north * metres, height * metres),
      0,
      clean(-height * metres, (height * metres) / ys.length),
    ],
  };
  if (!isGeographic) refuseNowhere(name, grid);
  return { grid, isNorthUp: ys.length === 1 || ys[0]! > ys[1]! };
}

const DEGREES = { crs: 'EPSG:4326', proj4: '+proj=longlat +datum=WGS84 +no_defs', metres: 1 };

/** @throws InvalidInput when the file has no reference system, or one that cannot be used */
function projectedSystem(file: ArrayFile, variable: ArrayVariable, axes: readonly ArrayVariable[]) {
  const [metres, other] = axes.map((axis) => {
    const unit = textOf(axis.attributes, 'units') ?? 'm'; // writers of GeoTIFF grids leave it out
    const found = LENGTHS[unit.toLowerCase()];
    if (found !== undefined) return found;
    throw new InvalidInput(`${file.name}: ${axis.name} is in '${unit}'; expected m or km`, {
      param: 'values',
    });
  });
  if (metres !== other)
    throw new InvalidInput(
      `${file.name}: expected ${axes.map(({ name }) => name).join(' and ')} in one unit`,
      {
        param: 'values',
      },
    );
  const mapping = gridMapping(file, variable);
  if (mapping === undefined)
    throw new InvalidInput(
      `${file.name}: ${variable.name} is on a grid of a projection, but has no reference system; expected the attribute grid_mapping with the name of a variable that describes it, such as spatial_ref`,
      { param: 'values' },
    );
  return { ...mappedSystem(file.name, mapping), metres: metres! };
}

/** @throws InvalidInput when the middle of a grid is nowhere on Earth */
function refuseNowhere(name: string, { width, height, proj4, transform }: Grid): void {
  const [x, y] = [transform[0] + (width / 2) * transform[1], transform[3] + (height / 2) * transform[5]];
  const [lng, lat] = projectionOf(proj4).toLngLat(x, y);
  if (!(Math.abs(lng) <= 540 && Math.abs(lat) <= 90))
    throw new InvalidInput(
      `${name} has its middle at x ${x}, y ${y}, which is no place on Earth in its reference system (${proj4})`,
      { param: 'values' },
    );
}

/** Makes longitudes continuous where they restart at 0 or -180. The first one is moved to the range -180 to 180. */
function unwrapped(lngs: Float64Array): Float64Array {
  for (let i = 1; i < lngs.length; i++)
    if (lngs[i]! < lngs[i - 1]! && lngs[i - 1]! - lngs[i]! > 180) lngs[i]! += 360;
  const turns = Math.floor((lngs[0]! + 180) / 360);
  return lngs.map((lng) => lng - 360 * turns);
}

/** Step of a coordinate [its unit]; undefined for a single value. @throws InvalidInput when steps are uneven */
function stepOf(file: string, values: Float64Array, { name, type }: ArrayVariable): number | undefined {
  if (values.length < 2) return undefined;
  const step = (values.at(-1)! - values[0]!) / (values.length - 1);
  for (let i = 0; i < values.length; i++) {
    const even = values[0]! + i * step;
    const rounding = type === 'float' ? Math.abs(even) * SINGLE_STEP : 0;
    if (!(Math.abs(values[i]! - even) <= UNEVEN * Math.abs(step) + rounding))
      throw new InvalidInput(
        `${file}: expected even steps of ${name}, ${Number(even.toPrecision(8))} at ${i + 1}; got ${values[i]}: regrid it to even steps first`,
        { param: 'values' },
      );
  }
  return step;
}

/**
 * Removes the rounding errors of single precision, so that files with the same grid have exactly equal grids.
 * @param length the value may move by the share {@link UNEVEN} of it
 */
function clean(value: number, length: number): number {
  for (let digits = 5; digits < 15; digits++) {
    const rounded = Number(value.toFixed(digits));
    if (Math.abs(rounded - value) <= UNEVEN * length) return rounded;
  }
  return value;
}
