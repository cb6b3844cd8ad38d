import type { OpenApiDocument, SchemaObject } from '../../contract/openapi/document.ts';
import { descriptionHtml } from './description.ts';
import { escapeHtml } from './html.ts';

type Schemas = OpenApiDocument['components']['schemas'];

/** Maximum depth to which a table shows nested objects; the objects of this API are less deep. */
const MAX_DEPTH = 5;
const PREFIX = '#/components/schemas/';

/** Returns the name of a referenced schema; undefined for an inline schema. */
export const schemaName = (schema: SchemaObject): string | undefined => schema.$ref?.slice(PREFIX.length);

/** Returns the schema that a reference names, or the given schema itself if it is not a reference. */
export function resolveSchema(schema: SchemaObject, schemas: Schemas): SchemaObject {
  const name = schemaName(schema);
  return name === undefined ? schema : (schemas[name] ?? {});
}

/** Returns the type of a schema in words, such as `array of string (date)` or `number or null`. */
export function typeName(schema: SchemaObject, schemas: Schemas): string {
  const found = resolveSchema(schema, schemas);
  if (found.const !== undefined) return typeof found.const;
  if (found.type === 'array') return `array of ${typeName(found.items ?? {}, schemas)}`;
  const types = typeof found.type === 'string' ? [found.type] : (found.type ?? ['any']);
  const format = found.format === undefined ? '' : ` (${found.format})`;
  return types.map((type, i) => (i === 0 ? type + format : type)).join(' or ');
}

function range(least: number | undefined, most: number | undefined, unit: string): string | undefined {
  if (least === undefined && most === undefined) return undefined;
  const number = (value: number) => value.toLocaleString('en-GB');
  if (least === 1 && most === undefined && unit !== '') return 'not empty';
  if (least === undefined) return `up to ${number(most!)}${unit}`;
  if (most === undefined) return `${number(least)}${unit} or more`;
  return `${number(least)} to ${number(most)}${unit}`;
}

/** Returns, as HTML, the values that a schema allows; empty when only the type restricts the values. */
export function rangeHtml(schema: SchemaObject, schemas: Schemas): string {
  const found = resolveSchema(schema, schemas);
  const item = found.items ? resolveSchema(found.items, schemas) : undefined;
  const values = found.enum ?? item?.enum ?? (found.const === undefined ? undefined : [found.const]);
  const limits = [
    range(found.minimum, found.maximum, ''),
    range(found.minLength, found.maxLength, ' characters'),
    range(found.minItems, found.maxItems, ' items'),
    found['uniqueItems'] === true ? 'no repeats' : undefined,
    found.default === undefined
      ? undefined
      : `default ${typeof found.default === 'number' ? found.default.toLocaleString('en-GB') : JSON.stringify(found.default)}`,
  ].filter((limit) => limit !== undefined);
  return [
    ...(values ? [values.map((value) => `<code>${escapeHtml(String(value))}</code>`).join(' ')] : []),
    ...limits.map(escapeHtml),
  ].join('<br>');
}

interface Row {
  readonly parents: string;
  readonly name: string;
  readonly required: boolean;
  readonly schema: SchemaObject;
}

function rowsOf(schema: SchemaObject, schemas: Schemas, parents: string, depth: number): Row[] {
  const object = resolveSchema(schema, schemas);
  const rows: Row[] = [];
  for (const [name, member] of Object.entries(object.properties ?? {})) {
    rows.push({ parents, name, required: object.required?.includes(name) ?? false, schema: member });
    if (depth === 0) continue;
    const found = resolveSchema(member, schemas);
    const path = `${parents}${name}${found.type === 'array' ? '[]' : ''}.`;
    rows.push(...rowsOf(found.type === 'array' ? (found.items ?? {}) : found, schemas, path, depth - 1));
  }
  return rows;
}

/** Returns the number of fields of an object, including the fields of nested objects. */
export const fieldCount = (schema: SchemaObject, schemas: Schemas): number =>
  rowsOf(schema, schemas, '', MAX_DEPTH).length;

/**
 * Renders the fields of an object as a table, with the path of each nested field; empty for any other schema.
 * @param depth number of levels of nested objects to include; 0: none
 */
export function schemaTable(schema: SchemaObject, schemas: Schemas, depth = MAX_DEPTH): string {
  const rows = rowsOf(schema, schemas, '', depth).map((row) => {
    const found = resolveSchema(row.schema, schemas);
    const notes = [
      found.description === undefined ? '' : descriptionHtml(found.description),
      rangeHtml(row.schema, schemas),
    ].filter((note) => note !== '');
    const path = row.parents === '' ? '' : `<span class="up">${escapeHtml(row.parents)}</span><wbr>`;
    return `<tr><th scope="row"><code>${path}${escapeHtml(row.name)}</code>${row.required ? '' : ' <span class="opt">optional</span>'}</th><td>${escapeHtml(typeName(row.schema, schemas))}</td><td>${notes.join('<br>')}</td></tr>`;
  });
  if (rows.length === 0) return '';
  return `<div class="scroll"><table class="fields"><thead><tr><th scope="col">Field</th><th scope="col">Type</th><th scope="col">Meaning</th></tr></thead><tbody>${rows.join('')}</tbody></table></div>`;
}
