import { sceneContext } from './scene/context.ts';
import { startContextSurvey, surveyContext } from './scene/context-survey.ts';
import type { SceneContext } from './scene/context.ts';
import { classEdges, startLevelSurvey, surveyLevels } from './scene/levels.ts';
import { sceneLevels, startLikeSurvey, surveyLikePixels } from './scene/like-pixels.ts';
import { metricTraits } from './metric.ts';
import type { MetricTraits } from './metric.ts';
import type { FollowedMetric } from './pixel/metric-track.ts';
import { confirmTogether } from './object/joint-confirmation.ts';
import { changeObjects } from './object/objects.ts';
import type { ChangeObject } from './object/objects.ts';
import { loadEvent, packEvents, saveEvent } from './pixel/pixel-events.ts';
import type { PixelEvent, PixelEvents } from './pixel/pixel-events.ts';
import { CalmPixels } from './calm/calm-pixels.ts';
import { followOrder } from './follow-order.ts';
import { PixelMonitor } from './pixel/pixel-monitor.ts';
import { checkSpec, isSeen, stripPixels } from './stack.ts';
import type { StripState } from './state/state-writer.ts';
import type { PixelStrip, StackSpec } from './stack.ts';

/**
 * Pass 4 of the monitor: follows the pixels of a strip through all scenes in one or more metrics. Strips may be
 * processed in any order and in many threads.
 * @param strips one strip per metric, all with the same pixels and scenes
 */
export function monitorStrips(
  spec: StackSpec,
  metrics: readonly FollowedMetric[],
  strips: readonly PixelStrip[],
): PixelEvents {
  const times = spec.timesMs.length;
  const [{ from }] = strips as readonly [PixelStrip];
  const pixels = pixelsOf(spec, strips);
  const monitor = new PixelMonitor(spec, metrics);
  const series = strips.map(({ values }) => values);
  const events: PixelEvent[] = [];
  for (let p = 0; p < pixels; p++) {
    monitor.follow(from + p, series, p * times, (event) => events.push(event));
  }
  return packEvents(events, metrics.length);
}

/**
 * Continues `monitorStrips` from the saved state of an earlier run: processes only the scenes from `since` on.
 * @param state `state.left` provides the state of the strip before `since`; `state.kept` receives its state after the
 *   last scene
 * @returns the events of all scenes
 */
export function resumeStrips(
  spec: StackSpec,
  metrics: readonly FollowedMetric[],
  strips: readonly PixelStrip[],
  since: number,
  state: StripState,
): PixelEvents {
  const pixels = pixelsOf(spec, strips);
  const resumed = new ResumedStrip(spec, metrics, strips, since, state);
  resumed.followAll(pixels);
  return packEvents(resumed.events, metrics.length);
}

/**
 * The pixels of a strip, which are followed from a scene on, one after another. A pixel has a call of its own: a loop
 * over all of them would be compiled again in each strip, while it runs.
 */
class ResumedStrip {
  readonly events: PixelEvent[] = [];
  readonly #monitor: PixelMonitor;
  readonly #strips: readonly PixelStrip[];
  readonly #series: readonly PixelStrip['values'][];
  readonly #first: number;
  readonly #width: number;
  readonly #times: number;
  readonly #since: number;
  readonly #state: StripState;
  /** Undefined when each pixel must be followed: without states of earlier scenes, and when the states are saved. */
  readonly #calm: CalmPixels | undefined;
  /** Events of the pixel that have ended, and the one that is open. */
  readonly #ended: PixelEvent[] = [];
  #open: PixelEvent | undefined;
  readonly #end = (event: PixelEvent): void => void this.#ended.push(event);
  readonly #leaveOpen = (event: PixelEvent): void => void (this.#open = event);

  constructor(
    spec: StackSpec,
    metrics: readonly FollowedMetric[],
    strips: readonly PixelStrip[],
    since: number,
    state: StripState,
  ) {
    this.#monitor = new PixelMonitor(spec, metrics);
    this.#strips = strips;
    this.#series = strips.map(({ values }) => values);
    this.#first = strips[0]!.from;
    this.#width = spec.width;
    this.#times = spec.timesMs.length;
    this.#since = since;
    this.#state = state;
    const { left, kept } = state;
    this.#calm = left === undefined || kept !== undefined ? undefined : new CalmPixels(spec, metrics, since);
  }

