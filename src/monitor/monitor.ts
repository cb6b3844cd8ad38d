import { changeObjects } from './objects.ts';
import type { ChangeObject } from './objects.ts';
import { sceneContext, startContextSurvey, surveyContext } from './context.ts';
import type { SceneContext } from './context.ts';
import { sceneLevels, startLevelSurvey, surveyLevels } from './levels.ts';
import type { MetricTraits } from './metric.ts';
import { packEvents } from './pixel-events.ts';
import type { PixelEvent, PixelEvents } from './pixel-events.ts';
import { PixelMonitor } from './pixel-monitor.ts';
import { checkSpec, stripPixels } from './stack.ts';
import type { PixelStrip, StackSpec } from './stack.ts';

/** Pass 3: follows the pixels of one strip. Strips may run in any order, in many threads. */
export function monitorStrip(
  spec: StackSpec,
  traits: MetricTraits,
  context: SceneContext,
  strip: PixelStrip,
): PixelEvents {
  const times = spec.timesMs.length;
  const pixels = stripPixels(spec, strip);
  const monitor = new PixelMonitor(spec, traits, context);
  const events: PixelEvent[] = [];
  for (let p = 0; p < pixels; p++) {
    monitor.follow(strip.from + p, strip.values, p * times, (event) => events.push(event));
  }
  return packEvents(events);
}

/** What a whole stack leads to. */
export interface MonitoredStack {
  readonly context: SceneContext;
  readonly events: PixelEvents;
  readonly objects: readonly ChangeObject[];
}

/** All passes over a stack that fits in memory: `values[pixel * times + t]`, NaN where nothing was observed. */
export function monitorStack(
  spec: StackSpec,
  traits: MetricTraits,
  values: Float32Array | Float64Array,
): MonitoredStack {
  checkSpec(spec);
  if (values.length !== spec.width * spec.height * spec.timesMs.length) {
    throw new RangeError('values do not fill the stack');
  }
  const strip = { from: 0, values };
  const levels = startLevelSurvey(spec, traits);
  surveyLevels(levels, spec, strip);
  const survey = startContextSurvey(spec, traits, sceneLevels(levels, spec, traits));
  surveyContext(survey, spec, strip);
  const context = sceneContext(survey, spec, traits);
  const events = monitorStrip(spec, traits, context, strip);
  return { context, events, objects: changeObjects(spec, traits, events) };
}
