import { createRequire } from 'node:module';
import type { GeoKeys } from 'geotiff-geokeys-to-proj4';
import { InvalidInput } from '../../base/errors.ts';
import { projectionDefinition } from '../../geo/projection.ts';

/** GeoKeys of a file by their names in OGC 19-008. */
export type GeoKeyValues = Readonly<Record<string, number | string | readonly number[]>>;

/** Equatorial radius of both WGS84 and GRS80 [m]. Systems on these ellipsoids agree within one or two metres. */
const WGS84_RADIUS_M = 6378137;
/** Value of GTModelTypeGeoKey: coordinates are geographic, not projected (OGC 19-008, 7.1.1). */
const MODEL_GEOGRAPHIC = 2;
/** Value of ProjMethodGeoKey for polar stereographic maps. */
const POLAR_STEREOGRAPHIC = 15;
/** Value of GeogAngularUnitsGeoKey: degrees. */
const DEGREE = 9102;
/** Value of ProjMethodGeoKey for southern African maps, whose axes run west and south. */
const SOUTH_ORIENTED = 27;
/**
 * Names of Web Mercator in GDAL and ArcGIS. This projection has no GeoKey: it applies spherical formulas to
 * ellipsoidal coordinates.
 */
const WEB_MERCATOR = /Mercator_Auxiliary_Sphere|WGS_1984_Web_Mercator|Pseudo-Mercator/;
/**
 * Datum shifts to WGS84 that the GeoKeys package lacks or applies with the wrong sign, which would move positions by
 * 30 to 325 m. The codes are those of geographic systems and of projected systems based on them. Parameters are x, y,
 * z [m], rotations [arc-seconds, position vector] and scale [ppm] of the EPSG transformation whose number is given on
 * each line.
 */
const SHIFTS: readonly (readonly [codes: readonly number[], towgs84: string])[] = [
  [[4121, 2100], '-199.87,74.79,246.62'], // GGRS87: transformation 1272
  // RT90: transformation 1896.
  [[4124, 2400, 3019, 3020, 3021, 3022, 3023, 3024], '414.1,41.3,603.1,-0.855,2.141,-7.023,0'],
  [[4141, 2039], '23.772,17.49,17.859,-0.3132,-1.85274,1.67299,-5.4262'], // Israel 1993: transformation 9676
  [[4265, 3003, 3004], '-104.1,-49.1,-9.9,0.971,-2.917,0.714,-11.68'], // Monte Mario: transformation 1660
  // Pulkovo 1942: transformation 5044.
  [[4284, ...Array.from({ length: 31 }, (_, i) => 28402 + i)], '23.57,-140.95,-79.8,0,0.35,0.79,-0.22'],
  [[4299, 29902], '482.5,-130.6,564.6,-1.042,-0.214,-0.631,8.15'], // TM65: transformation 1641
  // MGI: transformation 1618.
  [[4312, 31254, 31255, 31256, 31287], '577.326,90.129,463.919,5.137,1.474,5.297,2.4232'],
  [[4313, 31370], '-106.8686,52.2978,-103.7239,0.3366,-0.457,1.8422,-1.2747'], // BD72: transformation 15929
  [[4314, 31466, 31467, 31468, 31469], '598.1,73.7,418.2,0.202,0.045,-2.455,6.7'], // DHDN: transformation 1777
  [[4611, 2326], '-162.619,-276.959,-161.764,0.067753,-2.243648,-1.158828,-1.094246'], // HK 1980: transformation 1825
  [[3912], '476.08,125.947,417.81,4.610862,2.388137,-11.942335,9.896638'], // MGI 1901: transformation 8688, of Slovenia
  [[4272], '59.47,-5.04,187.44,0.47,-0.1,1.024,-4.5993'], // NZGD49: transformation 1564
  [
    [4756, 3405, 3406],
    '-191.90441429,-39.30318279,-111.45032835,0.00928836,-0.01975479,0.00427372,0.252906278',
  ], // VN-2000: transformation 6960
];
/** Projections in which proj4js and PROJ agree within a metre (compared point by point with PROJ 9.1). */
const TRUSTED = new Set(
  'longlat utm tmerc merc lcc laea aea aeqd stere sterea somerc cass eqdc eqc cea sinu poly robin gnom'.split(
    ' ',
  ),
);

/** Whether the coordinates are projected, even if no key describes the projection. */
export function isMap(keys: GeoKeyValues): boolean {
  return (keys['GTModelTypeGeoKey'] ?? MODEL_GEOGRAPHIC) !== MODEL_GEOGRAPHIC;
}

/** A reference system, and the unit of the file's coordinates. A projected system is defined in metres. */
export interface DescribedSystem {
  readonly definition: string;
  /** Metres per unit of the coordinates in the file; 1 for degrees. */
  readonly metresPerUnit: number;
}

