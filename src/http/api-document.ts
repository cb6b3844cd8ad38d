import { type ApiDocument, OPENAPI_TYPE } from '../contract/openapi/api-document.ts';
import { openApi30Document } from '../contract/openapi/openapi-30.ts';
import type { Operation } from '../contract/operation.ts';
import { hostAddress } from './host-address.ts';
import { route, type RouteContext } from './route.ts';

const TYPE = `${OPENAPI_TYPE};version=3.0`;

/** The link from a landing page to the document of its operations. */
export const apiDocumentLink = (root: string) =>
  ({
    href: `${root}/api`,
    rel: 'service-desc',
    type: TYPE,
    title: 'The operations, in OpenAPI 3.0',
  }) as const;

/** Answers with the OpenAPI 3.0 document of the operations below a path, such as `/ogc`. */
export function apiDocumentRoute(
  context: RouteContext,
  declared: ApiDocument,
  root: string,
  operations: readonly Operation[],
): void {
  route(context, declared, ({ request, reply }) => {
    // Written here, because the framework would add a charset, and GDAL knows the media type without one only.
    reply.type(TYPE);
    const document = openApi30Document(operations, root, hostAddress(request));
    context.writeAnswer(request, reply, JSON.stringify(document));
    return reply;
  });
}
