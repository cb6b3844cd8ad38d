import type { AnySchema, AnySchemaObject } from 'ajv';

/** Maximum depth of nesting of a value without a schema; a MultiPolygon has six levels. */
const MAX_DEPTH = 16;
/** Keywords that restrict a value: a schema with one of them needs no guard. */
const RESTRICTING = ['type', 'enum', 'const', 'anyOf', 'oneOf', 'allOf', '$ref', 'not'];

/**
 * Returns whether PostgreSQL can store a text unchanged. It refuses NUL characters, and a lone surrogate cannot be
 * encoded in UTF-8.
 */
export function isKeepableText(text: string): boolean {
  return whyNotKeepableText(text) === undefined;
}

/** Counts the values in a JSON value, including the value itself; stops at `limit`. */
export function countValues(value: unknown, limit: number): number {
  let count = 1;
  const waiting = isContainer(value) ? [value] : [];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    // For an object, counting the names is cheaper than reading the values.
    const names = Array.isArray(next) ? undefined : Object.keys(next);
    const length = names?.length ?? (next as readonly unknown[]).length;
    count += length;
    // The number of members is enough to stop, without visiting them.
    if (count >= limit) return limit;
    for (let i = 0; i < length; i++) {
      const member: unknown = (next as Record<string | number, unknown>)[names?.[i] ?? i];
      if (isContainer(member)) waiting.push(member);
    }
  }
  return count;
}

function isContainer(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}

/** Returns whether a JSON value is shallow enough for recursive code, and PostgreSQL can store all its texts. */
export function isKeepable(value: unknown): boolean {
  return whyNotKeepable(value) === undefined;
}

/** What was expected of a value that cannot be kept, and what came; undefined where it can be kept. */
export function whyNotKeepable(value: unknown): string | undefined {
  let why: string | undefined;
  walk(value, (item, depth) => {
    if (depth > MAX_DEPTH) why = `at most ${MAX_DEPTH} levels of arrays and objects, got more`;
    else if (typeof item === 'string') why = whyNotKeepableText(item);
    return why === undefined;
  });
  return why;
}

/** What was expected of a text that cannot be kept, and what came; undefined where it can be kept. */
export function whyNotKeepableText(text: string): string | undefined {
  if (text.includes('\0')) return 'text without NUL, got a NUL character';
  return text.isWellFormed() ? undefined : 'whole surrogate pairs, got half of one';
}

/** Visits a value and everything in it, without recursion, until `visit` returns false. */
function walk(value: unknown, visit: (item: unknown, depth: number) => boolean): void {
  const waiting: { readonly item: unknown; readonly depth: number }[] = [{ item: value, depth: 0 }];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const { item, depth } = next;
    if (!visit(item, depth)) return;
    if (!isContainer(item)) continue;
    for (const member of Object.values(item)) waiting.push({ item: member, depth: depth + 1 });
  }
}

/**
 * Copies a schema without its alternatives, and marks every unrestricted text as `keepableText` and every unrestricted value as `keepable`. Then
 * no route has to check for text that the database refuses. Alternatives (`oneOf`) are for readers of the document: the
 * use case checks them, and names the field that does not fit.
 */
export function guardSchema(given: AnySchema): AnySchema {
  if (typeof given === 'boolean') return given;
  const { oneOf: _, ...rest } = given;
  const guarded: AnySchemaObject = rest;
  if (typeof given['properties'] === 'object')
    guarded['properties'] = Object.fromEntries(
      Object.entries(given['properties'] as Record<string, AnySchema>).map(([name, member]) => [
        name,
        guardSchema(member),
      ]),
    );
  if (typeof given['items'] === 'object') guarded['items'] = guardSchema(given['items'] as AnySchema);
  if (!RESTRICTING.some((keyword) => keyword in given)) guarded['keepable'] = true;
  if (given['type'] === 'string' && given['enum'] === undefined && given['format'] === undefined)
    guarded['keepableText'] = true;
  return guarded;
}
