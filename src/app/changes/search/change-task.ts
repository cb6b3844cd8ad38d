import { metricTraits, type MetricTraits } from '../../../change/metric.ts';
import type { StackSpec } from '../../../change/stack.ts';
import type { SampleType } from '../../series/cube-store.ts';

/** One metric of a stack, and where its samples are read. */
export interface MetricSeries {
  readonly metric: string;
  readonly cubeId: string;
  readonly sampleType: SampleType;
  /** Metric = raw * scale + offset. */
  readonly scale: number;
  readonly offset: number;
  /** SHA-256 of each scene of the metric's cube, in order of time. The search fails when the scenes no longer match. */
  readonly digests: readonly string[];
  /** For each scene of the stack its position in `digests`; -1 where the metric has no such scene. */
  readonly at: Int32Array;
}

/**
 * The inputs of a saved state. A search can resume from a state when `about` is equal and the moments of its stack
 * begin with those of the state.
 */
export interface StateBasis {
  /** Digest of the inputs other than scenes: model, software, grid and metrics. */
  readonly about: string;
  /** For each moment of the stack its time and the digests of its scenes, as one text. */
  readonly moments: readonly string[];
}

/** The input of a search. The metric of `spec` is that of the first series. */
export interface ChangeTask {
  readonly spec: StackSpec;
  readonly series: readonly MetricSeries[];
  /**
   * Groups of series that are searched together, by their positions in `series`. The first of a group is its main
   * series.
   */
  readonly groups: readonly (readonly number[])[];
  /**
   * The search resumes from the state saved with the cube of the first series if the state matches this basis, and
   * saves its own state. Undefined: the search begins with the first scene and saves nothing.
   */
  readonly basis?: StateBasis | undefined;
}

/** Traits of each metric of a task. @throws RangeError for a metric in which changes are not searched */
export function traitsOf({ series }: ChangeTask): readonly MetricTraits[] {
  return series.map(({ metric }) => {
    const traits = metricTraits(metric);
    if (traits === null) throw new RangeError(`no change is looked for in ${metric}`);
    return traits;
  });
}
