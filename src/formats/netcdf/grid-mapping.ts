import { InvalidInput } from '../../base/errors.ts';
import { projectionDefinition, projectionOf } from '../../geo/projection.ts';
import type { ArrayFile, ArrayVariable } from '../arrays/array-file.ts';
import { textOf } from './cf-conventions.ts';
import type { NetcdfAttributes } from './header.ts';

/** Equatorial radius of WGS84 and GRS80 [m]. Systems on them agree within one or two metres. */
const WGS84_RADIUS_M = 6378137;
/** Names that writers give to the variable of a grid mapping, if the variable of values does not name it. */
const USUAL_NAMES = ['spatial_ref', 'crs'];

/** A reference system of a grid: see `Grid`. */
export interface MappedSystem {
  readonly crs: string;
  readonly proj4: string;
}

/** Parameters of PROJ by attributes of a grid mapping; each kind lists what it takes. */
type Terms = readonly (readonly [parameter: string, ...attributes: string[]])[];
const NORMAL: Terms = [
  ['x_0', 'false_easting'],
  ['y_0', 'false_northing'],
];
const ORIGIN: Terms = [['lat_0', 'latitude_of_projection_origin'], ...NORMAL];
const CENTRED: Terms = [['lon_0', 'longitude_of_projection_origin'], ...ORIGIN];
const CONIC: Terms = [['lon_0', 'longitude_of_central_meridian'], ...ORIGIN];
/**
 * Projections by the name of their grid mapping: those that proj4js computes as PROJ does.
 * @see https://cfconventions.org, appendix F
 */
const MAPPINGS: Readonly<Record<string, readonly [projection: string, terms: Terms]>> = {
  transverse_mercator: ['tmerc', [...CONIC, ['k', 'scale_factor_at_central_meridian']]],
  lambert_conformal_conic: ['lcc', CONIC],
  albers_conical_equal_area: ['aea', CONIC],
  lambert_azimuthal_equal_area: ['laea', CENTRED],
  azimuthal_equidistant: ['aeqd', CENTRED],
  stereographic: ['stere', [...CENTRED, ['k', 'scale_factor_at_projection_origin']]],
  polar_stereographic: [
    'stere',
    [
      ['lon_0', 'straight_vertical_longitude_from_pole', 'longitude_of_projection_origin'],
      ['lat_ts', 'standard_parallel'],
      ['k', 'scale_factor_at_projection_origin'],
      ...ORIGIN,
    ],
  ],
  mercator: [
    'merc',
    [
      ['lon_0', 'longitude_of_projection_origin'],
      ['lat_ts', 'standard_parallel'],
      ['k', 'scale_factor_at_projection_origin'],
      ...NORMAL,
    ],
  ],
  lambert_cylindrical_equal_area: [
    'cea',
    [['lon_0', 'longitude_of_central_meridian'], ['lat_ts', 'standard_parallel'], ...NORMAL],
  ],
  sinusoidal: [
    'sinu',
    [['lon_0', 'longitude_of_central_meridian', 'longitude_of_projection_origin'], ...NORMAL],
  ],
};

/** The attributes of the grid mapping of a variable; undefined where the file has none. */
export function gridMapping(file: ArrayFile, variable: ArrayVariable): NetcdfAttributes | undefined {
  const own = variable.attributes;
  // The longer form names the coordinates behind each mapping: `crs: x y`.
  const named = /^[^\s:]+/.exec(textOf(own, 'grid_mapping') ?? '')?.[0];
  const group = variable.name.includes('/') ? variable.name.slice(0, variable.name.lastIndexOf('/') + 1) : '';
  const names = named === undefined ? USUAL_NAMES : [named];
  for (const name of names) {
    const found = file.find(`${group}${name}`) ?? file.find(name);
    if (found !== undefined) return found.attributes;
  }
  return own.has('crs_wkt') || own.has('spatial_ref') ? own : undefined;
}

/**
 * The reference system of a grid mapping: that of its EPSG code, else that of its parameters.
 * @param name name of the file, for messages
 * @throws InvalidInput for a system whose positions would be wrong here
 * @see https://cfconventions.org, 5.6
 */
