import { formatDay, formatTimestamp, parseMoment } from './time.ts';
import { InvalidInput } from './errors.ts';
import { isId, type IdKind } from './ids.ts';

/**
 * Type of one part of a position in a list: an identifier of a kind, a day, a time (UTC with milliseconds), or a count.
 */
export type PositionPart = IdKind | 'day' | 'moment' | 'count';

const COUNT = /^(?:0|[1-9]\d{0,8})$/;

/** Encodes the position at which a page ended as an opaque cursor that is valid for one kind of list. */
export function encodeCursor(list: string, position: readonly string[] | undefined): string | undefined {
  return position && Buffer.from(JSON.stringify([list, ...position])).toString('base64url');
}

/** Decodes a cursor. @throws InvalidInput for a cursor of another list, and for a cursor not made by `encodeCursor` */
export function decodeCursor(
  list: string,
  form: readonly PositionPart[],
  cursor: string | undefined,
): readonly string[] | undefined {
  if (cursor === undefined) return undefined;
  let parts: unknown;
  try {
    parts = JSON.parse(Buffer.from(cursor, 'base64url').toString('utf8'));
  } catch {
    parts = undefined;
  }
  if (Array.isArray(parts) && parts.length === form.length + 1 && parts[0] === list) {
    const position: unknown[] = parts.slice(1);
    if (position.every((part, i) => typeof part === 'string' && fits(part, form[i]!)))
      return position as string[];
  }
  throw new InvalidInput('cursor: expected the next_cursor of an earlier answer of this list', {
    param: 'cursor',
  });
}

function fits(part: string, form: PositionPart): boolean {
  if (form === 'count') return COUNT.test(part);
  if (form !== 'day' && form !== 'moment') return isId(form, part);
  // Accepts a time only in the form that encodeCursor writes, and only in the years 1 to 9999.
  const ms = parseMoment(part)?.ms;
  if (ms === undefined || part < '0001') return false;
  return part === (form === 'day' ? formatDay(ms) : formatTimestamp(ms));
}
