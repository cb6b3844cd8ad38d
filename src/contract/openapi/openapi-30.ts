import { openApiDocument } from './openapi.ts';
import type { Operation } from '../operation.ts';

type Json = Readonly<Record<string, unknown>>;

/**
 * The OpenAPI 3.0 document of the operations below one path, for clients that do not read OpenAPI 3.1. Its paths are
 * relative to that path, as clients of OGC APIs expect.
 * @param root such as `/ogc`
 * @param server address of the service, without a path
 * @see https://spec.openapis.org/oas/v3.0.3.html
 */
export function openApi30Document(operations: readonly Operation[], root: string, server: string): Json {
  const { info, components, paths, tags } = openApiDocument({ operations });
  const used = new Set<string>(operations.map(({ tag }) => tag));
  const { license, summary: _none, ...rest } = info;
  const { webhooks: _hooks, parameters: _parameters, ...kept } = { webhooks: undefined, ...components };
  return lowered({
    openapi: '3.0.3',
    info: { ...rest, license: { name: license.name } },
    servers: [{ url: server + root }],
    security: [{ bearer: [] }],
    tags: tags.filter(({ name }) => used.has(name)),
    paths: Object.fromEntries(
      Object.entries(paths).map(([path, item]) => [path.slice(root.length) || '/', item]),
    ),
    components: kept,
  }) as Json;
}

/** Rewrites schemas whose keywords OpenAPI 3.0 does not know: lists of types, `const`, and patterns of names. */
function lowered(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(lowered);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).flatMap(([name, member]): readonly (readonly [string, unknown])[] => {
    if (name === 'const') return [['enum', [member]]];
    if (name === 'patternProperties')
      return [['additionalProperties', lowered(Object.values(member as object)[0])]];
    if (name === 'type' && Array.isArray(member)) {
      const types = member.filter((type) => type !== 'null');
      return [
        ['type', types[0]],
        ['nullable', types.length < member.length],
      ];
    }
    return [[name, lowered(member)]];
  });
  return Object.fromEntries(entries);
}
