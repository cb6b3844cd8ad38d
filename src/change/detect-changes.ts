import { alertEvents } from './alert/alert-monitor.ts';
import { metricTraits } from './metric.ts';
import { monitorMetrics } from './monitor.ts';
import { changeObjects, type ChangeObject } from './object/objects.ts';
import { checkSpec, type StackSpec } from './stack.ts';

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
  const metrics = [spec.metric, ...Object.keys(others)];
  const alert = metrics.find((metric) => metricTraits(metric)?.phenomenon === 'alert');
  if (alert !== undefined) {
    if (metrics.length > 1) throw new RangeError(`${alert} is followed without other metrics`);
    return detectAlerts(spec, values);
  }
  return monitorMetrics(spec, { [spec.metric]: values, ...others }).objects;
}

function detectAlerts(spec: StackSpec, values: Float32Array | Float64Array): readonly ChangeObject[] {
  checkSpec(spec);
  if (values.length !== spec.width * spec.height * spec.timesMs.length)
    throw new RangeError(`values of ${spec.metric} do not fill the stack`);
  return changeObjects(spec, metricTraits(spec.metric)!, alertEvents(spec, { from: 0, values }));
}
