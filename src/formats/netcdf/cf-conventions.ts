import { InvalidInput } from '../../base/errors.ts';
import type { ArrayFile, ArrayVariable } from '../arrays/array-file.ts';
import type { NetcdfAttributes } from './header.ts';

/** Reads variables by the Climate and Forecast (CF) conventions. @see https://cfconventions.org */

/** Default fill values by type: the netCDF library stores them where no value was written (netcdf.h). */
const DEFAULT_FILL = {
  short: -32_767,
  ushort: 65_535,
  int: -2_147_483_647,
  uint: 4_294_967_295,
  int64: -(2 ** 63), // -9223372036854775806 in double precision
  float: 9.969_209_968_386_869e36,
  double: 9.969_209_968_386_869e36,
};
/**
 * An unpacked value whose magnitude is below this share of the packing step is taken to be a rounding error and set to
 * 0 [1] (our choice).
 */
const STEP_ROUNDING = 1e-3;

/** CF standard names of our metrics. @see https://cfconventions.org/Data/cf-standard-names */
const STANDARD_NAMES: Readonly<Record<string, readonly string[]>> = {
  temperature: ['air_temperature'],
  humidity: ['relative_humidity'],
  wind: ['wind_speed'],
  gust: ['wind_speed_of_gust'],
  pressure: [
    'air_pressure_at_mean_sea_level',
    'air_pressure_at_sea_level',
    'surface_air_pressure',
    'air_pressure',
  ],
  precipitation: [
    'precipitation_amount',
    'lwe_thickness_of_precipitation_amount',
    'thickness_of_rainfall_amount',
    'rainfall_amount',
  ],
  river_flow: ['water_volume_transport_in_river_channel'],
  river_level: ['water_surface_height_above_reference_datum'],
  snow_depth: ['surface_snow_thickness'],
  soil_moisture: ['volume_fraction_of_condensed_water_in_soil'],
  ndvi: ['normalized_difference_vegetation_index'],
};

/** The axis that a dimension or a coordinate variable runs along. */
export type Axis = 'time' | 'lat' | 'lng';

export function textOf(attributes: NetcdfAttributes, name: string): string | undefined {
  const value = attributes.get(name);
  return typeof value === 'string' ? value.trim() : undefined;
}

function numberOf(attributes: NetcdfAttributes, name: string): number | undefined {
  const value = attributes.get(name);
  return typeof value === 'string' ? undefined : value?.[0];
}

/** The axis of a coordinate variable; undefined for a variable of values. */
export function axisOf({ name, attributes, type }: ArrayVariable): Axis | undefined {
  if (type === 'char' || type === 'string') return undefined;
  const units = textOf(attributes, 'units') ?? '';
  const standard = textOf(attributes, 'standard_name');
  const title = name.slice(name.lastIndexOf('/') + 1).toLowerCase(); // without its groups
  if (
    /^degrees?_?n(orth)?$/iu.test(units) ||
    standard === 'latitude' ||
    title === 'lat' ||
    title === 'latitude'
  )
    return 'lat';
  if (
    /^degrees?_?e(ast)?$/iu.test(units) ||
    standard === 'longitude' ||
    ['lon', 'longitude', 'lng'].includes(title)
  )
    return 'lng';
  // Variables for the start of a forecast or the end of an interval also have units of time, but a different
  // standard name.
  if (standard === 'time' || (standard === undefined && /\ssince\s/iu.test(units))) return 'time';
  return undefined;
}

/** Finds the coordinate variable of an axis that has exactly the given dimensions; undefined if there is none. */
export function coordinate(
  file: ArrayFile,
  axis: Axis,
  dimensions: readonly string[],
): ArrayVariable | undefined {
  const along = file.variables.filter(
    (variable) =>
      axisOf(variable) === axis &&
      variable.dimensions.length === dimensions.length &&
      variable.dimensions.every(({ name }, i) => name === dimensions[i]),
  );
  return along.find(({ name }) => dimensions.includes(name)) ?? along[0];
}

/**
 * Finds the variable with the values: the requested one or, if none is requested, one that `suits` accepts. Of the
 * accepted variables, it takes the one with the metric's name; else the one with a standard name of the metric, if
 * there is exactly one; else the only accepted variable.
 * @throws InvalidInput listing the variables of the file
 */
