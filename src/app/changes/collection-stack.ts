import { metricTraits } from '../../change/metric.ts';
import type { Deps } from '../deps.ts';
import { unlessMissing } from '../series/missing-cube.ts';
import type { CubeScene } from '../series/cube-store.ts';
import type { Collection } from '../series/collection-store.ts';
import type { Stores } from '../storage.ts';

/** One metric of a collection, with its scenes in order of time. */
export interface CollectionMetric {
  readonly collection: Collection;
  readonly scenes: readonly CubeScene[];
}

/** All metrics of one name, in the order in which they were made: one ground, told by several indices and sensors. */
export type CollectionStack = readonly [CollectionMetric, ...CollectionMetric[]];

/** The collection that a metric belongs to, as the cube holds it now. @throws Error when it was removed meanwhile, or its cube is gone */
export async function readCollectionStack(
  deps: Pick<Deps, 'cube'> & { readonly storage: Pick<Stores, 'collections'> },
  { environment, accountId, name }: Pick<Collection, 'environment' | 'accountId' | 'name'>,
): Promise<CollectionStack> {
  const collections = await deps.storage.collections.byName(environment, accountId, name);
  const metrics: CollectionMetric[] = [];
  for (const collection of collections)
    metrics.push({ collection, scenes: await storedScenes(deps, collection) });
  const [first, ...others] = metrics;
  if (first === undefined) throw new Error(`the collection ${name} is gone`);
  return [first, ...others];
}

/** A cube that is only being made holds nothing; one that was lost must not take back what was found in it. */
async function storedScenes(
  deps: Pick<Deps, 'cube'> & { readonly storage: Pick<Stores, 'collections'> },
  { id }: Collection,
): Promise<readonly CubeScene[]> {
  const stored = await unlessMissing(deps.cube.scenes(id));
  if (stored !== undefined) return stored;
  return (await deps.storage.collections.scenes(id)).length === 0 ? [] : await deps.cube.scenes(id);
}

/** Metrics that are looked at together, the one that leads in front. */
export type MetricGroup = readonly CollectionMetric[];

/**
 * Which metrics are looked at together: for each thing that they tell of, those that do, the first made in front, and
 * with what tells of the ground its water too, which shows what a change turned it into. Metrics that make no changes
 * and those without scenes are in none.
 */
export function metricGroups(stack: CollectionStack): readonly MetricGroup[] {
  const told = stack.flatMap((metric) => {
    const tells = metric.scenes.length === 0 ? undefined : metricTraits(metric.collection.metric)?.tells;
    return tells === undefined ? [] : [{ metric, tells }];
  });
  const groups = Map.groupBy(told, ({ tells }) => tells);
  return [...groups].map(([tells, members]) => {
    const witnesses = tells === 'greenness' || tells === 'backscatter' ? (groups.get('water') ?? []) : [];
    return [...members, ...witnesses].map(({ metric }) => metric);
  });
}

/** One moment of several metrics: the position of each one's scene among its own, -1 where it has none. */
export interface SharedScene {
  /** Milliseconds since the Unix epoch. */
  readonly timeMs: number;
  readonly at: readonly number[];
}

/** The scenes of several metrics as one series of moments, in order of time; scenes of one moment are paired in their order. */
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
