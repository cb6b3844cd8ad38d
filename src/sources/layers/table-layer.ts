import { basename } from 'node:path';
import type { RasterChoice } from '../../app/layers/layer-shelf.ts';
import { InvalidInput } from '../../base/errors.ts';
import { parquetGroups } from '../../formats/parquet/lines.ts';
import { MAX_BAND_PIXELS } from '../../formats/tiff/image.ts';
import type { Grid } from '../../geo/grid.ts';
import type { RowLayer } from './row-layer.ts';

const NAMES = { lat: /^(lat|latitude)$/i, lng: /^(lng|lon|long|longitude)$/i } as const;
const MOST_ROWS = 2 ** 22; // maximum number of cells with a value (our choice): 100 MB of memory
/** Maximum distance of a position from its place in the grid [steps]; it allows for rounding (our choice). */
const UNEVEN = 0.02;
/** A grid may have this many times as many cells as the table has rows (our choice): more means scattered points. */
const MOST_EMPTY = 100;
/** Values of `crs` in the metadata of GeoParquet that are degrees of WGS84. */
const WGS84 = /"code":\s*"?(CRS84|4326)"?/;

type Row = Readonly<Record<string, unknown>>;

/** Positions and values of the rows of a table. */
interface Cells {
  readonly lats: number[];
  readonly lngs: number[];
  readonly values: number[];
  readonly column: string;
}

/**
 * Opens a Parquet table of cells as a layer: columns of latitudes and longitudes, or points of GeoParquet, at the
 * centres of a regular grid, and a column of values. Cells without a row, and rows without a value, are missing.
 * @throws InvalidInput when the positions are on no regular grid, or a cell has two rows
 */
export async function openTableLayer({ path, band = 0, nodata, variable }: RasterChoice): Promise<RowLayer> {
  if (band !== 0)
    throw new InvalidInput(`${path} is a table: name a column by --variable`, { param: 'band' });
  const name = basename(path);
  const { lats, lngs, values, column } = await cellsOf(path, name, variable);
  const [rows, columns] = [axisOf(name, 'latitude', lats), axisOf(name, 'longitude', lngs)];
  const [width, height] = [columns.count, rows.count];
  if (width * height > Math.min(MAX_BAND_PIXELS, MOST_EMPTY * values.length))
    throw new InvalidInput(
      `${name}: ${values.length} positions on a grid of ${width} x ${height} are scattered points; make a map of them first, for example with gdal_grid`,
      { param: 'file' },
    );
  const samples = new Float64Array(width * height).fill(Number.NaN);
  const isSeen = new Uint8Array(width * height);
  for (const [i, value] of values.entries()) {
    const row = height - 1 - rows.indexOf(lats[i]!);
    const at = row * width + columns.indexOf(lngs[i]!);
    if (isSeen[at] === 1)
      throw new InvalidInput(
        `${name}: two rows have the position ${lats[i]}, ${lngs[i]}; expected one a cell`,
        {
          param: 'file',
        },
      );
    isSeen[at] = 1;
    if (value !== nodata) samples[at] = value;
  }
  const { first: west, step: dx } = columns;
  const north = rows.first + (height - 1) * rows.step;
  const grid: Grid = {
    width,
    height,
    crs: 'EPSG:4326',
    proj4: '+proj=longlat +datum=WGS84 +no_defs',
    transform: [west - dx / 2, dx, 0, north + rows.step / 2, 0, -rows.step],
  };
  return {
    grid,
    kind: 'float64',
    nodata: Number.NaN,
    metadata: { scale: 1, offset: 0, unit: null, description: column },
    read: async (from, to) => samples.subarray(from * width, to * width),
    close: async () => undefined,
  };
}

