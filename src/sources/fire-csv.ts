import { readFile } from 'node:fs/promises';
import { basename } from 'node:path';
import { InvalidInput } from '../app/errors.ts';
import type { FireRecord, FireRecordReader, RecordedFire } from '../app/fire-record.ts';
import { parseMoment } from '../contract/time.ts';
import { type CsvRow, readCsvRows } from './csv-rows.ts';

const DAY_MS = 86_400_000;

/** Names that a column goes by. */
const NAMES = {
  lat: ['latitude', 'lat'],
  lng: ['longitude', 'lng', 'lon', 'long'],
  date: ['acq_date', 'date', 'start_date'],
  area: ['area_ha', 'burnt_area_ha', 'burned_area_ha'],
} as const;

/** The column that only lists of detections have (FIRMS), and what is dropped of them: MODIS below 30 %, VIIRS low. */
const DETECTION_DATE = 'acq_date';
const LEAST_CONFIDENCE = 30;
const LOW_CONFIDENCE: ReadonlySet<string> = new Set(['l', 'low']);
/** FIRMS type of a presumed vegetation fire; others are volcanoes, other static sources and offshore. */
const VEGETATION_FIRE = '0';

/** Reads fires from CSV: records with a date, a position and perhaps an area, or FIRMS detections. */
export class FireCsvReader implements FireRecordReader {
  async readFires(path: string): Promise<FireRecord> {
    let text: string;
    try {
      text = await readFile(path, 'utf8');
    } catch (error) {
      throw new InvalidInput(`${path} cannot be read: ${(error as Error).message}`, { cause: error });
    }
    return parseFireCsv(text, basename(path));
  }
}

/** @throws InvalidInput naming the column or line that cannot be used */
export function parseFireCsv(text: string, name: string): FireRecord {
  let rows: CsvRow[];
  try {
    rows = [...readCsvRows(text)];
  } catch (error) {
    throw new InvalidInput(`${name}, ${(error as Error).message}`, { cause: error });
  }
  const header = rows.shift()?.fields.map((field) => field.trim().toLowerCase()) ?? [];
  const find = (what: keyof typeof NAMES): number =>
    header.findIndex((column) => (NAMES[what] as readonly string[]).includes(column));
  for (const what of ['lat', 'lng', 'date'] as const)
    if (find(what) === -1)
      throw new InvalidInput(
        `${name}, line 1: no column of ${what}; expected one of ${NAMES[what].join(', ')}, got ${header.join(', ')}`,
      );
  const columns = { lat: find('lat'), lng: find('lng'), date: find('date'), area: find('area') };
  const areDetections = header[columns.date] === DETECTION_DATE;
  const [confidence, type] = [header.indexOf('confidence'), header.indexOf('type')];
  const isFire = ({ fields }: CsvRow): boolean => {
    if (!areDetections) return true;
    const sure = fields[confidence]?.trim().toLowerCase() ?? '';
    if (LOW_CONFIDENCE.has(sure) || (sure !== '' && Number(sure) < LEAST_CONFIDENCE)) return false;
    return type === -1 || fields[type]?.trim() === VEGETATION_FIRE;
  };
  return { areDetections, fires: rows.filter(isFire).map((row) => fireOf(row, columns, name)) };
}

function fireOf(
  { line, fields }: CsvRow,
  columns: Readonly<Record<'lat' | 'lng' | 'date' | 'area', number>>,
  name: string,
): RecordedFire {
  const text = (column: number): string => fields[column]?.trim() ?? '';
  const wrong = (what: string, got: string, wanted: string): InvalidInput =>
    new InvalidInput(`${name}, line ${line}: the ${what} is '${got}'; expected ${wanted}`);
  const number = (column: number): number => (text(column) === '' ? Number.NaN : Number(text(column)));
  const [lat, lng] = [number(columns.lat), number(columns.lng)];
  if (!(Math.abs(lat) <= 90)) throw wrong('latitude', text(columns.lat), 'degrees from -90 to 90');
  if (!(Math.abs(lng) <= 180)) throw wrong('longitude', text(columns.lng), 'degrees from -180 to 180');
  const moment = parseMoment(text(columns.date));
  if (moment === undefined) throw wrong('date', text(columns.date), 'a date such as 2020-07-31');
  const areaHa = columns.area === -1 ? Number.NaN : number(columns.area);
  if (columns.area !== -1 && !(areaHa >= 0)) throw wrong('area', text(columns.area), 'hectares, 0 or more');
  return { lat, lng, day: Math.floor(moment.ms / DAY_MS), areaHa };
}
