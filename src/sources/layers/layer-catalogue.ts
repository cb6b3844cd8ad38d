import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { InvalidInput } from '../../base/errors.ts';
import type { LayerCard } from '../../app/risk/layer-reader.ts';
import type { SampleReading } from './layer-sampler.ts';

/** One shipped layer: its card, and how its file is read. */
export interface CatalogueEntry extends SampleReading {
  readonly card: LayerCard;
  /** Path of the GeoTIFF. */
  readonly path: string;
  /** Index of the band in the file, from 0. */
  readonly band: number;
  /** Raw nodata value; null means the value that the file declares. */
  readonly nodata: number | null;
}

/** Pattern of layer and version names, which become folder names. */
const NAME = /^[a-z0-9][a-z0-9._-]{0,99}$/;

type Raw = Readonly<Record<string, unknown>>;

/** Identifies one map: layer, version and return period. It is also the path of the map's folder. */
export function cardKey(card: LayerCard): string {
  const { layer, version, returnPeriodYears } = card;
  return returnPeriodYears === null ? `${layer}/${version}` : `${layer}/${version}/rp${returnPeriodYears}`;
}

function entryOf(raw: Raw, folder: string, where: string): CatalogueEntry {
  const wrong = (field: string, wanted: string): InvalidInput =>
    new InvalidInput(
      `${where}: '${field}' is ${JSON.stringify(raw[field]) ?? 'missing'}; expected ${wanted}`,
    );
  const text = (field: string): string => {
    const value = raw[field];
    if (typeof value !== 'string' || value === '') throw wrong(field, 'a text');
    return value;
  };
  const name = (field: string): string => {
    if (!NAME.test(text(field))) throw wrong(field, 'lower-case letters, digits, dots and dashes');
    return text(field);
  };
  const number = (field: string): number => {
    const value = raw[field];
    if (typeof value !== 'number' || !Number.isFinite(value)) throw wrong(field, 'a number');
    return value;
  };
  const numberOrNull = (field: string): number | null => (raw[field] === null ? null : number(field));
  const interpolation = text('interpolation');
  if (interpolation !== 'nearest' && interpolation !== 'bilinear') {
    throw wrong('interpolation', `'nearest' or 'bilinear'`);
  }
  const band = number('band');
  if (!Number.isInteger(band) || band < 0) throw wrong('band', 'an integer from 0');
  if (number('scale') === 0) throw wrong('scale', 'a number other than 0');
  const period = numberOrNull('returnPeriodYears');
  if (period !== null && period <= 0) throw wrong('returnPeriodYears', 'null or a positive number');
  return {
    card: {
      layer: name('layer'),
      version: name('version'),
      unit: typeof raw['unit'] === 'string' ? raw['unit'] : text('unit'),
      returnPeriodYears: period,
      resolutionM: number('resolutionM'),
      date: text('date'),
      licence: text('licence'),
      source: text('source'),
    },
    path: join(folder, text('file')),
    band,
    scale: number('scale'),
    offset: number('offset'),
    nodata: numberOrNull('nodata'),
    interpolation,
  };
}

/**
 * Reads a catalogue of shipped layers. Paths in it are relative to its folder.
 * @throws InvalidInput naming the file, the layer and the field that is wrong
 */
export async function readCatalogue(path: string): Promise<readonly CatalogueEntry[]> {
  let parsed: { readonly layers?: unknown };
  try {
    parsed = JSON.parse(await readFile(path, 'utf8')) as typeof parsed;
  } catch (error) {
    throw new InvalidInput(`${path} cannot be read: ${(error as Error).message}`, { cause: error });
  }
  if (!Array.isArray(parsed?.layers)) throw new InvalidInput(`${path}: expected {"layers": [...]}`);
  return parsed.layers.map((raw: unknown, i) => {
    if (typeof raw !== 'object' || raw === null) throw new InvalidInput(`${path}, layer ${i + 1}: no object`);
    return entryOf(raw as Raw, dirname(path), `${path}, layer ${i + 1}`);
  });
}
