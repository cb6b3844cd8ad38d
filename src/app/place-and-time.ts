import { InvalidInput } from '../base/errors.ts';
import { endOf, type Moment, parseMoment } from '../base/time.ts';
import { type Bbox, fromGeoJsonBbox } from '../geo/bbox.ts';

/** Where and when the items of a list lie. A property that is undefined does not restrict the list. */
export interface PlaceAndTime {
  readonly bounds?: Bbox | undefined;
  /** First moment [ms since the Unix epoch]. */
  readonly fromMs?: number | undefined;
  /** Last moment, inclusive [ms since the Unix epoch]. */
  readonly toMs?: number | undefined;
}

/** Numbers as in JSON: `Number` alone would accept an empty text as 0, and `0x10` as 16. */
const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

/** GDAL 3.6 writes a day as `2026-01-31T`. */
const DAY_OF_GDAL = /(?<=^\d{4}-\d{2}-\d{2})T$/;

/** Parses a box `west,south,east,north`. @throws InvalidInput */
export function readBox(text: string): Bbox {
  const parts = text.split(',');
  if (parts.length !== 4 || !parts.every((part) => NUMBER.test(part)))
    throw new InvalidInput(`bbox: expected four numbers west,south,east,north; got ${JSON.stringify(text)}`, {
      param: 'bbox',
    });
  try {
    return fromGeoJsonBbox(parts.map(Number));
  } catch (cause) {
    throw new InvalidInput(`bbox: ${(cause as Error).message}`, { param: 'bbox', cause });
  }
}

/**
 * Parses the parameters `bbox` and `datetime` of OGC API - Features (part 1, sections 7.15.3 and 7.15.4). A box may have
 * heights, which are ignored. A time is a moment, or an interval whose ends may be open (`..` or empty); a day is whole.
 * @throws InvalidInput that names the parameter
 */
export function readPlaceAndTime(query: {
  readonly bbox?: string | undefined;
  readonly datetime?: string | undefined;
}): PlaceAndTime {
  const bounds = query.bbox === undefined ? undefined : readBox(withoutHeights(query.bbox));
  return { bounds, ...(query.datetime !== undefined && readSpan(query.datetime)) };
}

/** The four numbers on the ground of a box with six. */
function withoutHeights(text: string): string {
  const parts = text.split(',');
  return parts.length === 6 ? [0, 1, 3, 4].map((i) => parts[i]).join(',') : text;
}

function readSpan(text: string): Pick<PlaceAndTime, 'fromMs' | 'toMs'> {
  const refuse = (expected: string): never => {
    throw new InvalidInput(`datetime: expected ${expected}, got ${JSON.stringify(text)}`, {
      param: 'datetime',
    });
  };
  const momentOf = (part: string): Moment =>
    parseMoment(part.replace(DAY_OF_GDAL, '')) ??
    refuse('a time or an interval of RFC 3339, such as 2026-01-01/2026-06-30 or 2026-01-01/..');
  const isOpen = (part: string): boolean => part === '' || part === '..';
  const [first, last, ...more] = text.split('/');
  if (more.length > 0 || (isOpen(first!) && (last === undefined || isOpen(last))))
    refuse('a time, or an interval with one end or two');
  const from = isOpen(first!) ? undefined : momentOf(first!);
  const to = last === undefined ? from : isOpen(last) ? undefined : momentOf(last);
  const [fromMs, toMs] = [from?.ms, to && lastOf(to)];
  if (fromMs !== undefined && toMs !== undefined && fromMs > toMs)
    refuse('an interval that does not end before it begins');
  return { fromMs, toMs };
}

/** The last moment that a time includes [ms since the Unix epoch]. */
function lastOf(moment: Moment): number {
  return moment.isDay ? endOf(moment) - 1 : moment.ms;
}
