import type { IncidentRecord } from '../../app/incidents/incident-store.ts';
import { presentIncident, presentMembers } from '../../app/incidents/present-incident.ts';
import { getIncident, listIncidents } from '../../app/incidents/read-incidents.ts';
import { boxGeometry } from '../../app/box-geometry.ts';
import * as contract from '../../contract/incidents.ts';
import { answerDrawn, readDrawn } from './drawn-list.ts';
import { featureOf, featuresOf, wantsGeoJson } from './geojson.ts';
import { type ListKind, nextPage, pageRequest } from './page.ts';
import { route, type RouteContext } from '../route.ts';

const LIST: ListKind = { name: 'incidents', position: ['moment', 'incident'] };

const drawn = (incident: IncidentRecord) => ({
  ...presentIncident(incident),
  geometry: boxGeometry(incident.bounds),
});

export function incidentRoutes(context: RouteContext): void {
  route(context, contract.listIncidents, async ({ storage, principal, query, request, reply }) => {
    const page = await readDrawn(request, () =>
      listIncidents(storage, principal, query, pageRequest(LIST, query)),
    );
    const answer = wantsGeoJson(request, reply, query.f)
      ? { ...featuresOf(page.items.map(drawn)), ...nextPage(LIST, page, request, reply) }
      : { incidents: page.items.map(presentIncident), ...nextPage(LIST, page, request, reply) };
    return answerDrawn(context, answer, request, reply);
  });
  route(context, contract.getIncident, async ({ storage, principal, params, query, request, reply }) => {
    const { incident, members } = await getIncident(storage, principal, params.id);
    const presented = { ...drawn(incident), ...presentMembers(members) };
    if (wantsGeoJson(request, reply, query.f)) return featureOf(presented);
    const { geometry: _, ...whole } = presented;
    return whole;
  });
}
