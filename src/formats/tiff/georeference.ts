import { globals } from 'geotiff';
import { InvalidInput } from '../../base/errors.ts';
import type { Grid } from '../../geo/grid.ts';
import { type Projection, projectionDefinition, projectionOf } from '../../geo/projection.ts';
import type { TiffDirectory } from './directory.ts';
import { describedSystem, type DescribedSystem, isMap, type GeoKeyValues } from './projection.ts';

/** Value of GTRasterTypeGeoKey: the tie point is the centre of a pixel, not its corner (OGC 19-008, 7.1.2). */
const PIXEL_IS_POINT = 2;
/** Code of a user-defined reference system (OGC 19-008). EPSG codes are lower. */
const USER_DEFINED = 32767;
/** Step of positions with 7 decimals, in which outlines of pixels are stated [degrees]. It is a centimetre. */
const SMALLEST_PIXEL = 1e-7;

function geoKeys(directory: TiffDirectory): GeoKeyValues | null {
  const entries = directory.numbers('GeoKeyDirectory');
  if (entries === null || entries.length < 4) return null;
  const doubles = directory.numbers('GeoDoubleParams') ?? new Float64Array();
  const ascii = directory.text('GeoAsciiParams') ?? '';
  const names: Readonly<Record<number, string>> = globals.geoKeyNames;
  const keys: Record<string, number | string | readonly number[]> = {};
  for (let i = 4; i + 3 < entries.length; i += 4) {
    const [id, location, count, value] = entries.subarray(i, i + 4) as unknown as [
      number,
      number,
      number,
      number,
    ];
    const name = names[id];
    if (name === undefined) continue;
    if (location === 0) keys[name] = value;
    else if (location === 34737) keys[name] = ascii.slice(value, value + count).replace(/\|$/, '');
    else if (location === 34736) {
      const found = [...doubles.subarray(value, value + count)];
      keys[name] = found.length === 1 ? found[0]! : found;
    }
  }
  return keys;
}

/** Values of VerticalUnitsGeoKey that mean feet (EPSG 9002 and 9003), with the names of the units. */
const FEET: Readonly<Record<number, string>> = { 9002: 'ft', 9003: 'US survey ft' };

/** Unit of the vertical axis when it is feet; null for metres or no vertical axis. */
export function heightUnit(directory: TiffDirectory): string | null {
  const unit = geoKeys(directory)?.['VerticalUnitsGeoKey'];
  return typeof unit === 'number' ? (FEET[unit] ?? null) : null;
}

/**
 * Returns the EPSG code of the coordinates; null when it is missing or user-defined. A projected map also contains
 * the code of its geographic system, which is ignored.
 */
function epsgCode(keys: GeoKeyValues): number | null {
  const names = isMap(keys) ? ['ProjectedCSTypeGeoKey'] : ['ProjectedCSTypeGeoKey', 'GeographicTypeGeoKey'];
  for (const name of names) {
    const code = keys[name];
    if (typeof code === 'number' && code > 0) return code < USER_DEFINED ? code : null;
  }
  return null;
}

/**
 * Returns the PROJ definition of a code that `geo` knows; null for other codes. The definition contains the datum,
 * which the GeoKeys package omits.
 */
function knownDefinition(code: number | null): string | null {
  try {
    return code === null ? null : projectionDefinition(`EPSG:${code}`);
  } catch (error) {
    if (error instanceof RangeError) return null;
    throw error;
  }
}

