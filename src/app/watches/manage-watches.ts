import type { Peril } from '../../contract/fields.ts';
import type { Deps } from '../deps.ts';
import { InvalidInput, NotFound } from '../../base/errors.ts';
import { isId, newId } from '../../base/ids.ts';
import { getAoi } from '../areas/manage-aois.ts';
import type { Aoi } from '../areas/aoi-store.ts';
import type { Owner } from '../owner.ts';
import type { Stores } from '../storage.ts';
import { placesOf, type Score, scoreArea, scorePoints, scoringState } from './score-watch.ts';
import { crossing } from './crossing.ts';
import type { NewWatch, Watch, WatchedPlace } from './watch-store.ts';
import { SUBSCRIPTION_THRESHOLD } from '../../contract/limits.ts';

export type WatchDeps = Pick<Deps, 'clock' | 'layers'>;

/** The place to watch: either a point or an area. */
export interface WatchRequest {
  readonly lat?: number | undefined;
  readonly lng?: number | undefined;
  readonly aoiId?: string | undefined;
  readonly peril: Peril;
  readonly threshold: number;
}

/**
 * Creates a watch on a place. The first score is returned and emits no event, even if it is above the threshold.
 * @throws InvalidInput unless either a point or an area is given; NotFound when the owner has no such area
 */
export async function createWatch(
  { clock, layers }: WatchDeps,
  stores: Stores,
  owner: Owner,
  { lat, lng, aoiId, peril, threshold }: WatchRequest,
): Promise<Watch> {
  const snapshot = layers.snapshot(owner.environment);
  const scored = async (): Promise<readonly [WatchedPlace, Score]> => {
    if (aoiId !== undefined) {
      if (lat !== undefined || lng !== undefined) {
        throw new InvalidInput('aoi_id: expected either lat and lng or aoi_id, got both', {
          param: 'aoi_id',
        });
      }
      const aoi = await getAoi(stores, owner, aoiId);
      return [{ aoiId }, await scoreArea(snapshot, peril, placesOf(aoi))];
    }
    if (lat === undefined || lng === undefined) {
      const param = lat === undefined ? 'lat' : 'lng';
      throw new InvalidInput(`${param}: expected lat and lng, or aoi_id`, { param });
    }
    const [score] = await scorePoints(snapshot, peril, {
      lats: Float64Array.of(lat),
      lngs: Float64Array.of(lng),
    });
    return [{ lat, lng }, score!];
  };
  const [place, score] = await scored();
  const watch: NewWatch = {
    ...newWatch(owner, { peril, threshold, place, subscriptionId: null }, score, clock.now()),
    scoredAs: scoringState(snapshot, peril),
  };
  await stores.watches.create([watch]);
  return { ...watch, createdAt: watch.scoredAt };
}

/** Creates watches on the area of a new subscription, one for each of its perils. */
export async function watchSubscription(
  { clock, layers }: WatchDeps,
  stores: Stores,
  subscription: Owner & { readonly id: string; readonly perils: readonly Peril[] },
  aoi: Aoi,
): Promise<void> {
  const snapshot = layers.snapshot(subscription.environment);
  const places = placesOf(aoi);
  const watches: NewWatch[] = [];
  for (const peril of subscription.perils) {
    const subject = {
      peril,
      threshold: SUBSCRIPTION_THRESHOLD,
      place: { aoiId: aoi.id },
      subscriptionId: subscription.id,
    };
    const score = await scoreArea(snapshot, peril, places);
    watches.push({
      ...newWatch(subscription, subject, score, clock.now()),
      scoredAs: scoringState(snapshot, peril),
    });
  }
  await stores.watches.create(watches);
}

function newWatch(
  { accountId, environment }: Owner,
  subject: Pick<Watch, 'peril' | 'threshold' | 'place' | 'subscriptionId'>,
  score: Score,
  nowMs: number,
): Omit<NewWatch, 'scoredAs'> {
  const { isAbove } = crossing({ threshold: subject.threshold, isAbove: false }, score);
  return {
    ...subject,
    id: newId('watch', nowMs),
    accountId,
    environment,
    isActive: true,
    riskScore: score.riskScore,
    confidence: score.confidence,
    modelVersion: score.modelVersion,
    isAbove,
    scoredAt: new Date(nowMs),
  };
}

/** @throws NotFound */
export async function getWatch(stores: Stores, owner: Owner, id: string): Promise<Watch> {
  const watch = isId('watch', id) ? await stores.watches.find(owner, id) : undefined;
  if (watch === undefined) throw new NotFound(`There is no risk watch ${id}`);
  return watch;
}

/** @throws NotFound */
export async function deleteWatch(stores: Stores, owner: Owner, id: string): Promise<void> {
  const removed = isId('watch', id) && (await stores.watches.remove(owner, id));
  if (!removed) throw new NotFound(`There is no risk watch ${id}`);
}
