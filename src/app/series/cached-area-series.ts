import { areaSeries, type AreaSeries } from './area-series.ts';
import { unlessMissing } from './missing-cube.ts';
import type { CubeStore } from './cube-store.ts';
import type { Aoi } from '../areas/aoi-store.ts';
import type { Collection } from './collection-store.ts';

const MOST_KEPT = 500; // maximum number of cached series; one with ten years of scenes takes 10 kB

/** Cached series of each cube store, by collection and area; the least recently used is dropped first. */
const kept = new WeakMap<CubeStore, Map<string, Kept>>();

interface Kept {
  /** Digests of the scenes that the series was computed from. */
  readonly scenes: string;
  readonly series: AreaSeries | undefined;
}

/**
 * Returns the result of `areaSeries`, from a cache if the scenes of the collection have not changed. New station data
 * cause a refresh of the anomalies every day; without the cache, each refresh would read all images of the area.
 * Returns undefined if the area lies outside the grid, or the cube is missing.
 */
export async function cachedAreaSeries(
  cube: CubeStore,
  collection: Collection,
  aoi: Aoi,
): Promise<AreaSeries | undefined> {
  const all = kept.get(cube) ?? new Map<string, Kept>();
  kept.set(cube, all);
  const name = `${collection.id} ${aoi.id}`;
  const stored = await unlessMissing(cube.scenes(collection.id));
  if (stored === undefined) return undefined;
  const scenes = stored.map(({ sha256 }) => sha256).join(' ');
  const known = all.get(name);
  const series =
    known?.scenes === scenes ? known.series : await unlessMissing(areaSeries(cube, collection, aoi));
  // The series may already contain scenes that were added after `stored` was listed. Then the digests differ in the
  // next call, which reads the series again.
  all.delete(name);
  all.set(name, { scenes, series });
  if (all.size > MOST_KEPT) all.delete(all.keys().next().value!);
  return series;
}
