import { endOf, parseMoment } from '../contract/time.ts';
import { mapGrid } from '../geo/grid.ts';
import { InvalidInput } from './errors.ts';
import { KNOWN_METRICS } from './metrics.ts';
import type { Deps } from './deps.ts';
import type { Collection, Owner } from './stores.ts';

/** A series as it was asked for; times are as the caller wrote them. */
export interface SeriesQuery {
  readonly lat: number;
  readonly lng: number;
  readonly metric: string;
  readonly from: string | undefined;
  readonly to: string | undefined;
}

/** One observation: time [ms since the Unix epoch] and value in the metric's unit. */
export interface Observation {
  readonly timeMs: number;
  readonly value: number;
}

/**
 * The real observations of a metric at a place, ascending by time, from the finest collection that holds the place;
 * nothing is filled in. Empty where there is none.
 * @throws InvalidInput for a metric that nobody knows, or `from` after `to`
 */
export async function readSeries(
  deps: Pick<Deps, 'storage' | 'cube' | 'clock'>,
  owner: Owner,
  query: SeriesQuery,
): Promise<readonly Observation[]> {
  const fromMs = query.from === undefined ? -Infinity : parseMoment(query.from)!.ms;
  const toMs = query.to === undefined ? deps.clock.now() : endOf(parseMoment(query.to)!);
  if (fromMs > toMs)
    throw new InvalidInput(`from: expected a time not after to (${query.to ?? 'now'}), got ${query.from}`, {
      param: 'from',
    });
  // On the antimeridian both sides name the same place.
  const places = Math.abs(query.lng) === 180 ? [query.lng, -query.lng] : [query.lng];
  for (const lng of places) {
    const collections = await deps.storage.collections.covering(owner, query.metric, [
      lng,
      query.lat,
      lng,
      query.lat,
    ]);
    for (const collection of collections) {
      const series = await seriesAt(deps, collection, lng, query.lat, fromMs, toMs);
      if (series !== undefined) return series;
    }
  }
  await refuseUnknown(deps, owner, query.metric);
  return [];
}

/** The observations in `[fromMs, toMs)`; undefined when the place lies outside the collection's grid. */
async function seriesAt(
  deps: Pick<Deps, 'cube'>,
  collection: Collection,
  lng: number,
  lat: number,
  fromMs: number,
  toMs: number,
): Promise<readonly Observation[] | undefined> {
  const pixel = mapGrid(collection.grid).pixelAt([lng, lat]);
  if (pixel === null) return undefined;
  const { scenes, values } = await deps.cube.readStrip(collection.id, pixel, pixel + 1);
  const series: Observation[] = [];
  for (let t = 0; t < scenes.length; t++) {
    const { timeMs } = scenes[t]!;
    const raw = values[t]!;
    if (timeMs < fromMs || timeMs >= toMs || Number.isNaN(raw)) continue;
    series.push({ timeMs, value: physicalValue(collection, raw) });
  }
  return series;
}

/** Value of a raw sample in the metric's unit, rounded to what the scale can tell: 7012 * 0.0001 is 0.7012. */
export function physicalValue({ scale, offset }: Pick<Collection, 'scale' | 'offset'>, raw: number): number {
  return scale === 1 && offset === 0 ? raw : Number((raw * scale + offset).toPrecision(12));
}

async function refuseUnknown(deps: Pick<Deps, 'storage'>, owner: Owner, metric: string): Promise<void> {
  const held = await deps.storage.collections.countByMetric(owner);
  const known = [...new Set([...KNOWN_METRICS.map(({ key }) => key), ...held.keys()])].toSorted();
  if (!known.includes(metric))
    throw new InvalidInput(`metric: expected one of ${known.join(', ')}; got ${JSON.stringify(metric)}`, {
      param: 'metric',
    });
}
