import { getAoi } from '../../app/areas/manage-aois.ts';
import { presentAnomaly } from '../../app/anomalies/present-anomaly.ts';
import { getAnomaly, listAnomalies } from '../../app/anomalies/read-anomalies.ts';
import * as contract from '../../contract/anomalies.ts';
import { featureOf, featuresOf, wantsGeoJson } from './geojson.ts';
import { type ListKind, nextPage, pageRequest } from './page.ts';
import { route, type RouteContext } from '../route.ts';

const LIST: ListKind = { name: 'anomalies', position: ['moment', 'anomaly'] };

export function anomalyRoutes(context: RouteContext): void {
  route(context, contract.listAnomalies, async ({ storage, principal, query, request, reply }) => {
    const page = await listAnomalies(
      storage,
      principal,
      { since: query.since, publishedSince: query.published_since },
      pageRequest(LIST, query),
    );
    const next = nextPage(LIST, page, request, reply);
    if (!wantsGeoJson(request, reply, query.f))
      return { anomalies: page.items.map(({ id, severity }) => ({ id, severity })), ...next };
    // An anomaly has the geometry of its area. The anomalies of a page have few areas, and each area is read once.
    const geometries = new Map<string, unknown>();
    for (const { aoiId } of page.items) {
      if (!geometries.has(aoiId)) geometries.set(aoiId, (await getAoi(storage, principal, aoiId)).geometry);
    }
    const drawn = page.items.map((anomaly) => ({
      ...presentAnomaly(anomaly),
      geometry: geometries.get(anomaly.aoiId),
    }));
    return { ...featuresOf(drawn), ...next };
  });
  route(context, contract.getAnomaly, async ({ storage, principal, params, query, request, reply }) => {
    const anomaly = await getAnomaly(storage, principal, params.id);
    const presented = { ...presentAnomaly(anomaly), provenance: anomaly.provenance };
    if (!wantsGeoJson(request, reply, query.f)) return presented;
    const { geometry } = await getAoi(storage, principal, anomaly.aoiId);
    return featureOf({ ...presented, geometry });
  });
}
