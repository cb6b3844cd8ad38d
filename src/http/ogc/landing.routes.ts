import { listMetrics } from '../../app/series/list-metrics.ts';
import { NotFound } from '../../base/errors.ts';
import * as contract from '../../contract/ogc/landing.ts';
import { OGC_OPERATIONS } from '../../contract/ogc/operations.ts';
import { apiDocumentLink, apiDocumentRoute } from '../api-document.ts';
import { hostAddress } from '../host-address.ts';
import { type Call, route, type RouteContext } from '../route.ts';
import {
  describeKind,
  describeSeries,
  FEATURE_KINDS,
  SERIES_ID,
  SERIES_SCOPE,
} from './feature-collections.ts';

const JSON_TYPE = 'application/json';

/** The documents by which clients of OGC APIs find their way. */
export function ogcLandingRoutes(context: RouteContext): void {
  route(context, contract.getOgcLanding, ({ request }) => {
    const host = hostAddress(request);
    const root = `${host}/ogc`;
    return {
      title: 'Groundwatch',
      description:
        'Your areas of interest, the changes found in them, anomalies of their feeds, incidents, and series.',
      links: [
        { href: root, rel: 'self', type: JSON_TYPE, title: 'This document' },
        apiDocumentLink(root),
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
  apiDocumentRoute(context, contract.getOgcApi, '/ogc', OGC_OPERATIONS);
  /** The description of the series; empty for a credential that may not read them. */
  const seriesOf = async (
    { storage, principal }: Pick<Call<typeof contract.listOgcCollections>, 'storage' | 'principal'>,
    root: string,
  ): Promise<readonly contract.OgcCollection[]> => {
    if (!principal.scopes.has(SERIES_SCOPE)) return [];
    const metrics = await listMetrics({ storage }, principal);
    return [
      describeSeries(
        metrics.filter(({ collections }) => collections > 0),
        root,
      ),
    ];
  };
  route(context, contract.listOgcCollections, async (call) => {
    const root = `${hostAddress(call.request)}/ogc`;
    const kinds = FEATURE_KINDS.filter(({ scope }) => call.principal.scopes.has(scope));
    return {
      collections: [...kinds.map((kind) => describeKind(kind, root)), ...(await seriesOf(call, root))],
      links: [{ href: `${root}/collections`, rel: 'self', type: JSON_TYPE, title: 'This document' }],
    };
  });
  route(context, contract.getOgcCollection, async (call) => {
    const { id } = call.params;
    const root = `${hostAddress(call.request)}/ogc`;
    const kind = FEATURE_KINDS.find((one) => one.id === id);
    if (kind !== undefined) return describeKind(kind, root);
    const [series] = id === SERIES_ID ? await seriesOf(call, root) : [];
    if (series === undefined) throw new NotFound(`There is no collection ${id}`);
    return series;
  });
}