function affine(name: string, directory: TiffDirectory, keys: GeoKeyValues): Grid['transform'] {
  const matrix = directory.numbers('ModelTransformation');
  const scale = directory.numbers('ModelPixelScale');
  const ties = directory.numbers('ModelTiepoint');
  let t: [number, number, number, number, number, number];
  if (scale !== null && scale.length >= 2 && ties?.length === 6) {
    const [i, j, , x, y] = ties as unknown as number[];
    t = [x! - i! * scale[0]!, scale[0]!, 0, y! + j! * scale[1]!, 0, -scale[1]!];
  } else if (matrix !== null && matrix.length >= 8) {
    t = [matrix[3]!, matrix[0]!, matrix[1]!, matrix[7]!, matrix[4]!, matrix[5]!];
  } else if (ties !== null && ties.length > 6) {
    throw new InvalidInput(
      `${name} has ${ties.length / 6} ground control points and no transform; expected a regular grid: warp it first`,
    );
  } else {
    throw new InvalidInput(`${name} does not say where its pixels are; expected a GeoTIFF with a transform`);
  }
  if (keys['GTRasterTypeGeoKey'] === PIXEL_IS_POINT) {
    t[0] -= (t[1] + t[2]) / 2;
    t[3] -= (t[4] + t[5]) / 2;
  }
  if (!t.every(Number.isFinite) || t[1] * t[5] === t[2] * t[4]) {
    throw new InvalidInput(`${name} has a transform that maps its pixels to a line: ${t.join(', ')}`);
  }
  return t;
}

/** {@link describedSystem}, whose packages also throw other errors for parameters of a wrong kind. @throws InvalidInput */
function ownSystem(name: string, keys: GeoKeyValues, code: number | null): DescribedSystem {
  try {
    return describedSystem(name, keys, code);
  } catch (error) {
    if (error instanceof InvalidInput) throw error;
    throw new InvalidInput(
      `${name} has a reference system whose parameters do not fit together; expected the GeoKeys of one: ${(error as Error).message}`,
      { cause: error },
    );
  }
}

function projectionIn(name: string, text: string): Projection {
  try {
    return projectionOf(text);
  } catch (cause) {
    throw new InvalidInput(`${name} has a reference system that cannot be used: ${text}`, { cause });
  }
}

/**
 * The grid of an image: its reference system and transform as stored, which may be rotated or bottom-up.
 * @throws InvalidInput when the file has no grid, or a grid that would put pixels in the wrong place
 * @see OGC 19-008 (GeoTIFF 1.1)
 */
export function readGrid(name: string, directory: TiffDirectory, width: number, height: number): Grid {
  const keys = geoKeys(directory) ?? {};
  const stored = affine(name, directory, keys);
  const code = epsgCode(keys);
  const described =
    code !== null ||
    Object.keys(keys).some((key) => /^(Proj|Geog).*(CoordTrans|Ellipsoid|SemiMajor|Datum)/.test(key));
  if (!described) {
    throw new InvalidInput(
      `${name} has no reference system; expected a GeoTIFF with one, such as EPSG:32633`,
    );
  }
  const known = knownDefinition(code);
  const { definition: text, metresPerUnit } =
    known === null ? ownSystem(name, keys, code) : { definition: known, metresPerUnit: 1 };
  const transform = stored.map((value) => value * metresPerUnit) as unknown as Grid['transform'];
  const x = transform[0] + (width / 2) * transform[1] + (height / 2) * transform[2];
  const y = transform[3] + (width / 2) * transform[4] + (height / 2) * transform[5];
  const projection = projectionIn(name, text);
  const [lng, lat] = projection.toLngLat(x, y);
  // Longitudes may run past 180, as in a grid from 0 to 360.
  if (!(Math.abs(lng) <= 540 && Math.abs(lat) <= 90)) {
    throw new InvalidInput(
      `${name} has its middle at x ${x}, y ${y}, which is no place on Earth in its reference system`,
    );
  }
  for (const column of [1, 2] as const) {
    const [nextLng, nextLat] = projection.toLngLat(x + transform[column], y + transform[column + 3]!);
    if (Math.max(Math.abs(nextLng - lng), Math.abs(nextLat - lat)) < SMALLEST_PIXEL)
      throw new InvalidInput(
        `${name} has pixels of less than a centimetre in its reference system; if its transform is in degrees, it needs one in degrees, such as EPSG:4326`,
      );
  }
  const crs = code === null || metresPerUnit !== 1 ? 'custom' : `EPSG:${code}`;
  return { width, height, crs, proj4: text, transform };
}
