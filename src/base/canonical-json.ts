import { createHash } from 'node:crypto';

/**
 * Writes JSON in the canonical form of RFC 8785 (JCS): no spaces, the members of every object sorted by the UTF-16 code
 * units of their names, numbers and strings as ECMAScript writes them. A member that is undefined is left out, and
 * undefined in an array is null, as in JSON.stringify.
 * @throws RangeError on what has no form in RFC 8785: NaN, infinity, and text with half of a surrogate pair
 */
export function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map((item) => canonicalJson(item ?? null)).join(',')}]`;
  if (typeof value === 'object' && value !== null) {
    const members = Object.entries(value)
      .filter(([, member]) => member !== undefined)
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, member]) => `${canonicalJson(name)}:${canonicalJson(member)}`);
    return `{${members.join(',')}}`;
  }
  if (typeof value === 'number' && !Number.isFinite(value)) throw new RangeError(`${value} has no JSON form`);
  if (typeof value === 'string' && !value.isWellFormed())
    throw new RangeError(`${JSON.stringify(value)} has half of a surrogate pair, and so no canonical form`);
  return JSON.stringify(value);
}

/** Returns the SHA-256 (hex) of the canonical JSON of a value, in UTF-8. */
export function digestOf(value: unknown): string {
  return createHash('sha256').update(canonicalJson(value)).digest('hex');
}
