import { digestOf } from '../../base/canonical-json.ts';
import { MODEL_VERSION, PARAMETERS } from '../../change/parameters.ts';
import type { Deps } from '../deps.ts';
import { snowCubeId } from '../series/snow-cube.ts';
import { withoutDuplicates, type ClaimedChange } from './claimed-change.ts';
import {
  metricGroups,
  sharedScenes,
  type CollectionMetric,
  type CollectionStack,
  type MetricGroup,
} from './collection-stack.ts';
import type { ChangeTask, StateBasis } from './search/change-task.ts';
import { type ChangeRun, findChanges } from './search/find-changes.ts';
import type { FoundChange } from './search/found-change.ts';
import { ScenesChanged } from './search/scenes-changed.ts';
import { STRIP_PIXELS } from './search/strip-size.ts';
import type { UnitTurns } from './search/unit-turns.ts';

/** Options for a search over the cubes of a collection. */
export interface SearchRun extends Omit<ChangeRun, 'cubes' | 'turns'> {
  /** Number of strips in a block; undefined: that of the service. */
  readonly blockStrips?: number;
  /** Returns the turns of the units of a search, given the cube beside which their results are kept. */
  readonly turnsOf?: (cubeId: string) => UnitTurns;
}

/**
 * Searches a collection for changes from its first scene, without saved states. Returns undefined if the scenes
 * changed during the search. Writes nothing.
 */
export async function searchCollection(
  deps: Pick<Deps, 'cube'>,
  stack: CollectionStack,
  progress: (done: number, total: number) => void,
): Promise<readonly ClaimedChange[] | undefined> {
  return await searchStack(deps, stack, { progress });
}

/**
 * Searches each group of metrics for changes. Groups with scenes at the same moments are searched together.
 * @param version software version: only saved states of this version are used; undefined: no saved states are used
 */
export async function searchStack(
  { cube }: Pick<Deps, 'cube'>,
  stack: CollectionStack,
  how: SearchRun,
  version?: string,
): Promise<readonly ClaimedChange[] | undefined> {
  const groups = metricGroups(stack);
  const searches = [...Map.groupBy(groups, momentsOf).values()];
  const claimed = new Map<MetricGroup, readonly ClaimedChange[]>();
  try {
    for (const [done, together] of searches.entries()) {
      const progress = (part: number, total: number): void =>
        how.progress(Math.floor((done * total + part) / searches.length), total);
      const { task: whole, claims } = searchOf(together, version);
      const task = { ...whole, blockStrips: how.blockStrips };
      const turns = how.turnsOf?.(task.series[0]!.cubeId);
      const found = await findChanges(task, { ...how, progress, turns, cubes: cube.address });
      for (const [g, group] of together.entries()) claimed.set(group, claims(group, found[g]!));
    }
  } catch (error) {
    if (error instanceof ScenesChanged) return undefined;
    throw error;
  }
  const all = groups.flatMap((group) => claimed.get(group)!);
  return groups.length > 1 ? withoutDuplicates(all) : all;
}

/** Grid size and moments of a group, as a text. Groups with the same text can be searched together. */
function momentsOf(group: MetricGroup): string {
  const [{ collection }] = group as readonly [CollectionMetric];
  const { width, height } = collection.grid;
  return [width, height, ...sharedScenes(group).map(({ timeMs }) => timeMs)].join(' ');
}

/** Builds one search over groups of metrics with the same moments, and the function that converts its results. */
function searchOf(groups: readonly MetricGroup[], version: string | undefined) {
  const metrics = [...new Set(groups.flat())];
  const [{ collection }] = metrics as [CollectionMetric];
  const { grid, pixelAreaM2 } = collection;
  const moments = sharedScenes(metrics);
  const stack = {
    spec: {
      width: grid.width,
      height: grid.height,
      pixelAreaM2,
      metric: collection.metric,
      timesMs: Float64Array.from(moments, ({ timeMs }) => timeMs),
    },
    series: metrics.map(({ collection: { id, metric, sampleType, scale, offset }, scenes, snow }, m) => ({
      metric,
      cubeId: id,
      sampleType,
      scale,
      offset,
      digests: scenes.map(({ sha256 }) => sha256),
      at: Int32Array.from(moments, ({ at }) => at[m]!),
      snow: snow && { cubeId: snowCubeId(id), digests: snow.map(({ sha256 }) => sha256) },
    })),
    groups: groups.map((group) => group.map((metric) => metrics.indexOf(metric))),
  };
  const task: ChangeTask = { ...stack, basis: version === undefined ? undefined : basisOf(stack, version) };
  /**
   * Adds collections and scenes to found changes. `scenes` is computed when it is read, because most changes are not
   * published.
   */
  const claims = (group: MetricGroup, found: readonly FoundChange[]): readonly ClaimedChange[] => {
    const columns = group.map((metric) => ({ ...metric, m: metrics.indexOf(metric) }));
    return found.map((change) => ({
      ...change,
      collection: group[0]!.collection,
      metrics: group.map((metric) => metric.collection.metric),
      flaggedMs: moments[change.seed.flagged]!.timeMs,
      get scenes() {
        return change.evidence.scenes.flatMap(({ scene, role }) =>
          columns.flatMap(({ collection, scenes, m }) => {
            const i = moments[scene]!.at[m]!;
            return i < 0 ? [] : [{ collection, scene: scenes[i]!, role }];
          }),
        );
      },
    }));
  };
  return { task, claims };
}

/** Describes the inputs that a saved state of a stack depends on. */
function basisOf({ spec, series }: ChangeTask, version: string): StateBasis {
  const { timesMs, ...grid } = spec;
  const metrics = series.map(({ metric, scale, offset }) => [metric, scale, offset]);
  return {
    about: digestOf([MODEL_VERSION, PARAMETERS, version, process.version, STRIP_PIXELS, grid, metrics]),
    moments: Array.from(timesMs, (timeMs, t) =>
      [timeMs, ...series.map(({ digests, at }) => (at[t]! < 0 ? '-' : digests[at[t]!]))].join(' '),
    ),
  };
}