/**
 * Makes the definition of a reference system from the parameters in a file, or from the entry of its code in the
 * GeoKeys package's table.
 * @param code EPSG code; null for a user-defined system
 * @throws InvalidInput for a system that would put pixels in the wrong place
 */
export function describedSystem(name: string, keys: GeoKeyValues, code: number | null): DescribedSystem {
  const names = [keys['GTCitationGeoKey'], keys['PCSCitationGeoKey']].join(' ');
  if (code === null && WEB_MERCATOR.test(names))
    return { definition: projectionDefinition('EPSG:3857'), metresPerUnit: 1 };
  const result = geoKeysPackage().toProj4(keys as unknown as GeoKeys);
  // The package sets this error for every file with its own parameters, although it then correctly uses the projected
  // system. The error is ignored.
  const { bothGCSAndPCSAreSet: _, ...errors } = result.errors;
  // A file may leave out the unit, which its code has then. The package takes it for metres.
  const { x, y } =
    keys['ProjLinearUnitsGeoKey'] === undefined ? unitOf(result) : result.coordinatesConversionParameters;
  // State Plane maps may be in feet and sea ice maps in kilometres. Geographic systems must be in degrees.
  const hasUnit = x === y && (x === 1 || (x > 0 && isMap(keys)));
  if (Object.keys(errors).length > 0 || !hasUnit)
    throw unusable(name, code, Object.keys(errors).join(', ') || 'unit');
  if (keys['ProjCoordTransGeoKey'] === SOUTH_ORIENTED || result.proj4.includes('+axis=ws'))
    throw unusable(name, code, 'axes to the west and the south');
  // proj4js only accepts axis orders of three letters, and treats a zero prime meridian as a shift.
  const plain = result.proj4.replaceAll(/\+(axis=\w+|pm=0|to_meter=\S+) /g, '').trim();
  const text = shifted(mended(plain, keys), code ?? keys['GeographicTypeGeoKey']);
  const projection = /\+proj=(\w+)/.exec(text)?.[1] ?? '';
  // A projection without a GeoKey (Mollweide, Eckert, geostationary) would be read as degrees.
  if (projection === 'longlat' && isMap(keys))
    throw unusable(name, code, 'a projection that GeoTIFF has no key for');
  if (!TRUSTED.has(projection)) throw unusable(name, code, `the projection ${projection}`);
  checkDatum(name, code, text);
  return { definition: text, metresPerUnit: x };
}

type GeoKeysPackage = typeof import('geotiff-geokeys-to-proj4');
type Converted = ReturnType<GeoKeysPackage['toProj4']>;

let loaded: GeoKeysPackage | undefined;

/** The GeoKeys package. Its table takes 12 MB, so it is loaded for the first file that needs it: few do. */
function geoKeysPackage(): GeoKeysPackage {
  loaded ??= createRequire(import.meta.url)('geotiff-geokeys-to-proj4') as GeoKeysPackage;
  return loaded;
}

/** Metres per unit of x and of y, by the definition of a code. */
function unitOf({ proj4, coordinatesConversionParameters: declared }: Converted): {
  readonly x: number;
  readonly y: number;
} {
  const metres = Number(/\+to_meter=(\S+)/.exec(proj4)?.[1] ?? 1);
  return { x: declared.x * metres, y: declared.y * metres };
}

function unusable(name: string, code: number | null, why: string): InvalidInput {
  return new InvalidInput(
    `${name} is in a reference system that cannot be used (${code === null ? 'its own parameters' : `EPSG:${code}`}: ` +
      `${why}); warp it, for example with gdalwarp -t_srs EPSG:4326`,
  );
}

/**
 * Adds or corrects parameters that the package omits or gives under another name: the pole and the central meridian of
 * polar maps, and the latitude of true scale.
 */
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

function shifted(text: string, code: unknown): string {
  const shift = SHIFTS.find(([codes]) => codes.some((known) => known === code))?.[1];
  return shift === undefined ? text : `${without(text, 'towgs84')} +towgs84=${shift}`;
}

function without(text: string, ...parameters: string[]): string {
  return parameters
    .reduce((rest, parameter) => rest.replace(new RegExp(`\\+${parameter}=\\S+ ?`), ''), text)
    .trim();
}

/**
 * Refuses datums whose shift to WGS84 is not known. Without the shift, positions would silently be wrong by 50 to 500
 * m.
 */
function checkDatum(name: string, code: number | null, text: string): void {
  const [a, b] = ['a', 'b'].map((axis) => Number(new RegExp(`\\+${axis}=(\\S+)`).exec(text)?.[1]));
  // Systems on a sphere (MODIS) are computed from WGS84 positions without a shift.
  if (a === WGS84_RADIUS_M || a === b || text.includes('+towgs84=')) return;
  throw new InvalidInput(
    `${name} is in ${code === null ? 'a reference system' : `EPSG:${code}`} on an ellipsoid of radius ${a} m, ` +
      'whose shift to WGS84 is not known here; warp it, for example with gdalwarp -t_srs EPSG:4326',
  );
}
