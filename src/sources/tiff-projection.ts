import { toProj4 } from 'geotiff-geokeys-to-proj4';
import type { GeoKeys } from 'geotiff-geokeys-to-proj4';
import { InvalidInput } from '../app/errors.ts';

/** What the GeoKeys of a file say, by the names of OGC 19-008. */
export type GeoKeyValues = Readonly<Record<string, number | string | readonly number[]>>;

/** Equatorial radius of WGS84 and GRS80 [m]: systems on them lie within a metre or two of each other. */
const WGS84_RADIUS_M = 6378137;
/** GTModelTypeGeoKey: coordinates are degrees, not of a map (OGC 19-008, 7.1.1). */
const MODEL_GEOGRAPHIC = 2;
/** ProjMethodGeoKey of polar stereographic maps. */
const POLAR_STEREOGRAPHIC = 15;
/** GeogAngularUnitsGeoKey: degrees. */
const DEGREE = 9102;
/** Map projections that proj4js draws as PROJ does, within a metre (compared point by point with PROJ 9.1). */
const TRUSTED = new Set(
  'longlat utm tmerc merc lcc laea aea aeqd stere sterea somerc cass eqdc eqc cea sinu poly robin gnom'.split(
    ' ',
  ),
);

/** Whether the coordinates are those of a map, also of one that no key describes. */
export function isMap(keys: GeoKeyValues): boolean {
  return (keys['GTModelTypeGeoKey'] ?? MODEL_GEOGRAPHIC) !== MODEL_GEOGRAPHIC;
}

/**
 * PROJ definition from the parameters in a file, or from a code by the package's table.
 * @param code EPSG code, null for a system of the file's own
 * @throws InvalidInput for a system that would put pixels in the wrong place
 */
export function describedDefinition(name: string, keys: GeoKeyValues, code: number | null): string {
  const result = toProj4(keys as unknown as GeoKeys);
  // Set for every file with its own parameters; the projected system is then used, as it should.
  const { bothGCSAndPCSAreSet: _, ...errors } = result.errors;
  const { x, y } = result.coordinatesConversionParameters;
  if (Object.keys(errors).length > 0 || x !== 1 || y !== 1)
    throw unusable(name, code, Object.keys(errors).join(', ') || 'unit');
  // proj4js takes axis orders of three letters only, and sees a shift in a zero meridian.
  const text = mended(result.proj4.replaceAll(/\+(axis=\w+|pm=0) /g, '').trim(), keys);
  const projection = /\+proj=(\w+)/.exec(text)?.[1] ?? '';
  // A map whose projection has no key of its own (Mollweide, Eckert, geostationary) would pass for degrees.
  if (projection === 'longlat' && isMap(keys))
    throw unusable(name, code, 'a projection that GeoTIFF has no key for');
  if (!TRUSTED.has(projection)) throw unusable(name, code, `the projection ${projection}`);
  checkDatum(name, code, text);
  return text;
}

function unusable(name: string, code: number | null, why: string): InvalidInput {
  return new InvalidInput(
    `${name} is in a reference system that cannot be used (${code === null ? 'its own parameters' : `EPSG:${code}`}: ` +
      `${why}); warp it, for example with gdalwarp -t_srs EPSG:4326`,
  );
}

/** Gives proj4js what the package leaves out or names otherwise: the pole of polar maps, the latitude of true scale. */
function mended(text: string, keys: GeoKeyValues): string {
  const of = (parameter: string): number | null => {
    const found = new RegExp(`\\+${parameter}=(\\S+)`).exec(text)?.[1];
    return found === undefined ? null : Number(found);
  };
  if (/\+proj=(merc|eqc|cea)\b/.test(text)) {
    const scale = of('lat_1');
    return scale === null ? text : `${without(text, 'lat_1', 'lat_ts')} +lat_ts=${scale}`;
  }
  if (!text.includes('+proj=stere ')) return text;
  const scale = of('lat_ts');
  if (scale !== null) return of('lat_0') === null ? `${text} +lat_0=${Math.sign(scale) * 90}` : text;
  const { ProjCoordTransGeoKey: method, GeogAngularUnitsGeoKey: unit = DEGREE } = keys;
  const latitude = keys['ProjNatOriginLatGeoKey'];
  if (method !== POLAR_STEREOGRAPHIC || unit !== DEGREE || typeof latitude !== 'number') return text;
  const meridian = keys['ProjStraightVertPoleLongGeoKey'] ?? keys['ProjNatOriginLongGeoKey'] ?? 0;
  const pole = `${without(text, 'lat_0', 'lon_0')} +lat_0=${latitude < 0 ? -90 : 90} +lon_0=${String(meridian)}`;
  return Math.abs(latitude) === 90 ? pole : `${without(pole, 'k_0', 'k')} +lat_ts=${latitude}`;
}

function without(text: string, ...parameters: string[]): string {
  return parameters
    .reduce((rest, parameter) => rest.replace(new RegExp(`\\+${parameter}=\\S+ ?`), ''), text)
    .trim();
}

/** Refuses datums whose shift to WGS84 is not known: a silent error of 50 to 500 m. */
function checkDatum(name: string, code: number | null, text: string): void {
  const [a, b] = ['a', 'b'].map((axis) => Number(new RegExp(`\\+${axis}=(\\S+)`).exec(text)?.[1]));
  // Systems on a sphere (MODIS) are made from WGS84 positions without a shift.
  if (a === WGS84_RADIUS_M || a === b || text.includes('+towgs84=')) return;
  throw new InvalidInput(
    `${name} is in ${code === null ? 'a reference system' : `EPSG:${code}`} on an ellipsoid of radius ${a} m, ` +
      'whose shift to WGS84 is not known here; warp it, for example with gdalwarp -t_srs EPSG:4326',
  );
}
