import { metricTraits } from '../../change/metric.ts';
import type { Deps } from '../deps.ts';
import type { Collection } from '../series/collection-store.ts';

/** Days and scenes of a full baseline (docs/methods/change.md, "Seasonal fit"). */
const FULL_DAYS = 730;
const FULL_SCENES = 15;
const DAY_MS = 86_400_000;

/**
 * Returns a line about a history that is too short for a full baseline, so that "0 new" is not taken for "nothing
 * changed"; empty where the history is long enough, or changes are not looked for in the metric.
 * @param observedMs times of the scenes, in order [ms since the Unix epoch]
 */
export function historyNote(metric: string, observedMs: readonly number[]): string {
  const [first, last] = [observedMs[0], observedMs.at(-1)];
  if (first === undefined || last === undefined || metricTraits(metric) === null) return '';
  const days = Math.round((last - first) / DAY_MS);
  if (days >= FULL_DAYS && observedMs.length >= FULL_SCENES) return '';
  return (
    `\nThe collection has ${observedMs.length} scenes over ${days} days. With less than two years or ` +
    `${FULL_SCENES} clear observations, a change is confirmed after one to two years, or not at all.`
  );
}

/** {@link historyNote} of a collection as it is stored. */
export async function noteOfHistory(
  { storage }: Pick<Deps, 'storage'>,
  collection: Collection,
): Promise<string> {
  const scenes = await storage.collections.scenes(collection.id);
  return historyNote(
    collection.metric,
    scenes.map(({ observedAt }) => observedAt.getTime()),
  );
}
