import { open } from 'node:fs/promises';
import { InvalidInput } from '../../base/errors.ts';
import { decimalNumber } from '../../formats/csv/decimal.ts';
import { CsvTable, readText } from '../../formats/csv/table.ts';

const MOST_NAMED = 20; // bad lines that a message names; it counts the others

/** Known names of the columns, in lower case, the preferred one first. */
const COLUMNS = {
  lat: ['lat', 'latitude', 'y'],
  lng: ['lng', 'lon', 'long', 'longitude', 'x'],
  name: ['name'],
  id: ['id', 'policy', 'policy_id', 'policy_no', 'policy number', 'policy_number', 'policynumber'],
} as const;

/** A place to assess. */
export interface Place {
  readonly name: string;
  /** Number or key that the file has for it, such as that of a policy. */
  readonly id?: string | undefined;
  readonly lat: number;
  readonly lng: number;
  /** All fields of its line, in the order of the columns. */
  readonly fields: readonly string[];
}

/** A line without a usable place. */
export interface BadLine {
  readonly line: number;
  /** The column, what was expected there, and what came. */
  readonly problem: string;
}

/** A table of places. */
export interface PlacesFile {
  /** Titles of its columns, as the file has them. */
  readonly titles: readonly string[];
  /** Titles of the columns of latitude and longitude. */
  readonly latTitle: string;
  readonly lngTitle: string;
  readonly places: readonly Place[];
  readonly bad: readonly BadLine[];
  /** Whether most of the bad lines would be right with latitude and longitude swapped. */
  readonly likeSwapped: boolean;
}

/** How files of maps begin, which are no tables. */
const MAPS = [
  { kind: 'JSON', begins: /^\uFEFF?\s*[{[]/ },
  { kind: 'a GeoPackage or another database', begins: /^SQLite format 3/ },
  { kind: 'KML or other XML', begins: /^\uFEFF?\s*<[?!a-z]/i },
  { kind: 'a shapefile', begins: /^\p{Cc}{2}'\n/u },
] as const;
const HEAD_BYTES = 64;

/** First bytes of a file as text. Empty when it cannot be read: the caller, who reads it whole, reports the error. */
async function headOf(path: string): Promise<string> {
  const file = await open(path).catch(() => undefined);
  if (file === undefined) return '';
  try {
    const { bytesRead, buffer } = await file.read(Buffer.alloc(HEAD_BYTES), 0, HEAD_BYTES, 0);
    return buffer.toString('utf8', 0, bytesRead);
  } catch {
    return '';
  } finally {
    await file.close();
  }
}

/**
 * Reads a table of places, as spreadsheets export it: separated by commas, semicolons or tabs, with decimal points or
 * commas, in UTF-8, UTF-16 or ISO 8859-1.
 * @throws InvalidInput when it cannot be read, has no columns of latitude and longitude, or no lines
 */
export async function readPlaces(file: string): Promise<PlacesFile> {
  const head = await headOf(file);
  const map = MAPS.find(({ begins }) => begins.test(head))?.kind;
  if (map !== undefined)
    throw new InvalidInput(
      `${file} is ${map}; expected a table with the columns lat and lng, such as of its points: ` +
        `ogr2ogr -f CSV -t_srs EPSG:4326 -lco GEOMETRY=AS_XY PLACES.csv ${file}`,
    );
  const text = await readText(file);
  const csv = new CsvTable(text, file, COLUMNS, 'keep');
  if (csv.titles.length === 0) throw new InvalidInput(`${file} is empty`);
  if (csv.find('lat') === undefined && csv.find('lng') === undefined)
    throw new InvalidInput(
      `${file}, line 1: no columns of lat and lng, got ${csv.titles.join(', ')}; ` +
        'addresses are not looked up: add the latitude and longitude of each',
    );
  const [lat, lng, name, id] = [csv.demand('lat'), csv.demand('lng'), csv.find('name'), csv.find('id')];
  if (csv.rows.length === 0) throw new InvalidInput(`${file} has no places below the names of its columns`);
  const comma = csv.hasDecimalCommas([lat, lng]);
  const places: Place[] = [];
  const bad: BadLine[] = [];
  let likeSwapped = 0;
  for (const row of csv.rows) {
    const surplus = csv.surplus(row);
    if (surplus !== undefined) {
      bad.push({ line: row.line, problem: surplus }); // its position may stand in other columns
      continue;
    }
    const problems: string[] = [];
    const degrees = (column: string, most: number): number => {
      const said = csv.text(row, column);
      const value = decimalNumber(said, comma);
      if (value !== undefined && Math.abs(value) <= most) return value;
      const came = value === undefined ? (said === '' ? 'nothing' : JSON.stringify(said)) : said;
      problems.push(`${column}: expected degrees from -${most} to ${most}, got ${came}`);
      return Number.NaN;
    };
    const at = { lat: degrees(lat, 90), lng: degrees(lng, 180) };
    if (problems.length > 0) {
      const asLng = decimalNumber(csv.text(row, lat), comma);
      const asLat = decimalNumber(csv.text(row, lng), comma);
      if (asLng !== undefined && asLat !== undefined && Math.abs(asLng) <= 180 && Math.abs(asLat) <= 90)
        likeSwapped++;
      bad.push({ line: row.line, problem: problems.join('; ') });
      continue;
    }
    const [named, key] = [csv.text(row, name), csv.text(row, id)];
    places.push({
      name: named || key || `${at.lat} ${at.lng}`,
      ...(id !== undefined && { id: key }),
      ...at,
      fields: csv.titles.map((_, i) => row.fields[i]?.trim() ?? ''),
    });
  }
  return {
    titles: csv.titles,
    latTitle: csv.title(lat),
    lngTitle: csv.title(lng),
    places,
    bad,
    likeSwapped: likeSwapped > bad.length / 2,
  };
}

/** Names bad lines, the first of them each on a line of its own. */
export function badLines(bad: readonly BadLine[]): string {
  const named = bad.slice(0, MOST_NAMED).map(({ line, problem }) => `  line ${line}: ${problem}`);
  return [...named, ...(bad.length > MOST_NAMED ? [`  and ${bad.length - MOST_NAMED} more`] : [])].join('\n');
}
