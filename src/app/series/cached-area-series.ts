import { areaSeries, type AreaSeries } from './area-series.ts';
import { unlessMissing } from './missing-cube.ts';
import type { CubeStore } from './cube-store.ts';
import type { Aoi } from '../areas/aoi-store.ts';
import type { Collection } from './collection-store.ts';

const MOST_KEPT = 500; // means over areas: 10 kB each with ten years of scenes

/** What is kept of each cube store, by collection and area: the longest unused goes first. */
const kept = new WeakMap<CubeStore, Map<string, Kept>>();

interface Kept {
  /** The scenes that it is the mean of. */
  readonly scenes: string;
  readonly series: AreaSeries | undefined;
}

/**
 * The mean over an area as `areaSeries` reads it, kept until the collection's scenes change: stations report daily, and
 * an area's images need not be read again for each report.
 */
export async function keptAreaSeries(
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
  // What was read is of the scenes listed above, or of newer ones: then the next call reads again.
  all.delete(name);
  all.set(name, { scenes, series });
  if (all.size > MOST_KEPT) all.delete(all.keys().next().value!);
  return series;
}
