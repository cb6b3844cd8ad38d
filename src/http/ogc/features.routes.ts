import type { FastifyReply, FastifyRequest } from 'fastify';
import { presentAnomaly } from '../../app/anomalies/present-anomaly.ts';
import { getAnomaly, listPlacedAnomalies } from '../../app/anomalies/read-anomalies.ts';
import { getAoi, listPlacedAois } from '../../app/areas/manage-aois.ts';
import { presentChange } from '../../app/changes/present-change.ts';
import { getChange, listPlacedChanges } from '../../app/changes/read-changes.ts';
import { boxGeometry } from '../../app/box-geometry.ts';
import type { IncidentRecord } from '../../app/incidents/incident-store.ts';
import { presentIncident } from '../../app/incidents/present-incident.ts';
import { getIncident, listPlacedIncidents } from '../../app/incidents/read-incidents.ts';
import type { Page, PageRequest } from '../../app/page.ts';
import { type PlaceAndTime, readPlaceAndTime } from '../../app/place-and-time.ts';
import { encodeCursor } from '../../base/cursor.ts';
import { PAGE_ITEMS } from '../../contract/limits.ts';
import * as contract from '../../contract/ogc/features.ts';
import type { OgcLink } from '../../contract/ogc/links.ts';
import { JsonText } from '../answer/json-text.ts';
import { hostAddress } from '../host-address.ts';
import { type Call, route, type RouteContext } from '../route.ts';
import { presentAoi } from '../routes/aois.routes.ts';
import { answerDrawn, readDrawn } from '../routes/drawn-list.ts';
import { type Feature, featureOf, featuresOf } from '../routes/geojson.ts';
import { type ListKind, pageRequest } from '../routes/page.ts';
import type { FeatureKind } from './feature-collections.ts';

const GEOJSON = 'application/geo+json';
const AREAS: ListKind = { name: 'ogc-areas', position: ['aoi'] };
const CHANGES: ListKind = { name: 'ogc-changes', position: ['change'] };
const INCIDENTS: ListKind = { name: 'ogc-incidents', position: ['moment', 'incident'] };
const ANOMALIES: ListKind = { name: 'ogc-anomalies', position: ['moment', 'anomaly'] };

/**
 * How many pages are read for one answer while they are empty. Some clients take an empty page for the last.
 */
const READS = 8;

type Resource = Parameters<typeof featureOf>[0];
type ItemsCall = Call<
  | typeof contract.listOgcAreas
  | typeof contract.listOgcChanges
  | typeof contract.listOgcAnomalies
  | typeof contract.listOgcIncidents
>;

/** Areas, changes, anomalies and incidents as features, from the same use cases as under `/v1`. */
export function ogcFeatureRoutes(context: RouteContext): void {
  const answerItems = async <T>(
    { query, request, reply }: Pick<ItemsCall, 'query' | 'request' | 'reply'>,
    kind: ListKind,
    read: (filter: PlaceAndTime, page: PageRequest) => Promise<Page<T>>,
    present: (item: T) => Resource,
  ): Promise<FastifyReply> => {
    const filter = readPlaceAndTime(query);
    const limit = Math.min(query.limit ?? PAGE_ITEMS, PAGE_ITEMS);
    const first = pageRequest(kind, { limit, cursor: query.cursor });
    const page = await readDrawn(request, () => firstWithItems(first, (page) => read(filter, page)));
    const features = featuresOf(page.items.map(present));
    reply.type(GEOJSON);
    return answerDrawn(
      context,
      {
        ...features,
        numberReturned: page.items.length,
        links: linksOfPage(request, encodeCursor(kind.name, page.next)),
      },
      request,
      reply,
    );
  };
  route(context, contract.listOgcAreas, (call) =>
    answerItems(
      call,
      AREAS,
      (filter, page) => listPlacedAois(call.storage, call.principal, filter, page),
      ({ geometryText, ...aoi }) => presentAoi({ ...aoi, geometry: new JsonText(geometryText) }),
    ),
  );
  route(context, contract.getOgcArea, async ({ storage, principal, params, request, reply }) =>
    itemOf(presentAoi(await getAoi(storage, principal, params.id)), 'areas', request, reply),
  );
  route(context, contract.listOgcChanges, (call) =>
    answerItems(
      call,
      CHANGES,
      (filter, page) => listPlacedChanges(call.storage, call.principal, filter, page),
      ({ geometryText, aoiIds, ...change }) =>
        presentChange({ ...change, geometry: new JsonText(geometryText) }, aoiIds),
    ),
  );
  route(context, contract.getOgcChange, async ({ storage, principal, params, request, reply }) => {
    const { change, aoiIds } = await getChange(storage, principal, params.id);
    return itemOf(presentChange(change, aoiIds), 'changes', request, reply);
  });
  route(context, contract.listOgcAnomalies, (call) =>
    answerItems(
      call,
      ANOMALIES,
      (filter, page) => listPlacedAnomalies(call.storage, call.principal, filter, page),
      ({ geometryText, ...anomaly }) => ({
        ...presentAnomaly(anomaly),
        geometry: new JsonText(geometryText),
      }),
    ),
  );
  route(context, contract.getOgcAnomaly, async ({ storage, principal, params, request, reply }) => {
    const anomaly = await getAnomaly(storage, principal, params.id);
    const { geometry } = await getAoi(storage, principal, anomaly.aoiId);
    return itemOf({ ...presentAnomaly(anomaly), geometry }, 'anomalies', request, reply);
  });
  route(context, contract.listOgcIncidents, (call) =>
    answerItems(
      call,
      INCIDENTS,
      (filter, page) => listPlacedIncidents(call.storage, call.principal, filter, page),
      presentDrawn,
    ),
  );
  route(context, contract.getOgcIncident, async ({ storage, principal, params, request, reply }) => {
    const { incident } = await getIncident(storage, principal, params.id);
    return itemOf(presentDrawn(incident), 'incidents', request, reply);
  });
}

const presentDrawn = (incident: IncidentRecord): Resource => ({
  ...presentIncident(incident),
  geometry: boxGeometry(incident.bounds),
});

/** Reads pages until one has items, or nothing follows, or `READS` are read. */
async function firstWithItems<T>(
  first: PageRequest,
  read: (page: PageRequest) => Promise<Page<T>>,
): Promise<Page<T>> {
  let page = await read(first);
  for (let reads = 1; page.items.length === 0 && page.next !== undefined && reads < READS; reads++)
    page = await read({ ...first, after: page.next });
  return page;
}

function itemOf(
  resource: Resource,
  kind: FeatureKind['id'],
  request: FastifyRequest,
  reply: FastifyReply,
): Feature & { readonly links: OgcLink[] } {
  reply.type(GEOJSON);
  const collection = `${hostAddress(request)}/ogc/collections/${kind}`;
  return {
    ...featureOf(resource),
    links: [
      { href: `${collection}/items/${resource.id}`, rel: 'self', type: GEOJSON },
      { href: collection, rel: 'collection', type: 'application/json' },
    ],
  };
}

function linksOfPage(request: FastifyRequest, cursor: string | undefined): OgcLink[] {
  const { pathname, search, searchParams } = new URL(request.url, 'https://any.invalid');
  const address = hostAddress(request) + pathname;
  const self = { href: address + search, rel: 'self', type: GEOJSON };
  if (cursor === undefined) return [self];
  searchParams.set('cursor', cursor);
  return [self, { href: `${address}?${searchParams.toString()}`, rel: 'next', type: GEOJSON }];
}
