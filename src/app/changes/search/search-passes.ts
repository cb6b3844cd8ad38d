import type { SceneContext } from '../../../change/scene/context.ts';
import type { FollowedMetric } from '../../../change/pixel/metric-track.ts';
import type { PixelEvents } from '../../../change/pixel/pixel-events.ts';
import type { ChangeTask } from './change-task.ts';
import type { StateReference } from './resumable-search.ts';
import type { SearchedCubes } from './searched-cubes.ts';
import type { PassJob, PassKind, StackPasses, StackSource } from './stack-pass.ts';

/** A running search: its stack, and the function that runs a pass over it. */
export interface RunningSearch extends StackSource {
  readonly cubes: SearchedCubes;
  readonly task: ChangeTask;
  /** State from which the search resumes, if any. */
  readonly left: StateReference | undefined;
  /** Runs a pass over the stack, or over some strips. Returns one result per thread. */
  readonly pass: <K extends PassKind>(
    source: StackSource,
    job: PassJob<K>,
  ) => Promise<readonly StackPasses[K]['part'][]>;
  /** Reports pixels of a pass as processed that need not be processed. */
  readonly seen: (kind: PassKind, pixels: number) => void;
}

/** How the passes of a search are run: over the whole stack, or block by block. The results are the same. */
export interface SearchPasses {
  /** Surveys the surroundings: returns the context of each surveyed metric. Saves them with the state. */
  contexts(): Promise<ReadonlyMap<number, SceneContext>>;
  /**
   * Follows the pixels.
   * @returns the events of each group of metrics
   */
  events(followed: ReadonlyMap<number, FollowedMetric>): Promise<readonly PixelEvents[]>;
}

/** The jobs that follow the pixels of each group. A group of alerts has one metric and no neighbourhood statistics. */
export function followJobs(
  { groups }: ChangeTask,
  followed: ReadonlyMap<number, FollowedMetric>,
): readonly PassJob<'follow' | 'alerts'>[] {
  return groups.map((metrics) => {
    const given = metrics.flatMap((metric) => followed.get(metric) ?? []);
    return given.length === 0
      ? ({ kind: 'alerts', metrics, given: null } as const)
      : ({ kind: 'follow', metrics, given } as const);
  });
}

/** Positions of the metrics whose surroundings are surveyed: all but alerts. */
export function surveyedMetrics({ traits }: Pick<StackSource, 'traits'>): readonly number[] {
  return [...traits.entries()]
    .filter(([, { phenomenon }]) => phenomenon !== 'alert')
    .map(([metric]) => metric);
}
