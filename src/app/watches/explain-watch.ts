import type { Explanation } from '../../risk/assessment.ts';
import { assessPlace } from '../risk/assess-risk.ts';
import type { Deps } from '../deps.ts';
import { getAoi } from '../areas/manage-aois.ts';
import { type AreaScore, placesOf, scoreArea } from './score-watch.ts';
import type { Owner } from '../owner.ts';
import type { Stores } from '../storage.ts';
import type { Watch } from './watch-store.ts';

/** Explanation of the score of a watched place, from the current layers. */
export type WatchExplanation =
  | { readonly kind: 'point'; readonly explanation: Explanation }
  | {
      readonly kind: 'area';
      readonly area: AreaScore;
      /** Share of the places with data whose score is at or above the threshold; null when no place has data. */
      readonly shareAbove: number | null;
    };

/** Explains the score of a watch. @throws NotFound when its area was deleted meanwhile */
export async function explainWatch(
  { layers }: Pick<Deps, 'layers'>,
  stores: Stores,
  owner: Owner,
  { place, peril, threshold }: Watch,
): Promise<WatchExplanation> {
  const snapshot = layers.snapshot(owner.environment);
  if ('lat' in place) {
    const { explanation } = assessPlace(snapshot, { ...place, peril }, true);
    return { kind: 'point', explanation: explanation! };
  }
  const area = await scoreArea(snapshot, peril, placesOf(await getAoi(stores, owner, place.aoiId)));
  const { scores } = area;
  const above = scores.filter((score) => score >= threshold).length;
  return { kind: 'area', area, shareAbove: scores.length === 0 ? null : above / scores.length };
}
