import { isFillValue } from '../../raster/fill-values.ts';
import { nearestName } from '../../base/nearest-name.ts';
import {
  convertibleUnits,
  factorTo,
  LAYER_KINDS,
  type LayerKind,
  layerKind,
} from '../../risk/layer-kinds.ts';
import { InvalidInput } from '../../base/errors.ts';
import { percentile } from '../../numerics/percentile.ts';
import type { LayerEnvironment, StoredBand } from './layer-shelf.ts';

/** The version under which a new layer is installed, and the values that the user gives for its card. */
export interface VersionRequest {
  /** Default: production, or `all` when the version is already installed for all environments. */
  readonly environment?: LayerEnvironment | undefined;
  readonly version: string;
  /** YYYY-MM-DD; default: today. */
  readonly date?: string | undefined;
  readonly licence?: string | undefined;
  readonly source?: string | undefined;
  /** Whether to remove all earlier pieces of the version. */
  readonly replace?: boolean | undefined;
}

/** A user's description of a layer to install. */
export interface LayerRequest extends VersionRequest {
  readonly layer: string;
  /** Return period [years]. */
  readonly returnPeriodYears?: number | undefined;
  /** Unit of the values; one that can be converted to the unit of the layer is. */
  readonly unit?: string | undefined;
  /** Ground resolution [m]; default: the size of the pixels. */
  readonly resolutionM?: number | undefined;
  /** Whether values are codes, which are never averaged. Allowed only for layers that no model knows. */
  readonly classes?: boolean | undefined;
  /** Whether a map named as the footprint of one event, or with unusual values, is what the request says all the same. */
  readonly keepDoubtful?: boolean | undefined;
}

/** Layer names are lower case, because the models use them as keys. */
const LAYER_NAME = /^[a-z0-9][a-z0-9-]{0,62}$/;
const VERSION_NAME = /^[A-Za-z0-9][A-Za-z0-9._+-]{0,62}$/;
/** Accepted return periods [years]. Maps in use have 1 to 1,000,000 (flood defences of the Netherlands: 10,000). */
const RETURN_PERIODS = [1, 1_000_000] as const;
/** Accepted ground resolutions [m]: from centimetres to a tenth of the Earth's circumference. */
const RESOLUTIONS_M = [0.01, 4_000_000] as const;
/** Minimum number of valid samples to check whether the maximum of a map is plausible (own choice). */
const MANY_VALUES = 100;
/**
 * Factor that multiplies the `atLeast` of a layer kind [1] (own choice). If no value of a map has a magnitude above the
 * product, the map counts as empty, not as a map in the wrong unit.
 */
const NOTHING = 1e-3;

/** @throws InvalidInput always */
export function refuse(param: string, message: string): never {
  throw new InvalidInput(message, { param });
}

/**
 * Checks a request before the file is read.
 * @returns the kind of the layer; undefined when no model knows it
 * @throws InvalidInput when the request is not valid
 */
