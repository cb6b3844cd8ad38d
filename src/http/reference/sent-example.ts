import type { OperationObject, ParameterObject } from '../../contract/openapi/document.ts';

const isParameter = (parameter: object): parameter is ParameterObject => 'name' in parameter;

/** What an example sends. */
export interface Sent {
  /** Examples of the parameters in the path, in its order. */
  readonly ids: readonly unknown[];
  /** Examples of the parameters of the query; undefined when there are none. */
  readonly query: Readonly<Record<string, unknown>> | undefined;
  readonly body: unknown;
}

/** What the example of an operation sends, from the examples of its parameters and its body. */
export function sentBy(path: string, declared: OperationObject): Sent {
  const examples = (declared.parameters ?? []).filter(isParameter).filter((p) => p.example !== undefined);
  const ids = [...path.matchAll(/\{(\w+)\}/g)].map(
    ([, name]) => examples.find((p) => p.in === 'path' && p.name === name)?.example,
  );
  const query = examples.filter((p) => p.in === 'query').map((p) => [p.name, p.example] as const);
  return {
    ids,
    query: query.length === 0 ? undefined : Object.fromEntries(query),
    body: declared.requestBody?.content['application/json']?.example,
  };
}

/** A path with its parameters in place, in their order. */
export function pathWith(path: string, ids: readonly unknown[], write: (id: string) => string): string {
  let next = 0;
  return path.replaceAll(/\{\w+\}/g, () => write(String(ids[next++])));
}
