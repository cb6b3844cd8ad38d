import { getDatedCollection, listCollections } from '../../app/pictures/read-collections.ts';
import { encodeCursor } from '../../base/cursor.ts';
import { STAC_ITEMS } from '../../contract/limits.ts';
import * as contract from '../../contract/stac/landing.ts';
import { STAC_OPERATIONS } from '../../contract/stac/operations.ts';
import { apiDocumentLink, apiDocumentRoute } from '../api-document.ts';
import { hostAddress } from '../host-address.ts';
import { route, type RouteContext } from '../route.ts';
import { type ListKind, pageRequest } from '../routes/page.ts';
import { describeStacCollection, GEOJSON_TYPE, JSON_TYPE, nextByGet } from './documents.ts';
const COLLECTIONS: ListKind = { name: 'stac-collections', position: ['collection'] };

/** The documents by which clients of the STAC API find their way. */
export function stacLandingRoutes(context: RouteContext): void {
  route(context, contract.getStacLanding, ({ request }) => {
    const host = hostAddress(request);
    const root = `${host}/stac`;
    const search = { href: `${root}/search`, rel: 'search', type: GEOJSON_TYPE } as const;
    return {
      type: 'Catalog',
      stac_version: contract.STAC_VERSION,
      id: 'groundwatch',
      title: 'Groundwatch',
      description: 'The scenes of your collections of images, and the changes found in them.',
      conformsTo: [...contract.STAC_CONFORMANCE],
      links: [
        { href: root, rel: 'self', type: JSON_TYPE, title: 'This document' },
        { href: root, rel: 'root', type: JSON_TYPE, title: 'This document' },
        apiDocumentLink(root),
        { href: `${host}/docs`, rel: 'service-doc', type: 'text/html', title: 'The reference' },
        {
          href: `${root}/conformance`,
          rel: 'conformance',
          type: JSON_TYPE,
          title: 'The conformance classes',
        },
        { href: `${root}/collections`, rel: 'data', type: JSON_TYPE, title: 'The collections' },
        { ...search, title: 'Search', method: 'GET' },
        { ...search, title: 'Search', method: 'POST' },
      ],
    };
  });
  route(context, contract.getStacConformance, () => ({ conformsTo: [...contract.STAC_CONFORMANCE] }));
  apiDocumentRoute(context, contract.getStacApi, '/stac', STAC_OPERATIONS);
  route(context, contract.listStacCollections, async ({ storage, principal, query, request }) => {
    const host = hostAddress(request);
    const limit = Math.min(query.limit ?? STAC_ITEMS.default, STAC_ITEMS.most);
    const page = await listCollections(
      storage,
      principal,
      pageRequest(COLLECTIONS, { limit, cursor: query.cursor }),
    );
    const address = `${host}/stac/collections`;
    const cursor = encodeCursor(COLLECTIONS.name, page.next);
    const asked = new URLSearchParams(query.limit === undefined ? {} : { limit: String(query.limit) });
    return {
      collections: page.items.map((collection) => describeStacCollection(collection, host)),
      links: [
        { href: address, rel: 'self', type: JSON_TYPE },
        { href: `${host}/stac`, rel: 'root', type: JSON_TYPE },
        ...(cursor === undefined ? [] : [nextByGet(address, asked, cursor, JSON_TYPE)]),
      ],
    };
  });
  route(context, contract.getStacCollection, async ({ storage, principal, params, request }) =>
    describeStacCollection(await getDatedCollection(storage, principal, params.id), hostAddress(request)),
  );
}
