import type { TSchema } from 'typebox';
import type { SchemaObject } from './document.ts';

/**
 * Keywords whose value is one schema (`ONE`), a list of schemas (`LIST`), or schemas by name (`NAMED`). The values of
 * all other keywords are copied.
 */
const ONE = new Set([
  'items',
  'additionalProperties',
  'not',
  'contains',
  'propertyNames',
  'if',
  'then',
  'else',
]);
const LIST = new Set(['allOf', 'anyOf', 'oneOf', 'prefixItems']);
const NAMED = new Set(['properties', 'patternProperties', '$defs', 'dependentSchemas']);
/** The types of JSON Schema; integers are numbers. */
export const JSON_TYPES: readonly string[] = ['array', 'boolean', 'number', 'object', 'string', 'null'];
const COMPONENT_NAME = /^[A-Za-z0-9._-]+$/; // valid component names (OpenAPI 3.1, Components Object)

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/**
 * States keywords as generators of clients read them, which means the same to a validator: `type` beside the texts of
 * `enum` and `const`, no list of types (unless it only adds null) and no constant that is no text, and numbers of eight
 * bytes, for which generators for Go would choose four.
 */
function readable([keyword, value]: readonly [string, unknown]): readonly (readonly [string, unknown])[] {
  if (keyword === 'type' && [value].flat().every((name) => name === 'number' || name === 'null'))
    return [
      [keyword, value],
      ['format', 'double'],
    ];
  if (keyword === 'type' && Array.isArray(value) && value.filter((name) => name !== 'null').length > 1)
    return [['not', { type: JSON_TYPES.filter((type) => !value.includes(type)) }]];
  if (keyword === 'const' && typeof value === 'boolean') return [['not', { const: !value }]];
  // No other program knows this format of ours. A choice here (`anyOf`) would become a class for each use.
  if (keyword === 'format' && value === 'moment')
    return [
      ['if', { maxLength: DATE_LENGTH }],
      ['then', { format: 'date' }],
      ['else', { format: 'date-time' }],
    ];
  return [[keyword, value]];
}

const DATE_LENGTH = 10; // characters of YYYY-MM-DD; the shortest timestamp of RFC 3339 has 20

/** Collects the schemas of a document that have a title, and replaces each occurrence by a reference. */
export class SchemaCollection {
  readonly #named = new Map<string, { readonly text: string; readonly schema: SchemaObject }>();

  /**
   * Converts a schema to its form in the document. A schema with a title becomes a `$ref`.
   * @throws RangeError when two different schemas have the same title, or a title is not a valid component name
   */
  place(schema: TSchema): SchemaObject {
    return this.#place(schema as Readonly<Record<string, unknown>>);
  }

  /** Returns the schemas with titles, by title in alphabetical order. */
  components(): Record<string, SchemaObject> {
    const titles = [...this.#named.keys()].sort();
    return Object.fromEntries(titles.map((title) => [title, this.#named.get(title)!.schema]));
  }

  #place(source: Readonly<Record<string, unknown>>): SchemaObject {
    const entries = Object.entries(source)
      .filter(([keyword, value]) => !keyword.startsWith('~') && value !== undefined)
      .map(([keyword, value]): [string, unknown] => [keyword, this.#value(keyword, value)]);
    const texts = source['enum'] ?? [source['const']];
    if (source['type'] === undefined && Array.isArray(texts) && texts.every((n) => typeof n === 'string'))
      entries.unshift(['type', 'string']);
    const schema: SchemaObject = Object.fromEntries(entries.flatMap(readable));
    return typeof schema.title === 'string' ? this.#refer(schema.title, schema) : schema;
  }

  #value(keyword: string, value: unknown): unknown {
    if (ONE.has(keyword)) return isRecord(value) ? this.#place(value) : value;
    if (LIST.has(keyword)) return (value as Readonly<Record<string, unknown>>[]).map((v) => this.#place(v));
    if (NAMED.has(keyword))
      return Object.fromEntries(
        Object.entries(value as Readonly<Record<string, Readonly<Record<string, unknown>>>>).map(
          ([name, member]) => [name, this.#place(member)],
        ),
      );
    return structuredClone(value);
  }

  #refer(title: string, schema: SchemaObject): SchemaObject {
    if (!COMPONENT_NAME.test(title)) throw new RangeError(`schema title "${title}" cannot name a component`);
    const text = JSON.stringify(schema);
    const known = this.#named.get(title);
    if (known && known.text !== text) throw new RangeError(`two different schemas are titled "${title}"`);
    if (!known) this.#named.set(title, { text, schema });
    return { $ref: `#/components/schemas/${title}` };
  }
}
