import type { Deps } from '../deps.ts';
import { InvalidInput } from '../../base/errors.ts';
import { KNOWN_METRICS, type MetricCard } from './metric-cards.ts';
import { ingestedAs, isKnownMetric, metricCard } from './metrics.ts';
import type { Owner } from '../owner.ts';

/** The metrics that can be asked for: those known, then those that only a collection of the owner's knows. */
export async function listMetrics(
  { storage }: Pick<Deps, 'storage'>,
  owner: Owner,
): Promise<readonly (MetricCard & { readonly collections: number })[]> {
  const held = await heldMetrics({ storage }, owner);
  const keys = new Set([...KNOWN_METRICS.map(({ key }) => key), ...[...held.keys()].toSorted()]);
  return [...keys].map((key) => ({
    ...metricCard(key),
    collections: ingestedAs(key).reduce((sum, name) => sum + (held.get(name) ?? 0), 0),
  }));
}

/** How many collections an owner may read, by metric, of pixels and of points together. */
export async function heldMetrics(
  { storage }: Pick<Deps, 'storage'>,
  owner: Owner,
): Promise<ReadonlyMap<string, number>> {
  const held = new Map(await storage.collections.countByMetric(owner));
  for (const [metric, count] of await storage.stations.countByMetric(owner))
    held.set(metric, (held.get(metric) ?? 0) + count);
  return held;
}

/** Does nothing for a metric that is known, or that a collection of the owner's holds. @throws InvalidInput for any other */
export async function refuseUnknownMetric(
  deps: Pick<Deps, 'storage'>,
  owner: Owner,
  metric: string,
): Promise<void> {
  if (isKnownMetric(metric)) return;
  const held = await heldMetrics(deps, owner);
  if (held.has(metric)) return;
  const known = [...new Set([...KNOWN_METRICS.map(({ key }) => key), ...held.keys()])].toSorted();
  throw new InvalidInput(`metric: expected one of ${known.join(', ')}; got ${JSON.stringify(metric)}`, {
    param: 'metric',
  });
}
