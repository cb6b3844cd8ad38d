import { endOf, parseMoment } from '../contract/time.ts';
import type { Bbox } from '../geo/bbox.ts';
import { mapGrid } from '../geo/grid.ts';
import { boxWithin, distanceM } from '../geo/nearby.ts';
import type { Position } from '../geo/position.ts';
import { derivableGrids } from './derived-grids.ts';
import { InvalidInput } from './errors.ts';
import type { Observed } from './fire-weather-series.ts';
import { heldMetrics } from './list-metrics.ts';
import { KNOWN_METRICS } from './metric-cards.ts';
import { ingestedAs, metricCard } from './metrics.ts';
import type { Deps } from './deps.ts';
import type { CubeStore } from './ports.ts';
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
 * The real observations of a metric at a place, ascending by time, from what speaks for the place most closely: the
 * pixel that holds it, or the nearest station within the metric's reach; nothing is filled in. Empty where there is none.
 * @throws InvalidInput for a metric that nobody knows, or `from` after `to`
 */
export async function readSeries(
  deps: Pick<Deps, 'storage' | 'cube' | 'clock'>,
  owner: Owner,
  query: SeriesQuery,
): Promise<readonly Observation[]> {
  const fromMs = query.from === undefined ? -Infinity : parseMoment(query.from)!.ms;
  // The sandbox lives by its own clock, which may be ahead of ours.
  const now = owner.environment === 'sandbox' ? Infinity : deps.clock.now();
  const toMs = query.to === undefined ? now : endOf(parseMoment(query.to)!);
  if (fromMs > toMs)
    throw new InvalidInput(`from: expected a time not after to (${query.to ?? 'now'}), got ${query.from}`, {
      param: 'from',
    });
  const sources: Source[] = [];
  for (const metric of ingestedAs(query.metric)) {
    // On the antimeridian both sides name the same place.
    for (const lng of Math.abs(query.lng) === 180 ? [query.lng, -query.lng] : [query.lng])
      sources.push(...(await pixelsAt(deps, owner, metric, [lng, query.lat])));
    sources.push(...(await stationsNear(deps, owner, metric, [query.lng, query.lat])));
  }
  const [closest] = sources.toSorted((a, b) => a.distanceM - b.distanceM);
  if (closest !== undefined) return closest.read(fromMs, toMs);
  await refuseUnknown(deps, owner, query.metric);
  return [];
}

/** Something that a series can be read from. */
interface Source {
  /** From the place to where it was observed: to the station, or half the edge of the pixel. */
  readonly distanceM: number;
  /** The observations in `[fromMs, toMs)`. */
  readonly read: (fromMs: number, toMs: number) => Promise<readonly Observation[]>;
}

/** Pixels that hold a place, the smallest first. */
async function pixelsAt(
  { storage, cube }: Pick<Deps, 'storage' | 'cube'>,
  owner: Owner,
  metric: string,
  [lng, lat]: Position,
): Promise<readonly Source[]> {
  const place: Bbox = [lng, lat, lng, lat];
  const observed = (await storage.collections.covering(owner, metric, place)).map((collection) => ({
    collection,
    derive: undefined,
  }));
  const grids = [...observed, ...(await derivableGrids(storage, owner, metric, place))];
  return grids.flatMap(({ collection, derive }) => {
    const pixel = mapGrid(collection.grid).pixelAt([lng, lat]);
    if (pixel === null) return [];
    const read: Source['read'] = async (fromMs, toMs) => {
      if (derive === undefined) return pixelSeries(cube, collection, pixel, fromMs, toMs);
      const all = await pixelSeries(cube, collection, pixel, -Infinity, toMs);
      return all.length === 0 ? [] : within(derive(columnsOf(all)), fromMs, toMs);
    };
    return [{ distanceM: Math.sqrt(collection.pixelAreaM2) / 2, read }];
  });
}

function columnsOf(series: readonly Observation[]): Observed {
  return {
    timesMs: Float64Array.from(series, ({ timeMs }) => timeMs),
    values: Float64Array.from(series, ({ value }) => value),
  };
}

function within({ timesMs, values }: Observed, fromMs: number, toMs: number): readonly Observation[] {
  return Array.from(timesMs, (timeMs, i) => ({ timeMs, value: values[i]! })).filter(
    ({ timeMs }) => timeMs >= fromMs && timeMs < toMs,
  );
}

/** The station of each collection that is nearest to a place, if the metric reaches from there. */
async function stationsNear(
  { storage }: Pick<Deps, 'storage'>,
  owner: Owner,
  metric: string,
  place: Position,
): Promise<readonly Source[]> {
  const { reachM } = metricCard(metric);
  const [lng, lat] = place;
  const box = boxWithin([lng, lat, lng, lat], reachM);
  const sources: Source[] = [];
  for (const { id } of await storage.feeds.covering(owner, metric, box)) {
    const [nearest] = (await storage.feeds.stations(id, box))
      .map((station) => ({ station, distanceM: distanceM(place, [station.lng, station.lat]) }))
      .toSorted((a, b) => a.distanceM - b.distanceM);
    if (nearest === undefined || nearest.distanceM > reachM) continue;
    sources.push({
      distanceM: nearest.distanceM,
      read: async (fromMs, toMs) => {
        const [series] = await storage.feeds.read(id, [nearest.station], fromMs, toMs);
        return Array.from(series!.timesMs, (timeMs, i) => ({ timeMs, value: series!.values[i]! }));
      },
    });
  }
  return sources;
}

async function pixelSeries(
  cube: CubeStore,
  collection: Collection,
  pixel: number,
  fromMs: number,
  toMs: number,
): Promise<readonly Observation[]> {
  const { scenes, values } = await cube.readStrip(collection.id, pixel, pixel + 1);
  const series: Observation[] = [];
  const isSingle = collection.sampleType === 'float32'; // which holds seven digits
  for (let t = 0; t < scenes.length; t++) {
    const { timeMs } = scenes[t]!;
    const raw = values[t]!;
    if (timeMs < fromMs || timeMs >= toMs || Number.isNaN(raw)) continue;
    series.push({ timeMs, value: physicalValue(collection, isSingle ? Number(raw.toPrecision(7)) : raw) });
  }
  return series;
}

/** Value of a raw sample in the metric's unit, rounded to what the scale can tell: 7012 * 0.0001 is 0.7012. */
export function physicalValue({ scale, offset }: Pick<Collection, 'scale' | 'offset'>, raw: number): number {
  return scale === 1 && offset === 0 ? raw : Number((raw * scale + offset).toPrecision(12));
}

async function refuseUnknown(deps: Pick<Deps, 'storage'>, owner: Owner, metric: string): Promise<void> {
  const held = await heldMetrics(deps, owner);
  const known = [...new Set([...KNOWN_METRICS.map(({ key }) => key), ...held.keys()])].toSorted();
  if (!known.includes(metric))
    throw new InvalidInput(`metric: expected one of ${known.join(', ')}; got ${JSON.stringify(metric)}`, {
      param: 'metric',
    });
}
