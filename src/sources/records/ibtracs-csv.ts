import { createReadStream } from 'node:fs';
import { basename } from 'node:path';
import { InvalidInput } from '../../base/errors.ts';
import type { StormFix, StormTrack, StormTrackReader } from '../../app/layers/derive/storm-tracks-reader.ts';
import { wrapLongitude } from '../../geo/position.ts';
import { type CsvRow, readCsvRows } from '../../formats/csv/rows.ts';
import { findTrackColumns, seasonOf, trackTimeMs, type TrackColumns } from './track-columns.ts';
import { DAY_MS } from '../../base/time.ts';

const MPS_PER_KNOT = 0.514444; // international knot
const KM_PER_NMI = 1.852; // international nautical mile

/**
 * Ratio of ten-minute to one-minute winds that the agencies use [1].
 * @see doi:10.1175/2009JCLI3123.1 (Knapp & Kruk 2010)
 */
const TEN_MINUTE = 0.88;

/**
 * Agencies in order of preference, with the ratio of their winds to one-minute winds. Winds averaged over two or
 * three minutes are treated as one-minute winds.
 * @see IBTrACS version 4 column documentation, NOAA NCEI
 */
const AGENCIES = [
  ['USA', 1],
  ['TOKYO', TEN_MINUTE],
  ['NEWDELHI', 1],
  ['REUNION', TEN_MINUTE],
  ['BOM', TEN_MINUTE],
  ['NADI', TEN_MINUTE],
  ['WELLINGTON', TEN_MINUTE],
  ['CMA', 1],
  ['HKO', TEN_MINUTE],
  ['KMA', TEN_MINUTE],
  ['DS824', 1],
  ['TD9636', 1],
  ['TD9635', 1],
  ['NEUMANN', TEN_MINUTE],
  ['MLC', 1],
] as const;

/**
 * An agency is used for a storm only if it has at least this share [1] of the number of values (winds, or pressures)
 * that the agency with the most values has.
 */
const ENOUGH = 0.5;

/** Valid range of the radius of maximum wind [km]; wind profiles are not defined outside. */
const RADII_KM = [2, 250] as const;

/**
 * Environmental pressure minus the pressure of the outermost closed isobar [hPa].
 * @see Courtney & Knaff 2009, Aust. Meteorol. Oceanogr. J. 58, 167-179
 */
const BEYOND_ISOBAR_HPA = 2;

/** Id of the storm in a table without ids and names. */
const ONLY_STORM = 'storm';
/** Maximum gap between two fixes of the same storm, for tables without ids [ms]. */
const SILENT_MS = 10 * DAY_MS;

/** One row, with the winds [m/s, one minute] of all agencies. */
interface Row {
  readonly sid: string;
  readonly season: number;
  readonly provisional: boolean;
  readonly timeMs: number;
  readonly lat: number;
  readonly lng: number;
  /** Winds in the order of `AGENCIES`; NaN for an agency without a wind. */
  readonly winds: Float64Array;
  readonly fields: readonly string[];
}

/** Reads best tracks from the CSV that NOAA publishes as IBTrACS v4, and from tables with some of its columns. */
export class IbtracsCsvReader implements StormTrackReader {
  async *readTracks(path: string): AsyncGenerator<StormTrack> {
    const name = basename(path);
    let columns: TrackColumns | undefined;
    let storm: Row[] = [];
    for await (const record of records(path, name)) {
      if (columns === undefined) {
        columns = findTrackColumns(
          record,
          AGENCIES.map(([agency]) => agency),
          name,
        );
        continue;
      }
      const row = rowOf(record, columns, name);
      if (row === null) continue;
      if (
        storm.length > 0 &&
        (storm[0]!.sid !== row.sid || isOtherSeason(storm[0]!, storm.at(-1)!, row, columns))
      ) {
        yield trackOf(storm, columns);
        storm = [];
      }
      storm.push(row);
    }
    if (columns === undefined)
      throw new InvalidInput(`${name} is empty; expected an IBTrACS CSV or a table of best tracks`);
    if (storm.length > 0) yield trackOf(storm, columns);
  }
}

/**
 * Whether a row starts another storm of the same name: the season is another one or, in a table without seasons and
 * ids, the gap before the row is long.
 */
function isOtherSeason(first: Row, last: Row, row: Row, columns: TrackColumns): boolean {
  if (columns.has('SEASON')) return first.season !== row.season;
  const hasIds = columns.get('SID') !== columns.get('NAME');
  return !hasIds && Math.abs(row.timeMs - last.timeMs) > SILENT_MS;
}

/** Maximum length of a line [characters]; those of IBTrACS have about a thousand. */
const LONGEST_LINE = 1 << 22;

/** Streams the records of a file in chunks of whole lines. IBTrACS has no quoted line breaks. */
async function* records(path: string, name: string): AsyncGenerator<CsvRow> {
  let rest = '';
  let before = 0;
  const stream = createReadStream(path, { encoding: 'utf8', highWaterMark: 1 << 20 }); // 1 MiB
  try {
    for await (const part of stream as AsyncIterable<string>) {
      const text = rest + part;
      const end = text.lastIndexOf('\n') + 1;
      rest = text.slice(end);
      if (rest.length > LONGEST_LINE)
        throw new InvalidInput(
          `${name}: a line is longer than ${LONGEST_LINE} characters; expected an IBTrACS CSV`,
        );
      yield* parse(text.slice(0, end), before, name);
      before += countLines(text, end);
    }
  } catch (error) {
    if (error instanceof InvalidInput) throw error;
    throw new InvalidInput(`${path} cannot be read: ${(error as Error).message}`, { cause: error });
  }
  yield* parse(rest, before, name);
}

