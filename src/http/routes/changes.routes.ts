import { presentChange, presentWholeChange } from '../../app/changes/present-change.ts';
import { getChange, listChanges, listDrawnChanges } from '../../app/changes/read-changes.ts';
import * as contract from '../../contract/changes.ts';
import { JsonText } from '../answer/json-text.ts';
import { answerDrawn, readDrawn } from './drawn-list.ts';
import { featureOf, featuresOf, wantsGeoJson } from './geojson.ts';
import { type ListKind, nextPage, pageRequest } from './page.ts';
import { route, type RouteContext } from '../route.ts';

const LIST: ListKind = { name: 'changes', position: ['day', 'change'] };

export function changeRoutes(context: RouteContext): void {
  route(context, contract.listChanges, async ({ storage, principal, query, request, reply }) => {
    const asked = {
      aoiId: query.aoi_id,
      status: query.status,
      since: query.since,
      publishedSince: query.published_since,
    };
    const omit = (count: number | undefined): void => {
      if (count !== undefined) reply.header('X-Suspected-Omitted', count);
    };
    if (wantsGeoJson(request, reply, query.f)) {
      const page = await readDrawn(request, () =>
        listDrawnChanges(storage, principal, asked, pageRequest(LIST, query)),
      );
      omit(page.suspectedOmitted);
      const features = featuresOf(
        page.items.map(({ geometryText, aoiIds, ...change }) =>
          presentChange({ ...change, geometry: new JsonText(geometryText) }, aoiIds),
        ),
      );
      return answerDrawn(context, { ...features, ...nextPage(LIST, page, request, reply) }, request, reply);
    }
    const page = await listChanges(storage, principal, asked, pageRequest(LIST, query));
    omit(page.suspectedOmitted);
    const next = nextPage(LIST, page, request, reply);
    return { changes: page.items.map(({ id, type, confidence }) => ({ id, type, confidence })), ...next };
  });
  route(context, contract.getChange, async ({ storage, principal, params, query, request, reply }) => {
    const { change, aoiIds } = await getChange(storage, principal, params.id);
    const presented = presentWholeChange(change, aoiIds);
    return wantsGeoJson(request, reply, query.f) ? featureOf(presented) : presented;
  });
}