export function mappedSystem(name: string, mapping: NetcdfAttributes): MappedSystem {
  const kind = textOf(mapping, 'grid_mapping_name');
  if (kind === 'rotated_latitude_longitude')
    throw unusable(name, 'it has a rotated pole (rotated_latitude_longitude)');
  const wkt = textOf(mapping, 'crs_wkt') ?? textOf(mapping, 'spatial_ref');
  // The code of the whole system is the last one.
  const inText = /(?:AUTHORITY|ID)\s*\[\s*"EPSG"\s*,\s*"?(\d+)"?\s*\]\s*\]\s*$/i.exec(wkt?.trim() ?? '')?.[1];
  const code = inText ?? /(\d+)$/.exec(textOf(mapping, 'epsg_code') ?? '')?.[1];
  const known = code === undefined ? undefined : definitionOf(`EPSG:${code}`);
  if (known !== undefined) return { crs: `EPSG:${code}`, proj4: known };
  const [projection, terms] = MAPPINGS[kind ?? ''] ?? [];
  if (projection === undefined)
    throw unusable(
      name,
      kind === undefined
        ? `its system has no EPSG code that is known here, and no grid_mapping_name${code === undefined ? '' : ` (EPSG:${code})`}`
        : `grid_mapping_name is ${kind}`,
    );
  const parameters = terms!.flatMap(([parameter, ...attributes]) => {
    const value = attributes.map((one) => numbersOf(mapping, one)?.[0]).find((one) => one !== undefined);
    return value === undefined ? [] : [`+${parameter}=${value}`];
  });
  if (projection === 'lcc' || projection === 'aea') parameters.push(...parallels(name, mapping));
  if (kind === 'polar_stereographic' && !mapping.has('latitude_of_projection_origin'))
    parameters.push(`+lat_0=${(numbersOf(mapping, 'standard_parallel')?.[0] ?? 90) < 0 ? -90 : 90}`);
  const proj4 = [`+proj=${projection}`, ...parameters, ellipsoid(name, mapping), '+units=m +no_defs'].join(
    ' ',
  );
  try {
    projectionOf(proj4);
  } catch (cause) {
    throw unusable(name, `its parameters make no projection (${proj4})`, cause);
  }
  return { crs: 'custom', proj4 };
}

function unusable(name: string, why: string, cause?: unknown): InvalidInput {
  return new InvalidInput(
    `${name} is in a reference system that cannot be used: ${why}; warp it, for example with gdalwarp -t_srs EPSG:4326`,
    { param: 'values', cause },
  );
}

function definitionOf(code: string): string | undefined {
  try {
    return projectionDefinition(code);
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

function numbersOf(attributes: NetcdfAttributes, name: string): readonly number[] | undefined {
  const value = attributes.get(name);
  if (typeof value !== 'string') return value;
  const number = Number(value);
  return value.trim() === '' || !Number.isFinite(number) ? undefined : [number];
}

/** One or two standard parallels of a conic projection. */
function parallels(name: string, mapping: NetcdfAttributes): readonly string[] {
  const [first, second = first] = numbersOf(mapping, 'standard_parallel') ?? [];
  if (first === undefined) throw unusable(name, 'standard_parallel is missing in its grid mapping');
  return [`+lat_1=${first}`, `+lat_2=${second!}`];
}

/** The ellipsoid; WGS84 where the mapping has none, as GDAL takes it. */
function ellipsoid(name: string, mapping: NetcdfAttributes): string {
  const [meridian = 0] = numbersOf(mapping, 'longitude_of_prime_meridian') ?? [];
  if (meridian !== 0) throw unusable(name, `its prime meridian is ${meridian}`);
  const [radius] = numbersOf(mapping, 'earth_radius') ?? [];
  if (radius !== undefined) return `+a=${radius} +b=${radius}`;
  const [major] = numbersOf(mapping, 'semi_major_axis') ?? [];
  if (major === undefined) return '+datum=WGS84';
  const [minor] = numbersOf(mapping, 'semi_minor_axis') ?? [];
  const [flattening] = numbersOf(mapping, 'inverse_flattening') ?? [];
  const isSphere = minor === major || flattening === 0;
  const shift = numbersOf(mapping, 'towgs84');
  if (major !== WGS84_RADIUS_M && !isSphere && shift === undefined)
    throw unusable(name, `its ellipsoid has a radius of ${major} m, whose shift to WGS84 is not known here`);
  if (isSphere) return `+a=${major} +b=${major}`;
  const shape =
    flattening !== undefined
      ? `+rf=${flattening}`
      : minor !== undefined
        ? `+b=${minor}`
        : '+rf=298.257223563';
  return `+a=${major} ${shape} +towgs84=${(shift ?? [0, 0, 0]).join(',')}`;
}
