import { basename } from 'node:path';
import { type BacktestLabel, NO_CHANGE } from '../../app/changes/backtest/labels.ts';
import { InvalidInput } from '../../base/errors.ts';
import { CHANGE_TYPES } from '../../contract/vocabulary.ts';
import { endOf, parseMoment } from '../../base/time.ts';
import { validateArea } from '../../geo/area-validation.ts';
import { bboxOf } from '../../geo/bbox.ts';
import { csvRowsOf, readText } from '../../formats/csv/table.ts';
import { isParquetFile, type ParquetHead, parquetGroups } from '../../formats/parquet/lines.ts';
import { type GeometryColumn, geometryColumn } from '../areas/geoparquet.ts';
import { shapeInDegrees } from '../areas/reference-system.ts';

const COLUMNS = ['id', 'lat', 'lng', 'from', 'to', 'label'] as const;
const LABELS: readonly string[] = [...CHANGE_TYPES, NO_CHANGE];
/** Maximum number of problems listed in a message, so that a wrong file does not flood the terminal. */
const MAX_PROBLEMS = 20;

type Place = BacktestLabel['place'];
type Fields = Readonly<Record<'id' | 'from' | 'to' | 'label', string>>;

/** A label that cannot be used. */
class BadLabel extends Error {}

/**
 * Reads labelled places: a CSV or Parquet table with the columns id, lat, lng, from, to, label, or a GeoJSON
 * FeatureCollection or GeoParquet of points and polygons whose properties are id, from, to and label. Dates may be
 * empty.
 * @throws InvalidInput naming every line or feature that cannot be used
 */
export async function readLabels(path: string): Promise<readonly BacktestLabel[]> {
  const name = basename(path);
  try {
    const rows = await readTable(path, name);
    return rows === undefined ? parseLabels(await readText(path), name) : labelsOf(rows, name);
  } catch (cause) {
    if ((cause as InvalidInput).param === 'labels') throw cause;
    throw new InvalidInput((cause as Error).message, { param: 'labels', cause });
  }
}

/** The rows of a Parquet or GeoParquet file; undefined for another file. @throws InvalidInput */
async function readTable(path: string, name: string): Promise<Entry[] | undefined> {
  if (!(await isParquetFile(path))) return undefined;
  let column: GeometryColumn | undefined;
  const entries: Entry[] = [];
  const accept = ({ texts }: ParquetHead): void => {
    const geo = texts.get('geo');
    if (geo !== undefined) column = geometryColumn(name, geo);
  };
  for await (const rows of parquetGroups(path, accept))
    for (const row of rows) {
      const place = column === undefined ? () => pointOf(row) : () => shapeOf(row, column!);
      const where = `row ${entries.length + 1}`;
      entries.push({ where, read: () => labelOf(fieldsOf(row), place()) });
    }
  return entries;
}

type Row = Readonly<Record<string, unknown>>;

/** The position in the columns `lat` and `lng` of a row. @throws BadLabel */
function pointOf(row: Row): Place {
  const text = (column: 'lat' | 'lng'): string => {
    const value = row[column];
    return typeof value === 'number' || typeof value === 'string' ? String(value) : '';
  };
  const position = [degrees('lng', text('lng'), 180), degrees('lat', text('lat'), 90)] as const;
  return { kind: 'point', position };
}

/** The geometry of a row. @throws BadLabel */
function shapeOf(row: Row, { title, projection }: GeometryColumn): Place {
  const shape = row[title] as Parameters<typeof shapeInDegrees>[0] | null | undefined;
  if (!Array.isArray(shape?.coordinates)) throw new BadLabel(`${title}: expected a point or a polygon`);
  try {
    return placeOf(shapeInDegrees(shape, projection).geometry);
  } catch (error) {
    throw error instanceof RangeError ? new BadLabel(`${title}: ${error.message}`) : error;
  }
}

/** Parses the text of a file for `readLabels`. A text that starts with `{` is GeoJSON. */
export function parseLabels(text: string, name: string): readonly BacktestLabel[] {
  return labelsOf(text.trimStart().startsWith('{') ? featuresOf(text, name) : rowsOf(text, name), name);
}

function labelsOf(entries: readonly Entry[], name: string): readonly BacktestLabel[] {
  const problems: string[] = [];
  const labels = new Map<string, BacktestLabel>();
  for (const { where, read } of entries) {
    try {
      const label = read();
      if (labels.has(label.id)) throw new BadLabel(`id: ${label.id} stands twice`);
      labels.set(label.id, label);
    } catch (error) {
      if (!(error instanceof BadLabel)) throw error;
      problems.push(`${name}, ${where}: ${error.message}`);
    }
  }
  if (problems.length > 0) {
    const details = problems.slice(0, MAX_PROBLEMS).map((message) => ({ param: 'labels', message }));
    const more = problems.length > 1 ? ` (and ${problems.length - 1} more)` : '';
    throw new InvalidInput(`${problems[0]}${more}`, { param: 'labels', details });
  }
  if (labels.size === 0) throw new InvalidInput(`${name}: expected labels, got none`, { param: 'labels' });
  return [...labels.values()];
}

