import type { Bbox } from '../../../geo/bbox.ts';
import { DERIVATIONS } from './derived-series.ts';
import type { TimeSeries } from '../time-series.ts';
import type { Owner } from '../../owner.ts';
import type { Collection } from '../collection-store.ts';
import type { Stores } from '../../storage.ts';

/** A raster collection from which a metric can be derived, and the function that derives it. */
export interface DerivableGrid {
  readonly collection: Collection;
  /** @param series at least one observation, ascending in time, without NaN */
  readonly derive: (series: TimeSeries) => TimeSeries;
}

/**
 * Finds the raster collections over a box from which a metric can be derived at request time. Collections into which
 * the metric was ingested are left out: an ingested metric is never derived.
 */
export async function derivableGrids(
  { collections, stations }: Pick<Stores, 'collections' | 'stations'>,
  owner: Owner,
  metric: string,
  bounds: Bbox,
): Promise<readonly DerivableGrid[]> {
  const derivation = DERIVATIONS.find((one) => one.metric === metric && one.ofGrids === true);
  const [source] = derivation?.needs[0] ?? [];
  if (derivation === undefined || source === undefined) return [];
  const found: DerivableGrid[] = [];
  for (const collection of await collections.covering(owner, source, bounds)) {
    const { environment, accountId, name, bounds: place } = collection;
    const members = [
      ...(await collections.byName(environment, accountId, name)),
      ...(await stations.byName(environment, accountId, name)),
    ];
    if (members.some((member) => member.metric === metric)) continue;
    const at = { lng: (place[0] + place[2]) / 2, lat: (place[1] + place[3]) / 2 };
    found.push({ collection, derive: (series) => derivation.derive([series], at) });
  }
  return found;
}

/** Returns a copy of a series without its NaN values. */
export function withoutGaps({ timesMs, values }: TimeSeries): TimeSeries {
  const kept = [...values.keys()].filter((i) => !Number.isNaN(values[i]!));
  return {
    timesMs: Float64Array.from(kept, (i) => timesMs[i]!),
    values: Float64Array.from(kept, (i) => values[i]!),
  };
}
