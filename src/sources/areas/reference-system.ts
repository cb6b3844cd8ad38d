import proj4 from 'proj4';
import { InvalidInput } from '../../base/errors.ts';
import { type Projection, projectionOf } from '../../geo/projection.ts';
import type { Shape } from './wkb.ts';

/** Equatorial radius of WGS84 and GRS80 [m]. Systems on them agree within one or two metres. */
const WGS84_RADIUS_M = 6378137;
/** Projections of well-known text that proj4js computes as PROJ does. */
const TRUSTED =
  /^(Transverse_Mercator|Gauss_Kruger|Lambert_Conformal_Conic(_[12]SP)?|Albers(_Conic_Equal_Area)?|Lambert_Azimuthal_Equal_Area|Mercator(_[12]SP)?|Polar_Stereographic|Stereographic_(North|South)_Pole|Sinusoidal|Mercator_Auxiliary_Sphere)$/i;

type ToLngLat = Pick<Projection, 'toLngLat'> | undefined;

/**
 * Finds the projection of the coordinates of a file.
 * @param name name of the file, for messages
 * @param code authority code, such as `EPSG:3857`; undefined: none
 * @param wkt well-known text, version 1 of OGC or ESRI; undefined: none
 * @returns undefined for longitudes and latitudes of WGS84
 * @throws InvalidInput for a system whose positions would be wrong here
 */
export function referenceSystem(name: string, code: string | undefined, wkt: string | undefined): ToLngLat {
  try {
    if (code !== undefined) return plain(projectionOf(code.toUpperCase()));
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
  }
  const told = wkt === undefined ? undefined : described(wkt);
  if (told !== undefined) return told.projection;
  throw new InvalidInput(
    `${name} is in a reference system that cannot be used (${code ?? wkt?.slice(0, 100) ?? 'unknown'}); convert it with ogr2ogr -t_srs EPSG:4326`,
    { param: 'file' },
  );
}

const plain = (projection: Projection): ToLngLat => (projection.isGeographic ? undefined : projection);

/** The projection of a well-known text; undefined when its positions might be wrong. */
function described(wkt: string): { readonly projection: ToLngLat } | undefined {
  // The code of the whole system is the last one.
  const [, code] = /AUTHORITY\s*\[\s*"EPSG"\s*,\s*"?(\d+)"?\s*\]\s*\]\s*$/i.exec(wkt.trim()) ?? [];
  try {
    if (code !== undefined) return { projection: plain(projectionOf(`EPSG:${code}`)) };
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
  }
  const radius = Number(/SPHEROID\s*\[[^,\]]*,\s*([\d.]+)/i.exec(wkt)?.[1]);
  const meridian = Number(/PRIMEM\s*\[[^,\]]*,\s*([-\d.]+)/i.exec(wkt)?.[1] ?? 0);
  if (radius !== WGS84_RADIUS_M || meridian !== 0) return undefined;
  if (/^\s*GEOGCS/i.test(wkt)) return { projection: undefined };
  const method = /PROJECTION\s*\[\s*"([^"]+)"/i.exec(wkt)?.[1] ?? '';
  if (!/^\s*PROJCS/i.test(wkt) || !TRUSTED.test(method)) return undefined;
  try {
    const converter = proj4(wkt);
    return {
      projection: {
        toLngLat: (x, y) => {
          const [lng, lat] = converter.inverse([x, y]);
          return [lng, lat];
        },
      },
    };
  } catch {
    return undefined;
  }
}

/** The shape in longitudes and latitudes. @throws RangeError when a position has none */
export function shapeInDegrees(
  { type, coordinates, hadHeights }: Shape,
  projection: ToLngLat,
): { readonly geometry: object; readonly hadHeights: boolean } {
  const moved = (value: unknown): unknown => {
    if (!Array.isArray(value)) return value;
    if (typeof value[0] !== 'number') return value.map(moved);
    const [x, y] = value as [number, number];
    const position = projection === undefined ? [x, y] : projection.toLngLat(x, y);
    if (!position.every(Number.isFinite))
      throw new RangeError(`the position ${x}, ${y} has no longitude and latitude`);
    return position;
  };
  return { geometry: { type, coordinates: moved(coordinates) }, hadHeights };
}
