import { getAoi } from '../../app/areas/manage-aois.ts';
import { presentAnomaly } from '../../app/anomalies/present-anomaly.ts';
import { drawAnomalies, getAnomaly, listAnomalies } from '../../app/anomalies/read-anomalies.ts';
import * as contract from '../../contract/anomalies.ts';
import { JsonText } from '../answer/json-text.ts';
import { answerDrawn, readDrawn } from './drawn-list.ts';
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
    if (!wantsGeoJson(request, reply, query.f))
      return {
        anomalies: page.items.map(({ id, severity }) => ({ id, severity })),
        ...nextPage(LIST, page, request, reply),
      };
    const drawn = await readDrawn(request, () => drawAnomalies(storage, principal, page));
    const features = featuresOf(
      drawn.items.map(({ geometryText, ...anomaly }) => ({
        ...presentAnomaly(anomaly),
        geometry: new JsonText(geometryText),
      })),
    );
    const answer = { ...features, ...nextPage(LIST, drawn, request, reply) };
    return answerDrawn(context, answer, request, reply);
  });
  route(context, contract.getAnomaly, async ({ storage, principal, params, query, request, reply }) => {
    const anomaly = await getAnomaly(storage, principal, params.id);
    const presented = { ...presentAnomaly(anomaly), provenance: anomaly.provenance };
    if (!wantsGeoJson(request, reply, query.f)) return presented;
    const { geometry } = await getAoi(storage, principal, anomaly.aoiId);
    return featureOf({ ...presented, geometry });
  });
}
