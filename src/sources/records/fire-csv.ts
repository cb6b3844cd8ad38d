import { basename } from 'node:path';
import { InvalidInput } from '../../base/errors.ts';
import type {
  FireRecord,
  FireRecordReader,
  RecordedFire,
} from '../../app/layers/derive/fire-record-reader.ts';
import { DAY_MS, parseMoment } from '../../base/time.ts';
import type { CsvRow } from '../../formats/csv/rows.ts';
import { CsvTable, readText } from '../../formats/csv/table.ts';

/** Known names of each column. */
const NAMES = {
  lat: ['latitude', 'lat'],
  lng: ['longitude', 'lng', 'lon', 'long'],
  date: ['acq_date', 'date', 'start_date'],
  area: ['area_ha', 'burnt_area_ha', 'burned_area_ha'],
} as const;

/** Date column that only FIRMS detections have. */
const DETECTION_DATE = 'acq_date';
/** Minimum confidence of MODIS detections [%]. Detections of lower confidence are dropped. */
const LEAST_CONFIDENCE = 30;
/** Confidence classes of VIIRS detections that are dropped. */
const LOW_CONFIDENCE: ReadonlySet<string> = new Set(['l', 'low']);
/** FIRMS type of a presumed vegetation fire. Other types: volcano, other static source, offshore. */
const VEGETATION_FIRE = '0';

/** Reads fires from CSV: records with a date, a position and an optional area, or FIRMS detections. */
export class FireCsvReader implements FireRecordReader {
  async readFires(path: string): Promise<FireRecord> {
    return parseFireCsv(await readText(path), basename(path));
  }
}

/** @throws InvalidInput naming the column or line that cannot be used */
export function parseFireCsv(text: string, name: string): FireRecord {
  const table = new CsvTable(text, name, NAMES);
  const columns = {
    lat: table.demand('lat'),
    lng: table.demand('lng'),
    date: table.demand('date'),
    area: table.find('area'),
  };
  const areDetections = columns.date === DETECTION_DATE;
  const isFire = (row: CsvRow): boolean => {
    if (!areDetections) return true;
    const sure = table.text(row, 'confidence').toLowerCase();
    if (LOW_CONFIDENCE.has(sure) || (sure !== '' && Number(sure) < LEAST_CONFIDENCE)) return false;
    return !table.has('type') || table.text(row, 'type') === VEGETATION_FIRE;
  };
  return { areDetections, fires: table.rows.filter(isFire).map((row) => fireOf(row, columns, table)) };
}

function fireOf(
  row: CsvRow,
  columns: Readonly<Record<'lat' | 'lng' | 'date', string> & { area: string | undefined }>,
  table: CsvTable<keyof typeof NAMES>,
): RecordedFire {
  const text = (column: string): string => table.text(row, column);
  const wrong = (what: string, got: string, wanted: string): InvalidInput =>
    new InvalidInput(`${table.name}, line ${row.line}: the ${what} is '${got}'; expected ${wanted}`);
  const number = (column: string): number => (text(column) === '' ? Number.NaN : Number(text(column)));
  const [lat, lng] = [number(columns.lat), number(columns.lng)];
  if (!(Math.abs(lat) <= 90)) throw wrong('latitude', text(columns.lat), 'degrees from -90 to 90');
  if (!(Math.abs(lng) <= 180)) throw wrong('longitude', text(columns.lng), 'degrees from -180 to 180');
  const moment = parseMoment(text(columns.date));
  if (moment === undefined) throw wrong('date', text(columns.date), 'a date such as 2020-07-31');
  const { area } = columns;
  const areaHa = area === undefined ? Number.NaN : number(area);
  if (area !== undefined && !(areaHa >= 0)) throw wrong('area', text(area), 'hectares, 0 or more');
  return { lat, lng, day: Math.floor(moment.ms / DAY_MS), areaHa };
}
