import { type TObject, Type } from 'typebox';
import { operation } from '../operation.ts';
import type { Tag } from './tags.ts';

/** Media type of an OpenAPI 3.0 document in JSON. */
export const OPENAPI_TYPE = 'application/vnd.oai.openapi+json';

/** An operation that gives an OpenAPI 3.0 document. */
export type ApiDocument = ReturnType<typeof apiDocument>;

/**
 * Declares the operation that gives the operations below one path as an OpenAPI 3.0 document, at `{root}/api`.
 * @param title name of the schema of the document
 */
export function apiDocument<const Id extends string, const Root extends string, Query extends TObject>(of: {
  readonly id: Id;
  readonly root: Root;
  readonly tag: Tag;
  readonly title: string;
  readonly query: Query;
}) {
  const { id, root, tag, title, query } = of;
  return operation({
    id,
    method: 'GET',
    path: `${root}/api`,
    tag,
    summary: `The operations at ${root} as an OpenAPI 3.0 document`,
    description: 'The document of the whole interface is `/openapi.json`, in OpenAPI 3.1.',
    scopes: [],
    query,
    answers: [
      {
        status: 200,
        description: 'The document.',
        body: Type.Object(
          { openapi: Type.String(), info: Type.Object({}, { additionalProperties: true }) },
          { title, additionalProperties: true },
        ),
        bodyType: OPENAPI_TYPE,
      },
    ],
    example: { answer: { openapi: '3.0.3', info: { title: 'Groundwatch', version: '1.3.0' } } },
  });
}