  /** Follows the pixels of the strip, from their first scene in the order that is fastest. */
  followAll(pixels: number): void {
    const { left, kept } = this.#state;
    if (left !== undefined) {
      for (let p = 0; p < pixels; p++) this.#follow(p); // their states are read in their order
      return;
    }
    const order = followOrder(this.#width, this.#first, pixels);
    const starts = new Int32Array(pixels);
    for (let i = 0; i < pixels; i++) {
      const p = order[i]!;
      starts[p] = kept?.position ?? 0;
      this.#follow(p);
    }
    kept?.reorder(starts);
    this.events.sort((a, b) => a.pixel - b.pixel); // those of one pixel stay in their order
  }

  /** Follows a pixel. @param p its position in the strip */
  #follow(p: number): void {
    const { left, kept } = this.#state;
    const pixel = this.#first + p;
    const offset = p * this.#times;
    const isNew = this.#isNew(offset);
    if (left?.isAtRest === true && !isNew) {
      const record = left.skipRecord();
      kept?.copyRecord(record);
      return;
    }
    const { events } = this;
    if (this.#calm?.passOver(pixel, this.#strips, p, left!, events) === true) return;
    for (let m = 0; m < this.#strips.length; m++) this.#strips[m]!.complete?.(p);
    left?.beginRecord();
    kept?.beginRecord();
    const ended = this.#ended;
    ended.length = 0;
    this.#open = undefined;
    // If the pixel has no new observations, no scene has to be processed.
    const from = isNew ? this.#since : this.#times;
    this.#monitor.resume(pixel, this.#series, offset, from, this.#state, this.#end, this.#leaveOpen);
    // Events that have ended are final and saved. An open event is not saved: every run emits it again.
    const first = events.length;
    for (let earlier = left?.natural() ?? 0; earlier > 0; earlier--) events.push(loadEvent(left!));
    for (const event of ended) events.push(event);
    if (kept !== undefined) {
      kept.natural(events.length - first);
      for (let e = first; e < events.length; e++) saveEvent(kept, events[e]!);
      kept.endRecord(events.length === first && this.#open === undefined);
    }
    if (this.#open !== undefined) events.push(this.#open);
  }

  /** Whether the pixel has an observation since the state. */
  #isNew(offset: number): boolean {
    for (const values of this.#series)
      if (isSeen(values, offset + this.#since, offset + this.#times)) return true;
    return false;
  }
}

/** Returns the number of pixels in each of the strips. @throws RangeError when the pixels of the strips differ */
function pixelsOf(spec: StackSpec, strips: readonly PixelStrip[]): number {
  const [{ from }] = strips as readonly [PixelStrip];
  const pixels = stripPixels(spec, strips[0]!);
  if (strips.some((strip) => strip.from !== from || stripPixels(spec, strip) !== pixels)) {
    throw new RangeError('the strips of several metrics must hold the same pixels');
  }
  return pixels;
}

/** Result of monitoring a whole stack. */
export interface MonitoredStack {
  /** Context of the scenes in the first metric. */
  readonly context: SceneContext;
  readonly events: PixelEvents;
  readonly objects: readonly ChangeObject[];
}

/**
 * Runs all passes over one or more metrics of the same pixels and scenes, in memory. Metrics of the same phenomenon as the
 * first metric add evidence to it. All metrics help to determine the type of a change.
 * @param metrics values by metric; the first is `spec.metric`. `values[pixel * times + t]`, NaN where nothing was observed
 * @throws RangeError when a metric is unknown or its values do not fill the stack
 */
export function monitorMetrics(
  spec: StackSpec,
  metrics: Readonly<Record<string, Float32Array | Float64Array>>,
): MonitoredStack {
  const own = metrics[spec.metric];
  if (own === undefined) throw new RangeError(`there are no values of ${spec.metric}`);
  const others = Object.entries(metrics).filter(([metric]) => metric !== spec.metric);
  return monitorTogether(
    spec,
    [[spec.metric, own] as const, ...others].map(([metric, values]) => {
      const traits = metricTraits(metric);
      if (traits === null) throw new RangeError(`${metric} makes no changes`);
      return [metric, traits, values];
    }),
  );
}

function monitorTogether(
  spec: StackSpec,
  metrics: readonly (readonly [metric: string, MetricTraits, Float32Array | Float64Array])[],
): MonitoredStack {
  checkSpec(spec);
  const followed = metrics.map(([metric, traits, values]): FollowedMetric => {
    if (values.length !== spec.width * spec.height * spec.timesMs.length) {
      throw new RangeError(`values of ${metric} do not fill the stack`);
    }
    return { traits, context: contextOf(spec, traits, { from: 0, values }) };
  });
  const strips = metrics.map(([, , values]): PixelStrip => ({ from: 0, values }));
  const events = confirmTogether(spec, monitorStrips(spec, followed, strips));
  const others = metrics.slice(1).map(([metric]) => metric);
  const { traits, context } = followed[0]!;
  return { context, events, objects: changeObjects(spec, traits, events, others) };
}

/** Runs passes 1 to 3 over a stack that is a single strip. */
function contextOf(spec: StackSpec, traits: MetricTraits, strip: PixelStrip): SceneContext {
  const levels = startLevelSurvey(spec, traits);
  surveyLevels(levels, spec, strip);
  const like = startLikeSurvey(spec, traits, classEdges(levels, spec));
  surveyLikePixels(like, spec, strip);
  const survey = startContextSurvey(spec, traits, sceneLevels(like, spec, traits));
  surveyContext(survey, spec, strip);
  return sceneContext(survey, spec, traits);
}