function* parse(text: string, linesBefore: number, name: string): Generator<CsvRow> {
  try {
    for (const { line, fields } of readCsvRows(text)) yield { line: line + linesBefore, fields };
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    const where = linesBefore === 0 ? '' : ` after line ${linesBefore}`;
    throw new InvalidInput(`${name}${where}, ${error.message}`, { cause: error });
  }
}

function countLines(text: string, end: number): number {
  let lines = 0;
  for (let at = text.indexOf('\n'); at !== -1 && at < end; at = text.indexOf('\n', at + 1)) lines++;
  return lines;
}

/** Parses a row; null for the row of units and for side tracks, which split from or merge into another track. */
function rowOf({ line, fields }: CsvRow, columns: TrackColumns, name: string): Row | null {
  const text = (column: string): string => textOf(fields, columns, column);
  const sid = columns.has('SID') ? text('SID') : ONLY_STORM;
  const kind = text('TRACK_TYPE').toLowerCase();
  if (sid === '' || kind.includes('spur')) return null;
  const wrong = (column: string, wanted: string): InvalidInput =>
    new InvalidInput(`${name}, line ${line}: ${column} is '${text(column)}'; expected ${wanted}`);
  const timeMs = trackTimeMs(text('ISO_TIME'));
  if (Number.isNaN(timeMs)) throw wrong('ISO_TIME', 'a time such as 2016-02-20 06:00:00');
  const lat = numberOf(text('LAT'));
  if (!(Math.abs(lat) <= 90)) throw wrong('LAT', 'degrees from -90 to 90');
  const season = columns.has('SEASON') ? numberOf(text('SEASON')) : seasonOf(timeMs, lat);
  if (!Number.isInteger(season)) throw wrong('SEASON', 'a year');
  const lng = numberOf(text('LON'));
  if (!(Math.abs(lng) <= 360)) throw wrong('LON', 'degrees from -180 to 360');
  const winds = Float64Array.from(AGENCIES, ([agency, averaging]) => {
    const knots = numberOf(text(`${agency}_WIND`));
    return knots > 0 ? (knots * MPS_PER_KNOT) / averaging : Number.NaN;
  });
  return {
    sid,
    season,
    provisional: kind.startsWith('prov'),
    timeMs,
    lat,
    lng: wrapLongitude(lng),
    winds,
    fields,
  };
}

function textOf(fields: readonly string[], columns: TrackColumns, column: string): string {
  const at = columns.get(column);
  return at === undefined ? '' : (fields[at] ?? '').trim();
}

function numberOf(text: string): number {
  return text === '' ? Number.NaN : Number(text);
}

/**
 * Returns the track of a single agency, so that winds do not jump between agencies. This is the first agency with
 * winds [m/s] for enough of the storm; if no agency has winds, the first with central pressures [hPa] for enough of
 * it.
 */
function trackOf(rows: readonly Row[], columns: TrackColumns): StormTrack {
  const byWind = agencyOf(rows, ({ winds }, agency) => winds[agency]!);
  const byPressure = (): number => agencyOf(rows, (row, agency) => pressureOf(row, agency, columns));
  const chosen = byWind === -1 ? byPressure() : byWind;
  const { sid, season } = rows[0]!;
  const fixes = chosen === -1 ? [] : rows.map((row) => fixOf(row, chosen, columns));
  const ordered = fixes
    .filter((fix) => !Number.isNaN(byWind === -1 ? fix.centralPressureHPa : fix.maxWindMps))
    .sort((one, other) => one.timeMs - other.timeMs)
    .filter((fix, i, all) => i === 0 || fix.timeMs > all[i - 1]!.timeMs);
  return { id: sid, season, provisional: rows.some((row) => row.provisional), fixes: ordered };
}

/** Index in `AGENCIES` of the first agency with values for enough of the storm; -1 when no agency has values. */
function agencyOf(rows: readonly Row[], value: (row: Row, agency: number) => number): number {
  const counts = AGENCIES.map((_, agency) => rows.filter((row) => !Number.isNaN(value(row, agency))).length);
  const most = Math.max(...counts);
  return counts.findIndex((count) => count > 0 && count >= ENOUGH * most);
}

/** Central pressure [hPa] from an agency, else from the responsible WMO agency; NaN when neither gives one. */
function pressureOf({ fields }: Row, agency: number, columns: TrackColumns): number {
  const own = numberOf(textOf(fields, columns, `${AGENCIES[agency]![0]}_PRES`));
  const pressure = own > 0 ? own : numberOf(textOf(fields, columns, 'WMO_PRES'));
  return pressure > 0 ? pressure : Number.NaN;
}

function fixOf(row: Row, agency: number, columns: TrackColumns): StormFix {
  const { fields, winds, timeMs, lat, lng } = row;
  const [name] = AGENCIES[agency]!;
  const value = (column: string): number => numberOf(textOf(fields, columns, column));
  const centralPressureHPa = pressureOf(row, agency, columns);
  const radiusKm = value(`${name}_RMW`) * KM_PER_NMI;
  const environment = value(`${name}_POCI`) + BEYOND_ISOBAR_HPA;
  return {
    timeMs,
    lat,
    lng,
    maxWindMps: winds[agency]!,
    centralPressureHPa,
    maxWindRadiusKm: radiusKm >= RADII_KM[0] && radiusKm <= RADII_KM[1] ? radiusKm : Number.NaN,
    // An environmental pressure below the central pressure is an error of the archive.
    environmentHPa: environment > centralPressureHPa ? environment : Number.NaN,
  };
}
