import { basename } from 'node:path';
import { InvalidInput } from '../../base/errors.ts';
import type { BandDate } from '../../app/imagery/raster-stack.ts';
import { parseMoment } from '../../base/time.ts';
import { hiddenCharacter, NAME_RULE } from '../../contract/name-text.ts';
import type { CsvRow } from '../../formats/csv/rows.ts';
import { csvRowsOf, readText } from '../../formats/csv/table.ts';

/** Names of the time column, the most exact first. If the header has several, the first name in this list is used. */
const TIME_COLUMNS = ['datetime_utc', 'datetime', 'date'] as const;
/** Maximum number of problems listed in a message, so that a wrong file does not flood the terminal. */
const MAX_PROBLEMS = 20;

interface Columns {
  readonly band: number;
  readonly time: number;
  readonly timeName: string;
  readonly scene: number;
}

function findColumns(header: CsvRow | undefined, name: string): Columns {
  const names = header?.fields.map((field) => field.trim().toLowerCase()) ?? [];
  const timeName = TIME_COLUMNS.find((column) => names.includes(column));
  const wanted = `expected 'band', one of 'date', 'datetime', 'datetime_utc', and optionally 'scene'`;
  if (!names.includes('band') || timeName === undefined) {
    throw new InvalidInput(`${name}, line 1: the columns are '${names.join(',')}'; ${wanted}`);
  }
  const repeated = ['band', timeName, 'scene'].find(
    (column) => names.indexOf(column) !== names.lastIndexOf(column),
  );
  if (repeated !== undefined) {
    throw new InvalidInput(`${name}, line 1: the column '${repeated}' stands twice; ${wanted}`);
  }
  return {
    band: names.indexOf('band'),
    time: names.indexOf(timeName),
    timeName,
    scene: names.indexOf('scene'),
  };
}

/**
 * Reads one date for each band of a stack. Times without an offset are UTC.
 * @param name name of the file, for messages
 * @param bandCount number of bands in the stack
 * @returns the dates in the order of the bands
 * @throws InvalidInput naming every bad line: a missing column, a band that is not an integer, out of range or
 * repeated, an invalid date, the same instant and scene twice, or a band without a date
 */
export function parseDatesCsv(text: string, name: string, bandCount: number): readonly BandDate[] {
  const rows = csvRowsOf(text, name);
  const columns = findColumns(rows.shift(), name);
  const problems: string[] = [];
  const byBand = new Map<number, BandDate & { readonly line: number }>();
  const instants = new Map<string, number>();
  for (const { line, fields } of rows) {
    const complain = (what: string): void => {
      problems.push(`line ${line}: ${what}`);
    };
    const bandText = fields[columns.band]?.trim() ?? '';
    const timeText = fields[columns.time]?.trim() ?? '';
    const scene = fields[columns.scene]?.trim() ?? '';
    const band = /^\d{1,9}$/.test(bandText) ? Number(bandText) : Number.NaN;
    const moment = parseMoment(timeText);
    if (!(band >= 1 && band <= bandCount)) {
      complain(
        `the band is '${bandText}'; expected an integer from 1 to ${bandCount}, the bands of the stack`,
      );
    } else if (byBand.has(band)) {
      complain(`band ${band} stands already on line ${byBand.get(band)!.line}`);
    } else if (moment === undefined) {
      complain(
        `the ${columns.timeName} is '${timeText}'; expected YYYY-MM-DD or an RFC 3339 time that exists`,
      );
    } else {
      const hidden = hiddenCharacter(scene);
      if (hidden !== undefined) complain(`the scene: expected ${NAME_RULE}, got ${hidden}`);
      const instant = `${moment.ms} ${scene}`;
      const twin = instants.get(instant);
      if (twin !== undefined)
        complain(`the same ${columns.timeName} and scene stand already on line ${twin}`);
      instants.set(instant, line);
      byBand.set(band, { band, timeMs: moment.ms, scene: scene === '' ? null : scene, line });
    }
  }
  if (problems.length === 0) {
    const missing = Array.from({ length: bandCount }, (_, i) => i + 1).filter((band) => !byBand.has(band));
    if (missing.length > 0) {
      const some = missing.slice(0, MAX_PROBLEMS).join(', ');
      problems.push(`${missing.length} of the stack's ${bandCount} bands have no date: ${some}`);
    }
  }
  if (problems.length > 0) {
    const more = problems.length - MAX_PROBLEMS;
    const listed = problems.slice(0, MAX_PROBLEMS).join('; ');
    throw new InvalidInput(`${name}, ${listed}${more > 0 ? `; and ${more} more` : ''}`);
  }
  return [...byBand.values()]
    .sort((a, b) => a.band - b.band)
    .map(({ band, timeMs, scene }) => ({ band, timeMs, scene }));
}

/**
 * Reads a file with one date for each band of a stack, in the form that `parseDatesCsv` describes.
 * @throws InvalidInput for the same problems as `parseDatesCsv`, and when the file cannot be read
 */
export async function readDatesCsv(path: string, bandCount: number): Promise<readonly BandDate[]> {
  return parseDatesCsv(await readText(path), basename(path), bandCount);
}