export function checkLayerRequest(request: LayerRequest, today: string): LayerKind | undefined {
  const { layer, version, returnPeriodYears, unit, date, resolutionM } = request;
  if (!LAYER_NAME.test(layer)) {
    refuse('layer', `layer ${JSON.stringify(layer)}: expected lower-case letters, digits and dashes`);
  }
  if (!VERSION_NAME.test(version)) {
    refuse('version', `version ${JSON.stringify(version)}: expected letters, digits, dots and dashes`);
  }
  const kind = layerKind(layer);
  const [shortest, longest] = RETURN_PERIODS;
  if (returnPeriodYears !== undefined && !(returnPeriodYears >= shortest && returnPeriodYears <= longest)) {
    refuse('return-period', `return period ${returnPeriodYears}: expected ${shortest} to ${longest} years`);
  }
  if (kind?.returnPeriod === 'required' && returnPeriodYears === undefined) {
    refuse(
      'return-period',
      `layer ${layer} is a hazard map: --return-period must say of how many years. The footprint of one event has no return period, and is no hazard map by itself`,
    );
  }
  if (kind?.returnPeriod === 'none' && returnPeriodYears !== undefined) {
    refuse(
      'return-period',
      `layer ${layer} (${kind.meaning}) has no return period; got ${returnPeriodYears}`,
    );
  }
  if (kind !== undefined && unit !== undefined && factorTo(kind, unit) === undefined)
    refuseUnit(layer, kind, unit);
  if (date !== undefined && !isDay(date)) {
    refuse('date', `date ${JSON.stringify(date)}: expected a day such as 2021-06-30`);
  }
  if (date !== undefined && date > today) refuse('date', `date ${date} lies in the future`);
  const [finest, coarsest] = RESOLUTIONS_M;
  if (resolutionM !== undefined && !(resolutionM >= finest && resolutionM <= coarsest)) {
    refuse('resolution', `resolution ${resolutionM}: expected ${finest} to ${coarsest} metres`);
  }
  if (kind !== undefined && request.classes === true && kind.stepwise !== true) {
    refuse('classes', `layer ${layer} (${kind.meaning}) holds no classes`);
  }
  return kind;
}

/** Refuses a unit. @throws InvalidInput always, with advice on how to convert the unit */
export function refuseUnit(layer: string, kind: LayerKind, unit: string): never {
  const others = convertibleUnits(kind);
  refuse(
    'unit',
    `layer ${layer} (${kind.meaning}) is in ${kind.unit}; got ${unit}: convert it, or give --scale and --offset that ` +
      `make it ${kind.unit}, with --unit ${kind.unit}` +
      (others.length === 0 ? '' : `; --unit ${others.join(', ')} are converted`),
  );
}

/** Quantiles of the values of a map [unit of the layer]; `median` is undefined where no sample is known. */
export interface MapValues {
  readonly lowest: number;
  readonly median?: number | undefined;
  readonly highest: number;
}

/** Minimum number of values other than 0 from which a distribution is judged (our choice). */
const LEAST_JUDGED = 30;

/**
 * Returns lowest, median and highest value of a stored band; undefined if it has no valid sample.
 * @param reading scale and offset of the samples: value = raw * scale + offset
 */
export function mapValues(
  {
    validCount,
    lowest,
    highest,
    sample = [],
  }: Pick<StoredBand, 'validCount' | 'lowest' | 'highest' | 'sample'>,
  { scale, offset }: { readonly scale: number; readonly offset: number },
): MapValues | undefined {
  if (validCount === 0) return undefined;
  const [low, high] = [lowest, highest].map((raw) => raw * scale + offset).toSorted((a, b) => a - b);
  const values = Float64Array.from(sample, (raw) => raw * scale + offset);
  return { lowest: low!, median: values.length === 0 ? undefined : percentile(values, 0.5), highest: high! };
}

/**
 * Refuses a map whose values are possible, but as a whole so unusual that another unit is more likely.
 * @param values evenly spaced values of the map [unit of the layer]
 * @throws InvalidInput with the quantiles
 */
export function refuseUnusual(name: string, layer: string, values: readonly number[]): void {
  const kind = layerKind(layer);
  if (kind?.usual === undefined) return;
  const sizes = Float64Array.from(
    values.filter((value) => value !== 0),
    Math.abs,
  );
  if (sizes.length < LEAST_JUDGED) return;
  const [p5, median, p95] = [0.05, 0.5, 0.95].map((share) => percentile(sizes, share)) as [
    number,
    number,
    number,
  ];
  const [least, most] = kind.usual.median;
  if (median >= least && median <= most) return;
  const others = convertibleUnits(kind);
  refuse(
    'unit',
    `${name} holds values whose size is ${figure(median)} in the median (5 %: ${figure(p5)}, 95 %: ${figure(p95)}; 0 left out); layer ${layer} ` +
      `(${kind.meaning}) is in ${kind.unit}, and ${kind.usual.because}: name the unit of the values to convert them ` +
      `(--unit ${others.join(', ')}), or confirm that they are in ${kind.unit} with --keep-doubtful`,
  );
}

