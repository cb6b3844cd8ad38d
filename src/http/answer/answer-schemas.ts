import { ErrorBody } from '../../contract/errors.ts';
import type { Operation } from '../../contract/operation.ts';

/** Schemas by which the framework serialises the answers of an operation, by status. */
export function answerSchemas(operation: Operation): Record<string, unknown> {
  const schemas: Record<string, unknown> = { '4xx': ErrorBody, '5xx': ErrorBody };
  for (const { status, body, bodyType, geojson, media } of operation.answers) {
    if (media !== undefined) continue; // bytes are sent as they are
    if (body === undefined) schemas[status] = { type: 'null' };
    else if (bodyType !== undefined) schemas[status] = { content: { [bodyType]: { schema: body } } };
    else if (geojson === undefined) schemas[status] = body;
    else
      schemas[status] = {
        content: { 'application/json': { schema: body }, 'application/geo+json': { schema: geojson } },
      };
  }
  return schemas;
}