interface Entry {
  /** Where the entry is in the file: `line 7` or `feature 3`. */
  readonly where: string;
  /** @throws BadLabel */
  read(this: void): BacktestLabel;
}

function rowsOf(text: string, name: string): Entry[] {
  let rows;
  try {
    rows = csvRowsOf(text, name);
  } catch (cause) {
    throw new InvalidInput((cause as Error).message, { param: 'labels', cause });
  }
  const header = rows.shift()?.fields.map((field) => field.trim().toLowerCase()) ?? [];
  const missing = COLUMNS.filter((column) => !header.includes(column));
  if (missing.length > 0)
    throw new InvalidInput(
      `${name}, line 1: expected the columns ${COLUMNS.join(', ')}; ${missing.join(', ')} missing in '${header.join(',')}'`,
      { param: 'labels' },
    );
  return rows.map(({ line, fields }) => ({
    where: `line ${line}`,
    read: () => {
      const field = (column: (typeof COLUMNS)[number]): string =>
        fields[header.indexOf(column)]?.trim() ?? '';
      const position = [degrees('lng', field('lng'), 180), degrees('lat', field('lat'), 90)] as const;
      return labelOf(
        { id: field('id'), from: field('from'), to: field('to'), label: field('label') },
        { kind: 'point', position },
      );
    },
  }));
}

function degrees(what: string, text: string, most: number): number {
  const value = Number(text);
  if (text === '' || !Number.isFinite(value) || Math.abs(value) > most)
    throw new BadLabel(`${what}: expected degrees within +-${most}, got '${text}'`);
  return value;
}

function featuresOf(text: string, name: string): Entry[] {
  const wanted = `${name}: expected a GeoJSON FeatureCollection`;
  let collection: { readonly type?: unknown; readonly features?: unknown };
  try {
    collection = JSON.parse(text) as typeof collection;
  } catch (cause) {
    throw new InvalidInput(`${wanted}: ${(cause as Error).message}`, { param: 'labels', cause });
  }
  if (collection.type !== 'FeatureCollection' || !Array.isArray(collection.features))
    throw new InvalidInput(`${wanted}, got type ${JSON.stringify(collection.type)}`, { param: 'labels' });
  return collection.features.map((feature: unknown, i) => ({
    where: `feature ${i + 1}`,
    read: () => {
      const { properties, geometry } = (feature ?? {}) as {
        readonly properties?: Readonly<Record<string, unknown>> | null;
        readonly geometry?: unknown;
      };
      return labelOf(fieldsOf(properties ?? {}), placeOf(geometry));
    },
  }));
}

/** The fields of a feature. @throws BadLabel */
function fieldsOf(properties: Readonly<Record<string, unknown>>): Fields {
  const field = (property: string): string => {
    const value = properties[property] ?? '';
    if (typeof value === 'string') return value.trim();
    if (typeof value === 'number' || typeof value === 'bigint') return String(value);
    // Parquet has dates as moments; midnight means the day.
    if (value instanceof Date && !Number.isNaN(value.getTime()))
      return value.toISOString().replace(/T00:00:00\.000Z$/, '');
    throw new BadLabel(`${property}: expected text, got ${JSON.stringify(value)}`);
  };
  return { id: field('id'), from: field('from'), to: field('to'), label: field('label') };
}

function placeOf(geometry: unknown): Place {
  const { type, coordinates } = (geometry ?? {}) as {
    readonly type?: unknown;
    readonly coordinates?: unknown;
  };
  if (type === 'Point') {
    const [lng, lat] = Array.isArray(coordinates) ? (coordinates as unknown[]) : [];
    return { kind: 'point', position: [degrees('lng', String(lng), 180), degrees('lat', String(lat), 90)] };
  }
  const area = validateArea(geometry);
  if (!area.ok)
    throw new BadLabel(`geometry${area.problem.path && `.${area.problem.path}`}: ${area.problem.message}`);
  return { kind: 'area', geometry: area.area, bounds: bboxOf(area.area) };
}

function labelOf({ id, from, to, label }: Fields, place: Place): BacktestLabel {
  if (id === '') throw new BadLabel('id: expected a name, got nothing');
  if (!LABELS.includes(label))
    throw new BadLabel(`label: expected one of ${LABELS.join(', ')}; got '${label}'`);
  const fromMs = from === '' ? null : momentOf('from', from).ms;
  const toMs = to === '' ? null : endOf(momentOf('to', to));
  if (fromMs !== null && toMs !== null && toMs <= fromMs)
    throw new BadLabel(`to: expected a date at or after from (${from}), got ${to}`);
  return { id, place, fromMs, toMs, label };
}

function momentOf(what: string, text: string) {
  const moment = parseMoment(text);
  if (moment === undefined)
    throw new BadLabel(`${what}: expected YYYY-MM-DD, an RFC 3339 time or nothing, got '${text}'`);
  return moment;
}
