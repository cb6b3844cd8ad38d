import { InvalidInput } from '../../base/errors.ts';

/** A JSON object. */
export type Json = Readonly<Record<string, unknown>>;

/** @throws InvalidInput when a value is not an object */
export function objectAt(value: unknown, field: string): Json {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new InvalidInput(`${field}: expected an object, got ${shown(value)}`);
  return value as Json;
}

/** Describes a value for a message: briefly, and without walking a value that may be large or deep. */
export function shown(value: unknown): string {
  if (typeof value === 'string') return JSON.stringify(value.slice(0, 100));
  if (Array.isArray(value)) return `a list of ${value.length}`;
  return typeof value === 'object' && value !== null ? 'an object' : String(value);
}

export const MOST_TEXT = 8192; // maximum length of an id or a link [characters]: our choice; servers refuse longer addresses

/** @throws InvalidInput when a value is not a text of a usual length */
export function textAt(value: unknown, field: string): string {
  if (typeof value !== 'string' || value === '')
    throw new InvalidInput(`${field}: expected text, got ${shown(value)}`);
  if (value.length > MOST_TEXT)
    throw new InvalidInput(`${field}: expected at most ${MOST_TEXT} characters, got ${value.length}`);
  return value;
}
