import { presentChange, presentWholeChange } from '../../app/changes/present-change.ts';
import { getChange, listChanges } from '../../app/changes/read-changes.ts';
import * as contract from '../../contract/changes.ts';
import { featureOf, featuresOf, wantsGeoJson } from './geojson.ts';
import { type ListKind, nextPage, pageRequest } from './page.ts';
import { route, type RouteContext } from '../route.ts';

const LIST: ListKind = { name: 'changes', position: ['day', 'change'] };

export function changeRoutes(context: RouteContext): void {
  route(context, contract.listChanges, async ({ storage, principal, query, request, reply }) => {
    const page = await listChanges(
      storage,
      principal,
      {
        aoiId: query.aoi_id,
        status: query.status,
        since: query.since,
        publishedSince: query.published_since,
      },
      pageRequest(LIST, query),
    );
    if (page.suspectedOmitted !== undefined) reply.header('X-Suspected-Omitted', page.suspectedOmitted);
    const next = nextPage(LIST, page, request, reply);
    if (wantsGeoJson(request, reply, query.f))
      return { ...featuresOf(page.items.map((change) => presentChange(change, change.aoiIds))), ...next };
    return { changes: page.items.map(({ id, type, confidence }) => ({ id, type, confidence })), ...next };
  });
  route(context, contract.getChange, async ({ storage, principal, params, query, request, reply }) => {
    const { change, aoiIds } = await getChange(storage, principal, params.id);
    const presented = presentWholeChange(change, aoiIds);
    return wantsGeoJson(request, reply, query.f) ? featureOf(presented) : presented;
  });
}