async function cellsOf(path: string, name: string, variable: string | undefined): Promise<Cells> {
  let cells: Cells | undefined;
  let place: ((row: Row) => readonly [lat: unknown, lng: unknown]) | undefined;
  const groups = parquetGroups(path, ({ rows, texts }) => {
    if (rows > MOST_ROWS)
      throw new InvalidInput(`${name} has ${rows} rows; at most ${MOST_ROWS} cells are read`, {
        param: 'file',
      });
    const geo = texts.get('geo');
    const crs = geo === undefined ? undefined : /"crs":\s*\{/.test(geo) && !WGS84.test(geo);
    if (crs === true)
      throw new InvalidInput(`${name}: expected positions in degrees of WGS84 (EPSG:4326); warp it first`, {
        param: 'file',
      });
  });
  for await (const group of groups)
    for (const row of group) {
      cells ??= { lats: [], lngs: [], values: [], column: valueColumn(name, row, variable) };
      place ??= placeOf(name, row);
      const [lat, lng] = place(row).map((one) =>
        one === null || one === undefined ? Number.NaN : Number(one),
      );
      if (!(Math.abs(lat!) <= 90 && Math.abs(lng!) <= 360))
        throw new InvalidInput(
          `${name}: expected a latitude and a longitude in each row, got ${lat} and ${lng} in row ${cells.values.length + 1}`,
          { param: 'file' },
        );
      const value = row[cells.column];
      cells.lats.push(lat!);
      cells.lngs.push(lng!);
      cells.values.push(value === null || value === undefined ? Number.NaN : Number(value));
    }
  if (cells === undefined) throw new InvalidInput(`${name} has no rows`, { param: 'file' });
  return cells;
}

/** How a row tells its position. @throws InvalidInput */
function placeOf(name: string, row: Row): (row: Row) => readonly [lat: unknown, lng: unknown] {
  const [lat, lng] = [NAMES.lat, NAMES.lng].map((pattern) =>
    Object.keys(row).find((key) => pattern.test(key)),
  );
  if (lat !== undefined && lng !== undefined) return (one) => [one[lat], one[lng]];
  const isPoint = (value: unknown): boolean => (value as Row | null)?.['type'] === 'Point';
  const geometry = Object.keys(row).find((key) => isPoint(row[key]));
  if (geometry === undefined)
    throw new InvalidInput(
      `${name} is a table with the columns ${Object.keys(row).join(', ')}; expected lat and lng, or points of GeoParquet: the centres of the cells of a map`,
      { param: 'file' },
    );
  return (one) => {
    const [x, y] = ((one[geometry] as Row | null)?.['coordinates'] ?? []) as readonly unknown[];
    return [y, x];
  };
}

/** @throws InvalidInput that lists the columns of numbers */
function valueColumn(name: string, row: Row, wanted: string | undefined): string {
  const numbers = Object.keys(row).filter(
    (key) =>
      !NAMES.lat.test(key) &&
      !NAMES.lng.test(key) &&
      (row[key] === null || ['number', 'bigint'].includes(typeof row[key])),
  );
  const found = wanted ?? (numbers.length === 1 ? numbers[0] : undefined);
  if (found !== undefined && numbers.includes(found)) return found;
  throw new InvalidInput(
    `${name}: expected --variable with one of the columns ${numbers.join(', ') || '(there is none of numbers)'}`,
    { param: 'variable' },
  );
}

/** Evenly spaced coordinates. @throws InvalidInput when they are not, or are fewer than two */
function axisOf(name: string, what: string, values: readonly number[]) {
  const known = [...new Set(values)].toSorted((a, b) => a - b);
  const [first, last] = [known[0]!, known.at(-1)!];
  const gaps = known.slice(1).map((value, i) => value - known[i]!);
  const least = gaps.reduce((a, b) => Math.min(a, b), Infinity);
  const count = Math.round((last - first) / least) + 1;
  const step = (last - first) / (count - 1);
  const isEven = known.every((value) => {
    const at = (value - first) / step;
    return Math.abs(at - Math.round(at)) <= UNEVEN;
  });
  if (known.length < 2 || !isEven)
    throw new InvalidInput(
      `${name}: expected positions of a regular grid, got ${known.length} ${what}s that are not evenly spaced; make a map of them first, for example with gdal_grid`,
      { param: 'file' },
    );
  return { first, step, count, indexOf: (value: number) => Math.round((value - first) / step) };
}
