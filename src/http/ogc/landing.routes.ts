import { NotFound } from '../../base/errors.ts';
import * as contract from '../../contract/ogc/landing.ts';
import { OGC_OPERATIONS } from '../../contract/ogc/operations.ts';
import { openApi30Document } from '../../contract/openapi/openapi-30.ts';
import { hostAddress } from '../host-address.ts';
import { route, type RouteContext } from '../route.ts';
import { describeKind, FEATURE_KINDS } from './feature-collections.ts';

const JSON_TYPE = 'application/json';

/** The documents by which clients of OGC APIs find their way. */
export function ogcLandingRoutes(context: RouteContext): void {
  route(context, contract.getOgcLanding, ({ request }) => {
    const host = hostAddress(request);
    const root = `${host}/ogc`;
    return {
      title: 'Groundwatch',
      description: 'Your areas of interest, the changes found in them, and anomalies of their feeds.',
      links: [
        { href: root, rel: 'self', type: JSON_TYPE, title: 'This document' },
        { href: `${root}/api`, rel: 'service-desc', type: OPENAPI, title: 'The operations, in OpenAPI 3.0' },
        { href: `${host}/docs`, rel: 'service-doc', type: 'text/html', title: 'The reference' },
        {
          href: `${root}/conformance`,
          rel: 'conformance',
          type: JSON_TYPE,
          title: 'The conformance classes',
        },
        { href: `${root}/collections`, rel: 'data', type: JSON_TYPE, title: 'The collections' },
      ],
    };
  });
  route(context, contract.getOgcConformance, () => ({ conformsTo: [...contract.OGC_CONFORMANCE] }));
  route(context, contract.getOgcApi, ({ request, reply }) => {
    // Written here, because the framework would add a charset, and GDAL knows the media type without one only.
    reply.type(OPENAPI);
    context.writeAnswer(
      request,
      reply,
      JSON.stringify(openApi30Document(OGC_OPERATIONS, '/ogc', hostAddress(request))),
    );
    return reply;
  });
  route(context, contract.listOgcCollections, ({ principal, request }) => {
    const root = `${hostAddress(request)}/ogc`;
    return {
      collections: FEATURE_KINDS.filter(({ scope }) => principal.scopes.has(scope)).map((kind) =>
        describeKind(kind, root),
      ),
      links: [{ href: `${root}/collections`, rel: 'self', type: JSON_TYPE, title: 'This document' }],
    };
  });
  route(context, contract.getOgcCollection, ({ params, request }) => {
    const kind = FEATURE_KINDS.find(({ id }) => id === params.id);
    if (kind === undefined) throw new NotFound(`There is no collection ${params.id}`);
    return describeKind(kind, `${hostAddress(request)}/ogc`);
  });
}

const OPENAPI = `${contract.OPENAPI_TYPE};version=3.0`;
