import type { RecordsRequest } from '../../app/layers/derive/yearly-maxima.ts';
import { type CliContext, type Given, Misuse, number, type Option, required, text } from '../command.ts';

/** Options of the commands that derive return levels from the records of stations. */
export const RECORD_OPTIONS = {
  stations: {
    value: 'S.csv',
    meaning:
      'stations with id, lat and lng, for records that name them in a column, or have a column for each',
  },
  lat: {
    value: 'DEG',
    meaning: 'where its only station stands',
    fallback: 'columns of the file, or --stations',
  },
  lng: { value: 'DEG', meaning: 'see lat', fallback: 'columns of the file, or --stations' },
  station: {
    value: 'NAME',
    meaning: 'name of its only station',
    fallback: 'what the file says, or the place',
  },
  column: { value: 'COL', meaning: 'column of the values', fallback: 'one with a usual name' },
  time: { value: 'COL', meaning: 'column of the times', fallback: 'date, datetime, time, year and the like' },
  'date-order': {
    value: 'dmy|mdy',
    meaning: 'of dates such as 03/04/2020',
    fallback: 'inferred from the file',
  },
  unit: { value: 'U', meaning: 'unit of the values', fallback: 'what the name of the column says' },
  scale: { value: 'S', meaning: 'value = written * scale, before the unit', fallback: '1' },
  nodata: {
    value: 'N',
    meaning: 'number that means nothing was observed, in addition to -999, -9999 and the like',
  },
  'keep-doubtful': { meaning: 'use records although the checks find their figures implausible' },
} satisfies Readonly<Record<string, Option>>;

/** The values of {@link RECORD_OPTIONS}, for the file that the option `records` names. @throws Misuse */
export function recordsOf(given: Given): RecordsRequest {
  const order = text(given, 'date-order');
  if (order !== undefined && order !== 'dmy' && order !== 'mdy')
    throw new Misuse(`--date-order: expected dmy or mdy, got ${order}`);
  return {
    path: required(given, 'records'),
    stationsPath: text(given, 'stations'),
    lat: number(given, 'lat'),
    lng: number(given, 'lng'),
    station: text(given, 'station'),
    column: text(given, 'column'),
    timeColumn: text(given, 'time'),
    dateOrder: order,
    unit: text(given, 'unit'),
    scale: number(given, 'scale'),
    nodata: number(given, 'nodata'),
    keepDoubtful: given.options['keep-doubtful'] === true,
  };
}

/** Maximum number of stations that a note names. */
const MOST_NAMED = 10;

/** Prints which stations are left out, which are doubtful, and how many years count. */
export function noteRecords(
  context: CliContext,
  derived: {
    readonly years: number;
    readonly droppedYears: number;
    readonly leftOut: readonly string[];
    readonly doubts: readonly string[];
  },
): void {
  const { years, droppedYears, leftOut, doubts } = derived;
  context.note(`${years} years of records count; ${droppedYears} between them are missing or have gaps.`);
  const list = (title: string, items: readonly string[]): void => {
    if (items.length === 0) return;
    const more = items.length > MOST_NAMED ? `; and ${items.length - MOST_NAMED} more` : '';
    context.note(`${title}: ${items.slice(0, MOST_NAMED).join('; ')}${more}.`);
  };
  list('Left out', leftOut);
  list('Used although implausible', doubts);
}
