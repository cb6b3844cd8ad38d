import type { ChangeObject } from '../../src/change/object/objects.ts';
import { monitorMetrics, type MonitoredStack } from '../../src/change/monitor.ts';
import { eventAt, eventCount, type ChangeStatus } from '../../src/change/pixel/pixel-events.ts';

/** Time series of pixels for the change monitor: a grid, or a row of sample points with one pixel each. */
export interface SampleStack {
  readonly width: number;
  readonly height: number;
  /** Area of one pixel [m2]. */
  readonly pixelAreaM2: number;
  /** Acquisition times [ms since the Unix epoch], ascending. */
  readonly timesMs: Float64Array;
  /** Values of each metric: `values[pixel * times + t]`, NaN where nothing was observed. */
  readonly metrics: Readonly<Record<string, Float32Array | Float64Array>>;
}

/**
 * One departure that the monitor reports at a pixel. Times are in ms since the Unix epoch; the time of an event that
 * has not happened is null.
 */
export interface Claim {
  readonly pixel: number;
  readonly metric: string;
  /** -1 for a fall, 1 for a rise. */
  readonly direction: -1 | 1;
  readonly status: ChangeStatus;
  readonly firstAnomalyMs: number;
  readonly flaggedMs: number;
  readonly confirmedMs: number | null;
  readonly recoveredMs: number | null;
  readonly posterior: number;
  /** Median departure [metric unit]. */
  readonly magnitude: number;
}

/** All departures and change objects that the monitor reports for a stack. */
export interface Finding {
  readonly claims: readonly Claim[];
  readonly objects: readonly ChangeObject[];
}

/** Streams all metrics of a stack through the monitor; the other metrics add their evidence to the first one. */
export function followAll(stack: SampleStack): Finding {
  const { width, height, pixelAreaM2, timesMs, metrics } = stack;
  const metric = Object.keys(metrics)[0]!;
  const monitored = monitorMetrics({ width, height, pixelAreaM2, metric, timesMs }, metrics);
  return findingOf(stack, metric, monitored);
}

/** Streams one metric of a stack through the monitor; by default the first metric. */
export function follow(stack: SampleStack, metric = Object.keys(stack.metrics)[0]!): Finding {
  const { width, height, pixelAreaM2, timesMs } = stack;
  const values = stack.metrics[metric];
  if (values === undefined) throw new RangeError(`the stack has no ${metric}`);
  const spec = { width, height, pixelAreaM2, metric, timesMs };
  return findingOf(stack, metric, monitorMetrics(spec, { [metric]: values }));
}

function findingOf({ timesMs }: SampleStack, metric: string, { events, objects }: MonitoredStack): Finding {
  const timeOf = (scene: number): number | null => (scene < 0 ? null : timesMs[scene]!);
  const claims = Array.from({ length: eventCount(events) }, (_, i) => {
    const event = eventAt(events, i);
    return {
      pixel: event.pixel,
      metric,
      direction: event.direction,
      status: event.status,
      firstAnomalyMs: timesMs[event.firstAnomaly]!,
      flaggedMs: timesMs[event.flagged]!,
      confirmedMs: timeOf(event.confirmed),
      recoveredMs: timeOf(event.recovered),
      posterior: event.posterior,
      magnitude: event.magnitude,
    };
  });
  return { claims, objects };
}

/** Describes a claim in one line. */
export function claimText({ metric, direction, status, firstAnomalyMs, posterior }: Claim): string {
  const day = new Date(firstAnomalyMs).toISOString().slice(0, 10);
  return `${metric} ${direction < 0 ? 'fall' : 'rise'} ${day} ${status} ${posterior.toFixed(2)}`;
}
