import { endOf, parseMoment } from '../../base/time.ts';
import type { Bbox } from '../../geo/bbox.ts';
import { mapGrid } from '../../geo/grid.ts';
import { expandBbox, distanceM } from '../../geo/nearby.ts';
import type { Position } from '../../geo/position.ts';
import { derivableGrids } from './derived/derived-grids.ts';
import { InvalidInput } from '../../base/errors.ts';
import { refuseUnknownMetric } from './list-metrics.ts';
import { ingestedAs, metricCard } from './metrics.ts';
import { unlessMissing } from './missing-cube.ts';
import { type TimeSeries, within } from './time-series.ts';
import { toSignificant } from '../../numerics/significant-digits.ts';
import type { Deps } from '../deps.ts';
import type { CubeStore } from './cube-store.ts';
import type { Owner } from '../owner.ts';
import type { Collection } from './collection-store.ts';

/** Query for a series; times are as the caller wrote them. */
export interface SeriesQuery {
  readonly lat: number;
  readonly lng: number;
  readonly metric: string;
  readonly from: string | undefined;
  readonly to: string | undefined;
}

const NONE: TimeSeries = { timesMs: new Float64Array(0), values: new Float64Array(0) };

/**
 * Reads the observations of a metric at a place, in its unit, in order of time. They come from the closest source
 * with data: the pixel that contains the place, or the nearest station within reach of the metric. Gaps are not
 * filled. A pixel without any observation (the sea in a grid of land) is skipped. Empty when there is no source.
 * @throws InvalidInput for an unknown metric, or `from` after `to`
 */
export async function readSeries(
  deps: Pick<Deps, 'storage' | 'cube' | 'clock'>,
  owner: Owner,
  query: SeriesQuery,
): Promise<TimeSeries> {
  const fromMs = query.from === undefined ? -Infinity : parseMoment(query.from)!.ms;
  // The clock of the sandbox may be ahead of the clock of the service.
  const now = owner.environment === 'sandbox' ? Infinity : deps.clock.now();
  const toMs = query.to === undefined ? now : endOf(parseMoment(query.to)!);
  // A day as `to` is included, so the next day as `from` is where it ends. It is after `to` all the same.
  const isDayAfter = fromMs === toMs && query.to !== undefined && fromMs > parseMoment(query.to)!.ms;
  if (fromMs > toMs || isDayAfter)
    throw new InvalidInput(`from: expected a time not after to (${query.to ?? 'now'}), got ${query.from}`, {
      param: 'from',
    });
  const place: Position = [query.lng, query.lat];
  const sources: Source[] = [];
  for (const metric of ingestedAs(query.metric)) {
    const around = expandBbox(boxOf(place), metricCard(metric).reachM);
    const { rasters, pointIds } = await deps.storage.collections.observing(
      owner,
      metric,
      boxOf(place),
      around,
    );
    sources.push(...(await pixelsAt(deps, owner, metric, place, rasters)));
    sources.push(...(await stationsNear(deps, metric, place, pointIds)));
  }
  for (const source of sources.toSorted((a, b) => a.distanceM - b.distanceM)) {
    const found = await source.read(fromMs, toMs);
    if (found.values.length > 0 || (await source.read(-Infinity, Infinity)).values.length > 0) return found;
  }
  if (sources.length === 0) await refuseUnknownMetric(deps, owner, query.metric);
  return NONE;
}

/** A pixel or station that a series can be read from. */
interface Source {
  /** Distance from the place to the station [m]; for a pixel, half of its side. */
  readonly distanceM: number;
  /** Reads the observations in `[fromMs, toMs)` [ms since the Unix epoch]. */
  readonly read: (fromMs: number, toMs: number) => Promise<TimeSeries>;
}

const boxOf = ([lng, lat]: Position): Bbox => [lng, lat, lng, lat];

/** Pixels that contain a place, smallest first. */
async function pixelsAt(
  { storage, cube }: Pick<Deps, 'storage' | 'cube'>,
  owner: Owner,
  metric: string,
  [lng, lat]: Position,
  rasters: readonly Collection[],
): Promise<readonly Source[]> {
  const grids = [
    ...rasters.map((collection) => ({ collection, derive: undefined })),
    ...(await derivableGrids(storage, owner, metric, boxOf([lng, lat]))),
  ];
  // On the antimeridian, longitudes 180 and -180 are the same place.
  const sides = Math.abs(lng) === 180 ? [lng, -lng] : [lng];
  return grids.flatMap(({ collection, derive }) => {
    const map = mapGrid(collection.grid);
    const pixel = sides.map((side) => map.pixelAt([side, lat])).find((found) => found !== null);
    if (pixel === undefined) return [];
    const read: Source['read'] = async (fromMs, toMs) => {
      if (derive === undefined) return pixelSeries(cube, collection, pixel, fromMs, toMs);
      const all = await pixelSeries(cube, collection, pixel, -Infinity, toMs);
      return all.values.length === 0 ? all : within(derive(all), fromMs, toMs);
    };
    return [{ distanceM: Math.sqrt(collection.pixelAreaM2) / 2, read }];
  });
}

/** Finds the nearest station of each point collection, if the station is within reach of the metric. */
async function stationsNear(
  { storage }: Pick<Deps, 'storage'>,
  metric: string,
  place: Position,
  collectionIds: readonly string[],
): Promise<readonly Source[]> {
  const { reachM } = metricCard(metric);
  const box = expandBbox(boxOf(place), reachM);
  const sources: Source[] = [];
  for (const id of collectionIds) {
    const [nearest] = (await storage.stations.stations(id, box))
      .map((station) => ({ station, distanceM: distanceM(place, [station.lng, station.lat]) }))
      .toSorted((a, b) => a.distanceM - b.distanceM);
    if (nearest === undefined || nearest.distanceM > reachM) continue;
    sources.push({
      distanceM: nearest.distanceM,
      read: async (fromMs, toMs) => {
        const [series] = await storage.stations.read(id, [nearest.station], fromMs, toMs);
        return series!;
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
): Promise<TimeSeries> {
  const strip = await unlessMissing(cube.readStrip(collection.id, pixel, pixel + 1));
  if (strip === undefined) return NONE;
  const { scenes, values: raws } = strip;
  const timesMs = new Float64Array(scenes.length);
  const values = new Float64Array(scenes.length);
  const isSingle = collection.sampleType === 'float32'; // float32 has seven significant digits
  let count = 0;
  for (let t = 0; t < scenes.length; t++) {
    const { timeMs } = scenes[t]!;
    const raw = raws[t]!;
    if (timeMs < fromMs || timeMs >= toMs || Number.isNaN(raw)) continue;
    timesMs[count] = timeMs;
    values[count++] = physicalValue(collection, isSingle ? toSignificant(raw, 7) : raw);
  }
  return { timesMs: timesMs.subarray(0, count), values: values.subarray(0, count) };
}

/** Converts a raw sample to the unit of the metric, without floating-point noise: 7012 * 0.0001 is 0.7012. */
export function physicalValue({ scale, offset }: Pick<Collection, 'scale' | 'offset'>, raw: number): number {
  return scale === 1 && offset === 0 ? raw : toSignificant(raw * scale + offset, 12);
}