export function valueVariable(
  file: ArrayFile,
  wanted: {
    readonly metric: string | undefined;
    readonly variable: string | undefined;
    /** The command line option that chooses a variable, for the message. */
    readonly option: string;
    readonly suits: (variable: ArrayVariable) => boolean;
    /** Which variables can be named at all; default: those along time. */
    readonly among?: (variable: ArrayVariable) => boolean;
  },
): ArrayVariable {
  const { metric, variable, option, suits } = wanted;
  const isTimed = (one: ArrayVariable): boolean => one.dimensions.some(({ name }) => times.has(name));
  const { among = isTimed } = wanted;
  const bounds = new Set(file.variables.flatMap(({ attributes }) => textOf(attributes, 'bounds') ?? []));
  const times = new Set(
    file.variables.flatMap((one) => (axisOf(one) === 'time' ? one.dimensions.map(({ name }) => name) : [])),
  );
  const there = file.variables.filter(
    (one) =>
      one.type !== 'char' &&
      one.type !== 'string' &&
      axisOf(one) === undefined &&
      !bounds.has(one.name) &&
      among(one),
  );
  const named = there.find(({ name }) => name === variable);
  if (named !== undefined) return named;
  const suiting = variable === undefined ? there.filter(suits) : [];
  const meant = suiting.filter(({ attributes }) =>
    (STANDARD_NAMES[metric ?? ''] ?? []).includes(textOf(attributes, 'standard_name') ?? ''),
  );
  const found =
    suiting.find(({ name }) => name.slice(name.lastIndexOf('/') + 1).toLowerCase() === metric) ??
    [meant, suiting].find(({ length }) => length === 1)?.[0];
  if (found !== undefined) return found;
  // The only one there is: the caller says why it does not suit.
  if (variable === undefined && suiting.length === 0 && there.length === 1) return there[0]!;
  const listed = there.map(({ name, attributes, dimensions }) => {
    const long = textOf(attributes, 'long_name') ?? textOf(attributes, 'standard_name');
    return `${name} (${dimensions.map((dimension) => dimension.name).join(', ')}${long === undefined ? '' : `: ${long}`})`;
  });
  const missing =
    variable !== undefined
      ? `there is no variable ${variable} ${wanted.among === undefined ? 'along time' : 'on a grid'}`
      : suiting.length === 0
        ? 'no variable has time and the other expected dimensions'
        : `several variables${metric === undefined ? '' : `, and none is named ${metric}`}`;
  throw new InvalidInput(
    `${file.name}: ${missing}; expected --${option} with one of ${listed.length === 0 ? '(there is none)' : listed.join('; ')}`,
    { param: option },
  );
}

/** Unit of a variable; undefined when it declares none. */
export function unitOf({ attributes }: ArrayVariable): string | undefined {
  const units = textOf(attributes, 'units');
  return units === undefined || units === '' ? undefined : units;
}

/** How the values of a variable are stored. */
export interface Packing {
  /** Value in the unit of the variable = number * scale + offset. */
  readonly scale: number;
  readonly offset: number;
  /** Stored values that mean that a value is missing; the first is that of the variable, if it has one. */
  readonly codes: readonly number[];
  /** Lowest and highest number that is no missing value. */
  readonly limits: readonly [low: number, high: number];
  /** Distance to add to negative stored values, which stand for unsigned numbers; 0: they are signed. */
  readonly turn: number;
}

/** Reads the packing of a variable from its attributes. */
export function packingOf({ attributes, type }: ArrayVariable): Packing {
  const codes = ['_FillValue', 'missing_value'].flatMap((name) => {
    const value = attributes.get(name);
    return value === undefined || typeof value === 'string' ? [] : value;
  });
  const isUnsigned = textOf(attributes, '_Unsigned') === 'true' && (type === 'byte' || type === 'short');
  const turn = isUnsigned ? (type === 'byte' ? 256 : 65_536) : 0;
  if (!attributes.has('_FillValue') && type in DEFAULT_FILL) codes.push(DEFAULT_FILL[type as 'short']);
  // Writers give the code in double precision for values in single precision.
  if (type === 'float') for (const [i, code] of codes.entries()) codes[i] = Math.fround(code);
  const range = attributes.get('valid_range');
  const limits =
    range !== undefined && typeof range !== 'string'
      ? range
      : [numberOf(attributes, 'valid_min'), numberOf(attributes, 'valid_max')];
  // The limits of unsigned values are stored in the same type, which has a sign.
  const [low, high] = limits.map((limit) =>
    turn !== 0 && limit !== undefined && limit < 0 ? limit + turn : limit,
  );
  const scale = numberOf(attributes, 'scale_factor') ?? 1;
  const offset = numberOf(attributes, 'add_offset') ?? 0;
  return { scale, offset, codes, limits: [low ?? -Infinity, high ?? Infinity], turn };
}

/**
 * Returns a function that converts stored values to numbers, in place. Fill values, codes for missing values and values
 * outside the valid range become NaN.
 */
export function missingAsNaN(packing: Packing): (stored: Float64Array) => Float64Array {
  const { limits, turn } = packing;
  const [low, high] = limits;
  const codes = new Set(packing.codes);
  return (stored) => {
    for (let i = 0; i < stored.length; i++) {
      const raw = stored[i]!;
      const number = raw < 0 ? raw + turn : raw;
      stored[i] = codes.has(raw) || number < low || number > high ? Number.NaN : number;
    }
    return stored;
  };
}

/**
 * Returns a function that converts stored values to the variable's unit, in place, with its scale and offset. Fill
 * values, codes for missing values and values outside the valid range become NaN.
 */
export function unpacker(variable: ArrayVariable): (stored: Float64Array) => Float64Array {
  const packing = packingOf(variable);
  const { scale, offset } = packing;
  const plain = missingAsNaN(packing);
  if (scale === 1 && offset === 0) return plain;
  return (stored) => {
    plain(stored);
    for (let i = 0; i < stored.length; i++) {
      const value = stored[i]! * scale + offset;
      stored[i] = Math.abs(value) < Math.abs(scale) * STEP_ROUNDING ? 0 : value;
    }
    return stored;
  };
}

/**
 * Removes the digits that a decimal number gains when it is stored as a binary fraction. A value that is stored in
 * single precision becomes the shortest decimal number with the same single-precision value. Packed values, and values
 * of other types, are rounded to 12 significant digits.
 */
export function asWritten(value: number, { type, attributes }: ArrayVariable): number {
  if (type === 'float' && !attributes.has('scale_factor') && !attributes.has('add_offset'))
    for (let digits = 6; digits < 9; digits++) {
      const short = Number(value.toPrecision(digits));
      if (Math.fround(short) === value) return short;
    }
  return Number(value.toPrecision(12));
}
