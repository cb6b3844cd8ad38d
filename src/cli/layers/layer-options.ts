import type { LayerEnvironment } from '../../app/layers/layer-shelf.ts';
import {
  ENVIRONMENT,
  environment,
  type Given,
  Misuse,
  number,
  type Option,
  required,
  text,
} from '../command.ts';

/** The option `--environment` of a command that installs or removes a layer. */
export const LAYER_ENVIRONMENT: Option = {
  value: `${ENVIRONMENT.value}|all`,
  meaning: 'the environment that the layer serves',
  fallback: 'production; all where that version is installed for all',
};

/** The environment of a layer, as given by `--environment`; undefined when it is not given. @throws Misuse */
export function layerEnvironment(given: Given): LayerEnvironment | undefined {
  const value = text(given, 'environment');
  return value === undefined || value === 'all' ? value : environment(given);
}

/** The option `--version` of a command that makes layers. @param of the layers, in words */
export const layerVersion = (of: string): Option => ({
  value: 'V',
  meaning: of,
  required: true,
  formerly: 'layer-version',
});

/** Options of every command that installs a layer. */
export const CARD_OPTIONS = {
  environment: LAYER_ENVIRONMENT,
  date: { value: 'YYYY-MM-DD', meaning: 'date of the data', fallback: 'today' },
  licence: { value: 'TEXT', meaning: 'licence of the data', fallback: 'not stated' },
  source: { value: 'TEXT', meaning: 'where the data are from', fallback: 'the name of the file' },
  replace: { meaning: 'replace all pieces of this version' },
} satisfies Readonly<Record<string, Option>>;

/** The values of {@link CARD_OPTIONS}. */
export function cardOptions(given: Given) {
  return {
    environment: layerEnvironment(given),
    date: text(given, 'date'),
    licence: text(given, 'licence'),
    source: text(given, 'source'),
    replace: given.options['replace'] === true,
  };
}

/** The option `--variable` of a command that reads a layer from a file. */
export const VARIABLE: Option = {
  value: 'NAME',
  meaning: 'variable of NetCDF, HDF5 or Zarr',
  fallback: 'the only one on a grid',
};

/** The option `--band` of a command that reads a layer from a file. */
export const BAND: Option = {
  value: 'N',
  meaning: 'band of the file, or image of the variable, from 1',
  fallback: 'the first band; a variable of several images needs it',
};

/**
 * Returns the index, from 0, of the band that `--band` selects; undefined where it is not given. The option counts bands
 * from 1.
 * @throws Misuse
 */
export function bandOption(given: Given): number | undefined {
  const band = number(given, 'band');
  if (band === undefined) return undefined;
  if (!Number.isInteger(band) || band < 1)
    throw new Misuse(`--band: expected a whole number from 1, got ${band}`);
  return band - 1;
}

/** West, south, east and north of `--bbox` [degrees]. @throws Misuse */
export function bboxOption(given: Given): readonly number[] {
  const typed = required(given, 'bbox');
  const values = typed.split(',').map((part) => (part.trim() === '' ? Number.NaN : Number(part)));
  if (values.length !== 4 || !values.every(Number.isFinite))
    throw new Misuse(`--bbox: expected west,south,east,north in degrees, got ${typed}`);
  return values;
}

/**
 * The value of an option that names a calendar year, or a season by its year; undefined when it is not given.
 * @throws Misuse
 */
export function yearOption(given: Given, name: string): number | undefined {
  const value = number(given, name);
  if (value !== undefined && !Number.isInteger(value))
    throw new Misuse(`--${name}: expected a year, got ${value}`);
  return value;
}
