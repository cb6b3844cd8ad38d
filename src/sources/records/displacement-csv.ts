import { createReadStream } from 'node:fs';
import { open, readdir, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import type {
  DisplacementFileOptions,
  DisplacementPoint,
  DisplacementPointReader,
  DisplacementPoints,
  DisplacementRecord,
} from '../../app/layers/derive/displacement-points-reader.ts';
import { InvalidInput } from '../../base/errors.ts';
import { surplusOf } from '../../formats/csv/rows.ts';
import { linesOf } from '../../formats/zip/entry-lines.ts';
import { parseMoment } from '../../base/time.ts';
import { conversionTo, unitOfName } from '../../app/series/units.ts';
import { isGnssSeries } from '../stations/gnss-series.ts';
import { PointsFileReader } from '../stations/points-file.ts';
import { splitFields } from '../stations/text-lines.ts';
import { readArchivedTable } from './archived-table.ts';

/** Known names of each column, from EGMS and from common tables of GNSS velocities. */
const NAMES = {
  lat: ['latitude', 'lat'],
  lng: ['longitude', 'lon', 'lng', 'long'],
  easting: ['easting'],
  northing: ['northing'],
  velocity: ['mean_velocity', 'velocity_up_mmyr', 'velocity_mmyr', 'velocity'],
  error: ['mean_velocity_std', 'velocity_up_error_mmyr', 'velocity_error_mmyr', 'velocity_error'],
  acceleration: ['acceleration', 'acceleration_mmyr2'],
  sightUp: ['los_up'],
  time: ['datetime_utc', 'datetime', 'date', 't'],
  displacement: ['displacement_mm', 'displacement', 'y'],
  id: ['series_id', 'pid', 'station_id', 'id'],
} as const;
type Name = keyof typeof NAMES;
/** Names of the files of a folder that are read. */
const SERIES_FILE = /\.(pos|csv|tenv3)$/i;
const HEAD_BYTES = 1 << 14; // bytes read to recognise a GNSS series; the head of a .pos file has 3 KB
/** Names of EGMS files of eastward movement. Their columns have the same names as those of vertical movement. */
const EASTWARD = /^EGMS_L3_.*_E_\d{4}_\d{4}/i;

/**
 * Reads points from CSV. A line is either a point with its velocity (EGMS as published, with `easting` and `northing`
 * in EPSG:3035 or `latitude` and `longitude`; tables of GNSS velocities), or one displacement of a series with its
 * date. Lines are streamed, because EGMS files have hundreds of columns and a million lines.
 */
export class DisplacementCsvReader implements DisplacementPointReader {
  async readPoints(path: string, options: DisplacementFileOptions = {}): Promise<DisplacementPoints> {
    const found = await stat(path).catch((error: unknown) => {
      throw new InvalidInput(`${path} cannot be read: ${(error as Error).message}`, { cause: error });
    });
    if (found.isDirectory()) return joined(path, await this.#readFolder(path, options));
    const { within, ...ofStation } = options;
    if (/\.zip$/i.test(path))
      return readArchivedTable(path, (name, lines) => readTable(name, name, lines, within));
    const isNamed = Object.values(ofStation).some((value) => value !== undefined);
    if (isNamed || isGnssSeries(await firstLines(path))) return readStation(path, options);
    return readTable(path, basename(path), linesOf(createReadStream(path)), within);
  }

  async #readFolder(path: string, options: DisplacementFileOptions): Promise<DisplacementPoints[]> {
    if (options.lat !== undefined || options.lng !== undefined)
      throw new InvalidInput(`${path} is a folder: --lat and --lng are of one station`, { param: 'lat' });
    const files = (await readdir(path)).filter((file) => SERIES_FILE.test(file)).sort();
    if (files.length === 0)
      throw new InvalidInput(`${path} has no file named .pos, .csv or .tenv3`, { param: 'points' });
    const all: DisplacementPoints[] = [];
    for (const file of files) all.push(await this.readPoints(join(path, file), options));
    return all;
  }
}

type Window = DisplacementFileOptions['within'];

async function readTable(
  path: string,
  name: string,
  lines: AsyncIterable<string>,
  within: Window,
): Promise<DisplacementPoints> {
  if (EASTWARD.test(name.split('/').at(-1)!)) {
    throw new InvalidInput(
      `${name} is the movement to the east and west; expected the vertical of the same tile, ${name.replace(/_E_(?=\d{4}_\d{4})/i, '_U_')}`,
    );
  }
  let table: Table | undefined;
  let line = 0;
  try {
    for await (const text of lines) {
      line++;
      if (text.trim() === '') continue;
      if (table === undefined) table = new Table(text.replace('\uFEFF', ''), name, within);
      else table.add(splitFields(text, ','), line);
    }
  } catch (error) {
    if (error instanceof InvalidInput) throw error;
    throw new InvalidInput(`${path} cannot be read: ${(error as Error).message}`, { cause: error });
  }
  if (table === undefined) throw new InvalidInput(`${name} is empty; expected a line of column names`);
  return table.finish();
}

/** Reads the series of one station from any table or GNSS format from which series are ingested. */
async function readStation(path: string, options: DisplacementFileOptions): Promise<DisplacementPoints> {
  const file = await new PointsFileReader().open({ path, metric: 'displacement_up', ...options });
  const stated =
    file.unit ?? (file.column === undefined ? undefined : unitOfName('displacement_up', file.column));
  const { convert } = conversionTo('displacement_up', options.unit ?? stated ?? 'mm');
  const series: Map<number, number>[] = [];
  for await (const { count, stations, timesMs, values } of file.batches())
    for (let i = 0; i < count; i++) {
      if (Number.isNaN(values[i]!)) continue;
      (series[stations[i]!] ??= new Map()).set(timesMs[i]!, convert(values[i]!));
    }
  const records = file.stations.map(({ lng, lat }, i): DisplacementRecord => {
    const ordered = [...(series[i] ?? [])].sort(([a], [b]) => a - b);
    return {
      x: lng,
      y: lat,
      timesMs: ordered.map(([ms]) => ms),
      displacementsMm: ordered.map(([, value]) => value),
    };
  });
  return { crs: 'EPSG:4326', points: [], records, areStations: true };
}

/** Joins the points of several files. @throws InvalidInput when they have different reference systems */
function joined(path: string, all: readonly DisplacementPoints[]): DisplacementPoints {
  const { crs } = all[0]!;
  if (all.some((other) => other.crs !== crs))
    throw new InvalidInput(`${path} has files in degrees and in EPSG:3035; expected one of both`, {
      param: 'points',
    });
  return {
    crs,
    points: all.flatMap(({ points }) => points),
    records: all.flatMap(({ records }) => records),
    ...(all.every(({ areStations }) => areStations) && { areStations: true }),
  };
}

/** First lines of a file: enough to recognise a GNSS series. */
async function firstLines(path: string): Promise<readonly string[]> {
  const file = await open(path);
  try {
    const { bytesRead, buffer } = await file.read(Buffer.alloc(HEAD_BYTES), 0, HEAD_BYTES, 0);
    return buffer.toString('latin1', 0, bytesRead).split(/\r?\n/);
  } finally {
    await file.close();
  }
}

/** Series of one point while its lines are read. */
interface Series {
  readonly x: number;
  readonly y: number;
  readonly byTime: Map<number, number>;
}

class Table {
  readonly #name: string;
  readonly #width: number;
  readonly #columns: Readonly<Record<Name, number>>;
  readonly #isMetric: boolean;
  readonly #within: Window;
  readonly #isSeries: boolean;
  readonly #points: DisplacementPoint[] = [];
  readonly #series = new Map<string, Series>();

  constructor(header: string, name: string, within: Window) {
    this.#within = within;
    const names = splitFields(header, ',').map((column) => unquoted(column).toLowerCase());
    const found = Object.entries(NAMES).map(([what, spellings]) => {
      const spelling = spellings.find((known) => names.includes(known));
      return [what, spelling === undefined ? -1 : names.indexOf(spelling)];
    });
    this.#columns = Object.fromEntries(found) as Record<Name, number>;
    this.#name = name;
    this.#width = names.length;
    const { lat, lng, easting, northing, velocity, time, displacement } = this.#columns;
    this.#isMetric = lat < 0 && lng < 0 && easting >= 0 && northing >= 0;
    this.#isSeries = velocity < 0 && time >= 0 && displacement >= 0;
    if (!this.#isMetric && (lat < 0 || lng < 0)) {
      this.#refuse(
        names,
        `a place: latitude and longitude, or easting and northing in EPSG:3035 (of one station: --lat and --lng)`,
      );
    }
    if (velocity < 0 && !this.#isSeries) {
      this.#refuse(
        names,
        `one of ${NAMES.velocity.join(', ')}; or a date and one of ${NAMES.displacement.join(', ')} (of one station: --column, --lat and --lng)`,
      );
    }
  }

  #refuse(names: readonly string[], expected: string): never {
    const seen = names.slice(0, 12).join(', ') + (names.length > 12 ? ', ...' : '');
    throw new InvalidInput(`${this.#name}, line 1: expected columns of ${expected}; got ${seen}`);
  }

  add(fields: readonly string[], line: number): void {
    const surplus = surplusOf(fields, this.#width, ',');
    if (surplus !== undefined) throw new InvalidInput(`${this.#name}, line ${line}: ${surplus}`);
    const [x, y] = this.#placeOf(fields, line);
    if (this.#within !== undefined) {
      const [left, bottom, right, top] = this.#within;
      if (!(x >= left && x <= right && y >= bottom && y <= top)) return;
    }
    if (!this.#isSeries) {
      this.#points.push({
        x,
        y,
        velocity: this.#number(fields, 'velocity', line),
        error: this.#optional(fields, 'error', line),
        acceleration: this.#optional(fields, 'acceleration', line),
        ...(this.#columns.sightUp >= 0 && { sightUp: this.#sightUp(fields, line) }),
      });
      return;
    }
    const typed = unquoted(fields[this.#columns.time] ?? '');
    const moment = parseMoment(typed);
    if (moment === undefined) this.#complain(line, 'a date', typed);
    const { id } = this.#columns;
    const key = id < 0 ? `${x} ${y}` : unquoted(fields[id] ?? '');
    let series = this.#series.get(key);
    if (series === undefined) this.#series.set(key, (series = { x, y, byTime: new Map() }));
    if (series.byTime.has(moment.ms)) {
      throw new InvalidInput(`${this.#name}, line ${line}: ${typed} stands twice in the series ${key}`);
    }
    const value = this.#optional(fields, 'displacement', line);
    if (!Number.isNaN(value)) series.byTime.set(moment.ms, value);
  }

  finish(): DisplacementPoints {
    const records = Array.from(this.#series.values(), ({ x, y, byTime }): DisplacementRecord => {
      const ordered = [...byTime].sort(([a], [b]) => a - b);
      return {
        x,
        y,
        timesMs: ordered.map(([ms]) => ms),
        displacementsMm: ordered.map(([, value]) => value),
      };
    });
    return { crs: this.#isMetric ? 'EPSG:3035' : 'EPSG:4326', points: this.#points, records };
  }

  #placeOf(fields: readonly string[], line: number): readonly [x: number, y: number] {
    if (this.#isMetric)
      return [this.#number(fields, 'easting', line), this.#number(fields, 'northing', line)];
    const [lng, lat] = [this.#number(fields, 'lng', line), this.#number(fields, 'lat', line)];
    if (Math.abs(lat) > 90) this.#complain(line, 'a latitude from -90 to 90', `${lat}`);
    if (Math.abs(lng) > 180) this.#complain(line, 'a longitude from -180 to 180', `${lng}`);
    return [lng, lat];
  }

  #number(fields: readonly string[], what: Name, line: number): number {
    const value = this.#optional(fields, what, line);
    return Number.isNaN(value) ? this.#complain(line, `a number as ${what}`, '') : value;
  }

  /** Parses an optional number; NaN if the field is empty or the column is missing. */
  #optional(fields: readonly string[], what: Name, line: number): number {
    const typed = unquoted(fields[this.#columns[what]] ?? '');
    if (typed === '' || /^(nan|na|null)$/i.test(typed)) return Number.NaN;
    const value = Number(typed);
    return Number.isFinite(value) ? value : this.#complain(line, `a number as ${what}`, typed);
  }

  #sightUp(fields: readonly string[], line: number): number {
    const up = this.#number(fields, 'sightUp', line);
    return up > 0 && up <= 1 ? up : this.#complain(line, 'a los_up above 0, up to 1', `${up}`);
  }

  #complain(line: number, expected: string, got: string): never {
    throw new InvalidInput(`${this.#name}, line ${line}: expected ${expected}, got '${got}'`);
  }
}

const unquoted = (field: string): string => field.trim().replace(/^"(.*)"$/, '$1');
