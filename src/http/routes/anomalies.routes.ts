import { getAoi } from '../../app/areas/manage-aois.ts';
import { presentAnomaly } from '../../app/anomalies/present-anomaly.ts';
import type { AnomalyListItem } from '../../app/anomalies/anomaly-store.ts';
import { getAnomaly, listAnomalies } from '../../app/anomalies/read-anomalies.ts';
import * as contract from '../../contract/anomalies.ts';
import type { Owner } from '../../app/owner.ts';
import type { Page } from '../../app/page.ts';
import type { Storage } from '../../app/storage.ts';
import { PAGE_BYTES } from '../../contract/limits.ts';
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
    const drawn = await readDrawn(principal, () => drawAnomalies(storage, principal, page));
    const answer = { ...featuresOf(drawn.items), ...nextPage(LIST, drawn, request, reply) };
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

/**
 * Adds to each anomaly of a page the geometry of its area. The page ends early when they are large: see `PAGE_BYTES`.
 * Each area is read once.
 */
async function drawAnomalies({ aois }: Pick<Storage, 'aois'>, owner: Owner, page: Page<AnomalyListItem>) {
  const geometries = new Map<string, JsonText>();
  const items: (ReturnType<typeof presentAnomaly> & { readonly geometry: JsonText })[] = [];
  let bytes = 0;
  let last: AnomalyListItem | undefined;
  for (const anomaly of page.items) {
    const { aoiId } = anomaly;
    let geometry = geometries.get(aoiId);
    if (geometry === undefined) {
      const text = (await aois.geometryTexts(owner, [aoiId])).get(aoiId);
      if (text === undefined) continue; // the area was deleted meanwhile
      geometries.set(aoiId, (geometry = new JsonText(text)));
    }
    bytes += geometry.text.length;
    if (bytes > PAGE_BYTES && last !== undefined)
      return { items, next: [last.detectedAt.toISOString(), last.id] };
    items.push({ ...presentAnomaly(anomaly), geometry });
    last = anomaly;
  }
  return { items, next: page.next };
}
