import { metricTraits } from '../../change/metric.ts';
import type { Deps } from '../deps.ts';
import { unlessMissing } from '../series/missing-cube.ts';
import type { CubeScene } from '../series/cube-store.ts';
import { snowScenes } from '../series/snow-cube.ts';
import type { Collection } from '../series/collection-store.ts';
import type { Stores } from '../storage.ts';

/** One metric of a collection, with its scenes in order of time. */
export interface CollectionMetric {
  readonly collection: Collection;
  readonly scenes: readonly CubeScene[];
  /** The scenes that show snow, as stored in the snow cube; absent if there are none. */
  readonly snow?: readonly CubeScene[];
}

/** All metrics with one collection name, in order of creation: indices and sensors that observe the same ground. */
export type CollectionStack = readonly [CollectionMetric, ...CollectionMetric[]];

/**
 * Reads all metrics of a collection with their current scenes.
 * @throws Error when the collection or a cube was removed meanwhile
 */
export async function readCollectionStack(
  deps: Pick<Deps, 'cube'> & { readonly storage: Pick<Stores, 'collections'> },
  { environment, accountId, name }: Pick<Collection, 'environment' | 'accountId' | 'name'>,
): Promise<CollectionStack> {
  const collections = await deps.storage.collections.byName(environment, accountId, name);
  const metrics: CollectionMetric[] = [];
  for (const collection of collections) {
    const snow = await snowScenes(deps.cube, collection.id);
    const scenes = await storedScenes(deps, collection);
    metrics.push({ collection, scenes, ...(snow.length > 0 && { snow }) });
  }
  const [first, ...others] = metrics;
  if (first === undefined) throw new Error(`the collection ${name} is gone`);
  return [first, ...others];
}

/**
 * Returns the scenes of a cube; none while the cube is being created. Throws for a lost cube, so that the changes
 * found in it are not withdrawn.
 */
async function storedScenes(
  deps: Pick<Deps, 'cube'> & { readonly storage: Pick<Stores, 'collections'> },
  { id }: Collection,
): Promise<readonly CubeScene[]> {
  const stored = await unlessMissing(deps.cube.scenes(id));
  if (stored !== undefined) return stored;
  return (await deps.storage.collections.scenes(id)).length === 0 ? [] : await deps.cube.scenes(id);
}

/** Metrics that are searched together, the main metric first. */
export type MetricGroup = readonly CollectionMetric[];

/**
 * Groups the metrics that are searched together. Metrics that measure the same phenomenon form a group, in order of
 * creation. Groups of greenness or backscatter also get the water metrics, which show whether ground became water.
 * Metrics without scenes, and metrics in which changes are not searched, are in no group.
 */
export function metricGroups(stack: CollectionStack): readonly MetricGroup[] {
  const told = stack.flatMap((metric) => {
    const tells = metric.scenes.length === 0 ? undefined : metricTraits(metric.collection.metric)?.phenomenon;
    return tells === undefined ? [] : [{ metric, tells }];
  });
  const groups = Map.groupBy(told, ({ tells }) => tells);
  return [...groups].map(([tells, members]) => {
    const witnesses = tells === 'greenness' || tells === 'backscatter' ? (groups.get('water') ?? []) : [];
    return [...members, ...witnesses].map(({ metric }) => metric);
  });
}

/** One moment in a series shared by several metrics. */
export interface SharedScene {
  /** Milliseconds since the Unix epoch. */
  readonly timeMs: number;
  /** For each metric, the position of its scene at this moment; -1 if the metric has no scene at this moment. */
  readonly at: readonly number[];
}

/**
 * Merges the scenes of several metrics into one series of moments, in order of time. If the metrics have several
 * scenes at the same time, their first scenes are paired, then their second scenes, and so on.
 */
export function sharedScenes(metrics: MetricGroup): readonly SharedScene[] {
  const moments = new Map<
    string,
    { readonly timeMs: number; readonly turn: number; readonly at: number[] }
  >();
  metrics.forEach(({ scenes }, m) => {
    let turn = 0;
    scenes.forEach(({ timeMs }, i) => {
      turn = i > 0 && scenes[i - 1]!.timeMs === timeMs ? turn + 1 : 0;
      const key = `${timeMs} ${turn}`;
      const moment = moments.get(key) ?? { timeMs, turn, at: metrics.map(() => -1) };
      moment.at[m] = i;
      moments.set(key, moment);
    });
  });
  return [...moments.values()].toSorted((a, b) => a.timeMs - b.timeMs || a.turn - b.turn);
}
