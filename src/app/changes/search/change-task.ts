import { metricTraits, type MetricTraits } from '../../../change/metric.ts';
import type { StackSpec } from '../../../change/stack.ts';
import type { SampleType } from '../../series/cube-store.ts';

/** One metric of a stack, and the cube from which its samples are read. */
export interface MetricSeries {
  readonly metric: string;
  readonly cubeId: string;
  readonly sampleType: SampleType;
  /** Metric = raw * scale + offset. */
  readonly scale: number;
  readonly offset: number;
  /** SHA-256 of each scene of the metric's cube, in order of time. The search fails when the scenes no longer match. */
  readonly digests: readonly string[];
  /** For each scene of the stack, its position in `digests`; -1 if the metric does not have this scene. */
  readonly at: Int32Array;
  /** The cube with the scenes that show snow, and the SHA-256 of each; undefined if none shows snow. */
  readonly snow?: { readonly cubeId: string; readonly digests: readonly string[] } | undefined;
}

/**
 * The inputs of a search, and of the state that it saves. A search can resume from a state if both have the same
 * `about`, and the first moments of the search are the moments of the state.
 */
export interface StateBasis {
  /** Digest of the inputs other than scenes: model, software, grid and metrics. */
  readonly about: string;
  /** For each moment of the stack, a text with its time and the digests of its scenes. */
  readonly moments: readonly string[];
}

/** The input of a search. `spec.metric` is the metric of the first series. */
export interface ChangeTask {
  readonly spec: StackSpec;
  readonly series: readonly MetricSeries[];
  /**
   * Groups of series that are searched together, as positions in `series`. The first series of a group is its main
   * series.
   */
  readonly groups: readonly (readonly number[])[];
  /**
   * Basis of the state that this search saves with the cube of the first series. If the state saved there earlier
   * matches the basis, the search resumes from it. Undefined: the search begins with the first scene and saves nothing.
   */
  readonly basis?: StateBasis | undefined;
  /** Number of strips in a block; a search with a basis goes block by block. Undefined: `BLOCK_STRIPS`. */
  readonly blockStrips?: number | undefined;
}

/** Traits of each metric of a task. @throws RangeError for a metric in which changes are not searched */
export function traitsOf({ series }: ChangeTask): readonly MetricTraits[] {
  return series.map(({ metric }) => {
    const traits = metricTraits(metric);
    if (traits === null) throw new RangeError(`no change is looked for in ${metric}`);
    return traits;
  });
}
