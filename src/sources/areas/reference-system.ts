import proj4 from 'proj4';
import { InvalidInput } from '../../base/errors.ts';
import { describedSystem } from '../../formats/tiff/projection.ts';
import { type Projection, projectionOf } from '../../geo/projection.ts';
import type { Shape } from './wkb.ts';

/** Equatorial radius of WGS84 and GRS80 [m]. Systems on them agree within one or two metres. */
const WGS84_RADIUS_M = 6378137;
/** Projections of well-known text that proj4js computes as PROJ does. */
const TRUSTED =
  /^(Transverse_Mercator|Gauss_Kruger|Lambert_Conformal_Conic(_[12]SP)?|Albers(_Conic_Equal_Area)?|Lambert_Azimuthal_Equal_Area|Mercator(_[12]SP)?|Polar_Stereographic|Stereographic_(North|South)_Pole|Sinusoidal|Mercator_Auxiliary_Sphere)$/i;

/**
 * EPSG codes of national systems by their names in the well-known text of ESRI, which stands in `.prj` files and has no
 * codes. Their datums need a shift to WGS84, which that text lacks.
 * @see https://developers.arcgis.com/documentation/spatial-references
 */
const ESRI_NAMES: Readonly<Record<string, number>> = {
  British_National_Grid: 27700,
  'CH1903+_LV95': 2056,
  CH1903_LV03: 21781,
  RD_New: 28992,
  Belge_Lambert_1972: 31370,
  MGI_Austria_Lambert: 31287,
  MGI_Austria_GK_West: 31254,
  MGI_Austria_GK_Central: 31255,
  MGI_Austria_GK_East: 31256,
  DHDN_3_Degree_Gauss_Zone_2: 31466,
  DHDN_3_Degree_Gauss_Zone_3: 31467,
  DHDN_3_Degree_Gauss_Zone_4: 31468,
  DHDN_3_Degree_Gauss_Zone_5: 31469,
  Monte_Mario_Italy_1: 3003,
  Monte_Mario_Italy_2: 3004,
  MGI_1901_Slovene_National_Grid: 3912,
  Hungarian_1972_Egyseges_Orszagos_Vetuleti: 23700,
  RT90_25_gon_V: 3021,
  ED_1950_UTM_Zone_30N: 23030,
  ED_1950_UTM_Zone_31N: 23031,
  ED_1950_UTM_Zone_32N: 23032,
  TM65_Irish_Grid: 29902,
  Hong_Kong_1980_Grid: 2326,
  'WGS_1984_EASE-Grid_2.0_Global': 6933,
};

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
  const coded = code === undefined ? undefined : byCode(code);
  if (coded !== undefined) return coded.projection;
  const told = wkt === undefined ? undefined : described(wkt);
  if (told !== undefined) return told.projection;
  if (code === undefined && wkt === undefined) throw unnamed(name);
  throw new InvalidInput(
    `${name} is in a reference system that cannot be used (${code ?? wkt?.slice(0, 100)}); convert it with ogr2ogr -t_srs EPSG:4326`,
    { param: 'file' },
  );
}

/** The refusal of a file that does not say in which reference system it is. */
export function unnamed(name: string): InvalidInput {
  return new InvalidInput(
    `${name} names no reference system; write it with the one that it is in, for example with ogr2ogr -a_srs EPSG:4326`,
    { param: 'file' },
  );
}

/** The projection of an authority code; undefined when its positions might be wrong. */
function byCode(code: string): { readonly projection: ToLngLat } | undefined {
  try {
    return { projection: plain(projectionOf(code.toUpperCase())) };
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
  }
  const number = Number(/^EPSG:(\d{4,5})$/i.exec(code)?.[1]);
  return Number.isNaN(number) ? undefined : national(number);
}

/** A projected system of the table that GeoTIFFs are read by. */
function national(code: number): { readonly projection: ToLngLat } | undefined {
  try {
    const keys = { GTModelTypeGeoKey: 1, ProjectedCSTypeGeoKey: code };
    const { definition, metresPerUnit } = describedSystem('', keys, code);
    const projection = projectionOf(definition);
    return { projection: { toLngLat: (x, y) => projection.toLngLat(x * metresPerUnit, y * metresPerUnit) } };
  } catch (error) {
    if (error instanceof InvalidInput || error instanceof RangeError) return undefined;
    throw error;
  }
}

const plain = (projection: Projection): ToLngLat => (projection.isGeographic ? undefined : projection);

/** The projection of a well-known text; undefined when its positions might be wrong. */
function described(wkt: string): { readonly projection: ToLngLat } | undefined {
  // The code of the whole system is the last one.
  const [, code] = /AUTHORITY\s*\[\s*"EPSG"\s*,\s*"?(\d+)"?\s*\]\s*\]\s*$/i.exec(wkt.trim()) ?? [];
  const named = ESRI_NAMES[/^\s*PROJCS\s*\[\s*"([^"]+)"/i.exec(wkt)?.[1] ?? ''];
  const coded = [code, named].find((one) => one !== undefined);
  const known = coded === undefined ? undefined : byCode(`EPSG:${coded}`);
  if (known !== undefined) return known;
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
