import type { Deps } from '../deps.ts';
import { InvalidInput } from '../../base/errors.ts';
import { KNOWN_METRICS, type MetricCard } from './known-metrics.ts';
import { ingestedAs, isKnownMetric, metricCard } from './metrics.ts';
import type { Owner } from '../owner.ts';

/**
 * Lists the metrics that can be requested: built-in metrics, then metrics found only in collections that the owner
 * may read.
 */
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

/** Returns the number of raster and point collections that an owner may read, by metric. */
export async function heldMetrics(
  { storage }: Pick<Deps, 'storage'>,
  owner: Owner,
): Promise<ReadonlyMap<string, number>> {
  const held = new Map(await storage.collections.countByMetric(owner));
  for (const [metric, count] of await storage.stations.countByMetric(owner))
    held.set(metric, (held.get(metric) ?? 0) + count);
  return held;
}

/** @throws InvalidInput if a metric is neither built in nor in a collection that the owner may read */
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