/** A value with three significant digits, for messages. */
export function figure(value: number): string {
  return String(Number(value.toPrecision(3)));
}

function isDay(text: string): boolean {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text)) return false;
  const time = Date.parse(`${text}T00:00:00Z`);
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(text);
}

/**
 * File names of GlobeLand30, by zone, latitude and year: `N31_30_2020LC030.tif`. Files of this map are recognised by
 * name, because its codes alone do not identify it.
 */
const GLOBELAND30 = /[NS]\d+_\d+_\d{4}LC030/i;

/**
 * Checks that the values of a file are plausible for its layer.
 * @param content summary of the raw samples
 * @param reading scale and offset of the samples: value = raw * scale + offset
 * @param nodataIsStated whether the user stated the nodata value; otherwise suspicious values are refused
 * @throws InvalidInput when values are outside the range of the layer, or look like undeclared nodata
 */
export function checkLayerValues(
  name: string,
  layer: string,
  content: { readonly validCount: number; readonly lowest: number; readonly highest: number },
  reading: { readonly scale: number; readonly offset: number },
  nodataIsStated: boolean,
): void {
  if (content.validCount === 0) return;
  const raw = [content.lowest, content.highest];
  const suspect = raw.find(isFillValue);
  if (!nodataIsStated && suspect !== undefined) {
    refuse(
      'nodata',
      `${name} holds the value ${suspect}, which looks like nodata and is not declared so: give --nodata`,
    );
  }
  const kind = layerKind(layer);
  if (kind === undefined) return;
  const [lowest, highest] = raw
    .map((value) => value * reading.scale + reading.offset)
    .sort((a, b) => a - b) as [number, number];
  const [least, most] = kind.range;
  if (lowest < least || highest > most) {
    refuse(
      'unit',
      `${name} holds values from ${lowest} to ${highest}; layer ${layer} (${kind.meaning}) is in ${kind.unit} and can ` +
        `hold ${least} to ${most}: ${kind.unit === 'class' ? 'recode it (gdal_calc)' : 'check its unit (--scale, --offset)'}, or name its nodata value (--nodata)`,
    );
  }
  const strongest = Math.max(Math.abs(lowest), Math.abs(highest));
  const { atLeast = 0 } = kind;
  if (content.validCount >= MANY_VALUES && strongest > NOTHING * atLeast && strongest < atLeast) {
    refuse(
      'unit',
      `${name} holds ${content.validCount} values from ${lowest} to ${highest}, too little for layer ${layer} (${kind.meaning}), ` +
        `which is in ${kind.unit}: check its unit, and give --scale (1000 for metres that should be millimetres, 100 for a fraction)`,
    );
  }
  if (kind.legends !== undefined && GLOBELAND30.test(name)) {
    refuse(
      'layer',
      `${name} is named as GlobeLand30 names its maps, whose codes are those of ESA WorldCover with other meanings (10 is ` +
        'cropland); recode it (gdal_calc), under another name',
    );
  }
  // Both extreme codes must belong to one legend. Codes of another legend would be read with wrong meanings.
  if (kind.legends?.some((codes) => codes.has(lowest) && codes.has(highest)) === false) {
    refuse(
      'layer',
      `${name} holds codes from ${lowest} to ${highest}, which are not both of one legend; expected ${kind.meaning}: ` +
        'recode it (gdal_calc, gdaldem color-relief), or name its code for nodata (--nodata)',
    );
  }
}

/** The known layer name most similar to an unknown one; undefined when none is similar. */
export function similarLayer(name: string): string | undefined {
  return nearestName(name, Object.keys(LAYER_KINDS));
}
