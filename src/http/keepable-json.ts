import type { AnySchema, AnySchemaObject } from 'ajv';

/** Levels that a value without a schema may nest, at most: a MultiPolygon has six. */
const MAX_DEPTH = 16;
/** Keywords that say themselves what a value may be: what has one needs no guard. */
const TELLING = ['type', 'enum', 'const', 'anyOf', 'oneOf', 'allOf', '$ref', 'not'];

/** Whether PostgreSQL keeps a text as it is: it refuses NUL, and half a surrogate pair has no UTF-8. */
export function isKeepableText(text: string): boolean {
  return text.isWellFormed() && !text.includes('\0');
}

/** How many values a JSON value is made of, itself included, counted to `limit` and no further. */
export function countValues(value: unknown, limit: number): number {
  let count = 1;
  const waiting = isContainer(value) ? [value] : [];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    // Names cost less than values, and a list has its length.
    const names = Array.isArray(next) ? undefined : Object.keys(next);
    const length = names?.length ?? (next as readonly unknown[]).length;
    count += length;
    // A body of nothing but members is given up by their number, not followed.
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

/** Whether a JSON value nests so little that code may follow it by recursion, and holds only texts that can be kept. */
export function isKeepable(value: unknown): boolean {
  let keepable = true;
  walk(value, (item, depth) => {
    if (depth > MAX_DEPTH || (typeof item === 'string' && !isKeepableText(item))) keepable = false;
    return keepable;
  });
  return keepable;
}

/** Visits a value and all within it, without recursion, while `visit` says to go on. */
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
 * A copy of a schema in which every free text is marked `keepableText`, and every value about which nothing is said
 * `keepable`, so that no route has to think of them.
 */
export function guardSchema(given: AnySchema): AnySchema {
  if (typeof given === 'boolean') return given;
  const guarded: AnySchemaObject = { ...given };
  if (typeof given['properties'] === 'object')
    guarded['properties'] = Object.fromEntries(
      Object.entries(given['properties'] as Record<string, AnySchema>).map(([name, member]) => [
        name,
        guardSchema(member),
      ]),
    );
  if (typeof given['items'] === 'object') guarded['items'] = guardSchema(given['items'] as AnySchema);
  if (!TELLING.some((keyword) => keyword in given)) guarded['keepable'] = true;
  if (given['type'] === 'string' && given['enum'] === undefined && given['format'] === undefined)
    guarded['keepableText'] = true;
  return guarded;
}
