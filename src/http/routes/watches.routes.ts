import { claim } from '../../app/account-use.ts';
import { explainWatch, type WatchExplanation } from '../../app/watches/explain-watch.ts';
import { createWatch, deleteWatch, getWatch } from '../../app/watches/manage-watches.ts';
import { SHARE_REACHED } from '../../app/watches/score-watch.ts';
import type { Watch } from '../../app/watches/watch-store.ts';
import { formatTimestamp } from '../../base/time.ts';
import * as contract from '../../contract/watches.ts';
import { type ListKind, nextPage, pageRequest } from './page.ts';
import { explain as presentExplanation } from './risk-text.ts';
import { creatingRoute, route, type RouteContext } from '../route.ts';

const LIST: ListKind = { name: 'watches', position: ['watch'] };

export function watchRoutes(context: RouteContext): void {
  const { deps } = context;
  creatingRoute(context, contract.createWatch, async ({ stores, principal, body }) => {
    await claim(stores, principal, 'watches', context.accountLimits);
    const { aoi_id: aoiId, ...asked } = body;
    const watch = await createWatch(deps, stores, principal, { ...asked, aoiId });
    return { status: 201, location: `/v1/risk/watches/${watch.id}`, body: present(watch) };
  });
  route(context, contract.listWatches, async ({ storage, principal, query, request, reply }) => {
    const page = await storage.watches.list(principal, pageRequest(LIST, query));
    return { watches: page.items.map(present), ...nextPage(LIST, page, request, reply) };
  });
  route(context, contract.getWatch, async ({ storage, principal, params, query }) => {
    const watch = await getWatch(storage, principal, params.id);
    if (query.explain !== true) return present(watch);
    return { ...present(watch), ...presentWhy(await explainWatch(deps, storage, principal, watch)) };
  });
  route(context, contract.deleteWatch, async ({ storage, principal, params }) => {
    await deleteWatch(storage, principal, params.id);
  });
}

function present(watch: Watch): contract.RiskWatch {
  const { place, subscriptionId } = watch;
  return {
    id: watch.id,
    ...('aoiId' in place ? { aoi_id: place.aoiId } : place),
    ...(subscriptionId !== null && { subscription_id: subscriptionId }),
    peril: watch.peril,
    threshold: watch.threshold,
    status: watch.isActive ? 'active' : 'paused',
    risk_score: watch.riskScore,
    confidence: watch.confidence,
    above: watch.isAbove,
    model_version: watch.modelVersion,
    scored_at: formatTimestamp(watch.scoredAt.getTime()),
    created_at: formatTimestamp(watch.createdAt.getTime()),
  };
}

function presentWhy(why: WatchExplanation): Pick<contract.RiskWatch, 'explain' | 'area'> {
  if (why.kind === 'point') return { explain: presentExplanation(why.explanation) };
  const { places, placesWithoutData, highest } = why.area;
  return {
    area: {
      places,
      places_without_data: placesWithoutData,
      share_above: why.shareAbove,
      highest:
        highest === null ? null : { risk_score: highest.riskScore, lat: highest.lat, lng: highest.lng },
      share_scored: SHARE_REACHED,
    },
  };
}
