import { monitorMetrics } from './monitor.ts';
import type { ChangeObject } from './object/objects.ts';
import type { StackSpec } from './stack.ts';

/** Time series of all pixels of a grid, in memory. */
export interface SeriesStack extends StackSpec {
  /** `values[pixel * times + t]` of `metric`, pixels row-major; NaN where nothing was observed. */
  readonly values: Float32Array | Float64Array;
  /**
   * Values of further metrics of the same pixels and times, by metric key. They add evidence and help to determine the
   * type of a change.
   */
  readonly others?: Readonly<Record<string, Float32Array | Float64Array>>;
}

/**
 * Finds lasting changes in a stack with the method of the service. Returns objects of neighbouring pixels, ordered by
 * first anomaly.
 * @throws RangeError when the times do not ascend, the values do not fill the stack, or a metric is unknown
 */
export function detectChanges({ values, others = {}, ...spec }: SeriesStack): readonly ChangeObject[] {
  return monitorMetrics(spec, { [spec.metric]: values, ...others }).objects;
}
