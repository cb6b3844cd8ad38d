import { compile, type JSONSchema } from 'json-schema-to-typescript';
import { JSON_TYPES } from '../src/contract/openapi/schemas.ts';

interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly required?: boolean;
  readonly description?: string;
  readonly schema: object;
}

type Content = Readonly<Record<string, { readonly schema?: object }>>;

interface ApiOperation {
  readonly operationId: string;
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: { readonly content: Content };
  readonly responses: Readonly<Record<string, { readonly content?: Content }>>;
}

/** The parts of an OpenAPI document that the types of the client are made from. */
interface Api {
  readonly paths: Readonly<Record<string, Readonly<Record<string, ApiOperation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, object>> };
}

const BANNER = '// Long file: made by `npm run generate` from the schemas of the operations.';

/**
 * TypeScript module with the types of an interface: `Operations` has the query, body and answers of each operation,
 * and there is one interface for each named schema. It imports nothing, so that the client needs no other package.
 */
export async function clientTypes(document: object): Promise<string> {
  const { paths, components } = document as Api;
  const operations = Object.values(paths)
    .flatMap((methods) => Object.values(methods))
    .filter(({ operationId }) => operationId !== undefined);
  const root = {
    ...closed(Object.fromEntries(operations.map((its) => [its.operationId, partsOf(its)]))),
    components,
  };
  const withError = closed({ operations: root, error: { $ref: '#/components/schemas/Error' } });
  const schema = withoutNot({ ...withError, title: 'Api', components });
  return compile(schema as JSONSchema, 'Api', {
    bannerComment: BANNER,
    ignoreMinAndMaxItems: true,
    additionalProperties: false,
    style: { printWidth: 110, singleQuote: true },
  });
}

function partsOf({ parameters = [], requestBody, responses }: ApiOperation): object {
  const success = Object.entries(responses).find(([status]) => status.startsWith('2'))?.[1].content ?? {};
  const query = parameters.filter((parameter) => parameter.in === 'query');
  const parts = {
    query: query.length === 0 ? undefined : queryOf(query),
    body: requestBody?.content['application/json']?.schema,
    answer: success['application/json']?.schema,
    geojson: success['application/geo+json']?.schema,
  };
  return closed(Object.fromEntries(Object.entries(parts).filter(([, schema]) => schema !== undefined)));
}

function queryOf(parameters: readonly Parameter[]): object {
  return {
    ...closed(
      Object.fromEntries(
        parameters.map(({ name, schema, description }) => [name, { ...schema, description }] as const),
      ),
    ),
    required: parameters.filter(({ required }) => required === true).map(({ name }) => name),
  };
}

/** Schema of an object with exactly these members. */
function closed(properties: object): object {
  return { type: 'object', properties, required: Object.keys(properties), additionalProperties: false };
}

/** States constants and lists of types again, which the document has as `not` (src/contract/openapi/schemas.ts). */
function withoutNot(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(withoutNot);
  if (typeof schema !== 'object' || schema === null) return schema;
  return Object.fromEntries(
    Object.entries(schema).map(([name, value]) => {
      if (name !== 'not') return [name, withoutNot(value)];
      return 'const' in value
        ? ['const', !value.const]
        : ['type', JSON_TYPES.filter((t) => !value.type.includes(t))];
    }),
  );
}
