import { DAY_MS } from '../../base/time.ts';
import { metricTraits } from '../../change/metric.ts';
import { PARAMETERS } from '../../change/parameters.ts';
import type { Deps } from '../deps.ts';
import type { Collection } from '../series/collection-store.ts';

/**
 * Returns a line about a history that is too short for a full baseline, so that "0 new" is not taken for "nothing
 * changed"; empty where the history is long enough, or changes are not looked for in the metric.
 * @param observedMs times of the scenes, in order [ms since the Unix epoch]
 */
export function historyNote(metric: string, observedMs: readonly number[]): string {
  const [first, last] = [observedMs[0], observedMs.at(-1)];
  if (first === undefined || last === undefined || metricTraits(metric) === null) return '';
  const { fullHistoryMs, minHarmonicObservations } = PARAMETERS;
  if (last - first >= fullHistoryMs && observedMs.length >= minHarmonicObservations) return '';
  return (
    `\nThe collection has ${observedMs.length} scenes over ${Math.round((last - first) / DAY_MS)} days. With less than two years or ` +
    `${minHarmonicObservations} clear observations, a change is confirmed after one to two years, or not at all.`
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
