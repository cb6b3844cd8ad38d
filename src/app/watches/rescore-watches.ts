import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Peril } from '../../contract/fields.ts';
import type { Deps } from '../deps.ts';
import type { Environment } from '../owner.ts';
import type { LayerSnapshot } from '../risk/layer-reader.ts';
import { placesOf, type Score, scoreArea, scorePoints, scoringState } from './score-watch.ts';
import type { NewEvent } from '../events/event-store.ts';
import type { Stores } from '../storage.ts';
import { crossing } from './crossing.ts';
import type { StalePosition, StaleWatch, Watch, WatchScope } from './watch-store.ts';

/**
 * Maximum number of watches per transaction. Scoring a point takes microseconds. Scoring an area takes as long as
 * scoring a batch of 1,000 locations.
 */
const AT_ONCE = { points: 1000, areas: 32 } as const;

/** Result of a rescoring. */
export interface Rescored {
  readonly scored: number;
  /** Number of watches whose score crossed the threshold upwards. Each crossing emits an event. */
  readonly crossed: number;
}

/** Returns a scope: the watches of an environment and peril, and the scoring state of a snapshot. */
export function watchScope(environment: Environment, peril: Peril, snapshot: LayerSnapshot): WatchScope {
  return { environment, peril, state: scoringState(snapshot, peril) };
}

/**
 * Rescores the watches of one environment and peril that were scored with another state of the layers or the
 * model, batch by batch. Scores, events and state of a batch are committed together, so that any node can resume an
 * interrupted run without repeating events. Several nodes may run this function at the same time. It ends early when
 * another state is adopted.
 * @param around `onBatch` is called after each commit; no batch is started once `isStopped` returns true
 */
export async function rescoreWatches(
  { clock, storage }: Pick<Deps, 'clock' | 'storage'>,
  { environment, peril }: { readonly environment: Environment; readonly peril: Peril },
  snapshot: LayerSnapshot,
  around: {
    readonly onBatch?: (done: Rescored) => void;
    readonly isStopped?: () => boolean;
  } = {},
): Promise<Rescored> {
  const scope = watchScope(environment, peril, snapshot);
  let [scored, crossed] = [0, 0];
  for (const on of ['points', 'areas'] as const) {
    let after: StalePosition | undefined;
    while (around.isStopped?.() !== true) {
      const batch = await storage.transaction(async (stores) => {
        if (!(await stores.watches.isAdopted(scope))) return undefined;
        const choice = { on, after, limit: AT_ONCE[on] };
        const watches = await stores.watches.claimStale(scope, choice);
        const scores = await (on === 'points' ? scoresOfPoints : scoresOfAreas)(stores, snapshot, watches);
        const events: NewEvent[] = [];
        const found = [];
        for (const [watch, score] of scores) {
          const { isAbove, hasCrossed } = crossing(watch, score);
          found.push({ ...score, id: watch.id, isAbove });
          if (hasCrossed) events.push(crossingEvent(watch, score));
        }
        await stores.watches.record(scope, found, new Date(clock.now()));
        await stores.events.emitAll(events);
        return { last: watches.at(-1)?.position, scored: found.length, crossed: events.length };
      });
      if (batch === undefined) return { scored, crossed };
      scored += batch.scored;
      crossed += batch.crossed;
      if (batch.last === undefined) break;
      after = batch.last;
      around.onBatch?.({ scored, crossed });
    }
  }
  return { scored, crossed };
}

type Scored = readonly (readonly [StaleWatch, Score])[];

async function scoresOfPoints(
  _stores: Stores,
  snapshot: LayerSnapshot,
  watches: readonly StaleWatch[],
): Promise<Scored> {
  if (watches.length === 0) return [];
  const places = watches.map(({ place }) => place as { readonly lat: number; readonly lng: number });
  const scores = await scorePoints(snapshot, watches[0]!.peril, {
    lats: Float64Array.from(places, ({ lat }) => lat),
    lngs: Float64Array.from(places, ({ lng }) => lng),
  });
  return watches.map((watch, i) => [watch, scores[i]!] as const);
}

async function scoresOfAreas(
  stores: Stores,
  snapshot: LayerSnapshot,
  watches: readonly StaleWatch[],
): Promise<Scored> {
  const scored: (readonly [StaleWatch, Score])[] = [];
  const orphans: string[] = [];
  for (const watch of watches) {
    const { aoiId } = watch.place as { readonly aoiId: string };
    // Loads one area at a time, because an area may have 10,000 vertices.
    const area = (await stores.watches.areas([aoiId])).get(aoiId);
    if (area === undefined) orphans.push(watch.id);
    else scored.push([watch, await scoreArea(snapshot, watch.peril, placesOf(area))]);
    await nextTurn();
  }
  // These watches were created while their area was being deleted.
  await stores.watches.removeAll(orphans);
  return scored;
}

function crossingEvent(watch: Watch, score: Score): NewEvent {
  const { id, subscriptionId, place, accountId, environment } = watch;
  return {
    owner: { accountId, environment },
    type: 'risk.threshold_exceeded',
    data: {
      ...(subscriptionId === null ? { watch_id: id } : { subscription_id: subscriptionId }),
      ...('aoiId' in place ? { aoi_id: place.aoiId } : { lat: place.lat, lng: place.lng }),
      peril: watch.peril,
      threshold: watch.threshold,
      risk_score: score.riskScore,
      previous_score: watch.riskScore,
      confidence: score.confidence,
      model_version: score.modelVersion,
      url: `/v1/risk/watches/${id}`,
    },
  };
}
