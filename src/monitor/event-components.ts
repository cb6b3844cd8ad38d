import { PARAMETERS } from './parameters.ts';
import { eventAt, eventCount } from './pixel-events.ts';
import type { PixelEvents } from './pixel-events.ts';
import type { StackSpec } from './stack.ts';

/**
 * Components of events: pixels that touch by side or corner, in one direction, with first anomalies within
 * `joinWithinMs` of each other. Each component is a list of event indices, ascending; components in order of their first.
 * @param isMember which events take part
 * @param among the events to look at, ascending; all by default
 */
export function eventComponents(
  spec: StackSpec,
  events: PixelEvents,
  isMember: (event: number) => boolean,
  among?: readonly number[],
): number[][] {
  const members = (among ?? Array.from({ length: eventCount(events) }, (_, i) => i)).filter(isMember);
  const parents = new Map<number, number>();
  const byPixel = new Map<number, number[]>();
  for (const i of members) {
    parents.set(i, i);
    const { pixel } = eventAt(events, i);
    const there = byPixel.get(pixel);
    if (there === undefined) byPixel.set(pixel, [i]);
    else there.push(i);
  }
  const rootOf = (event: number): number => {
    let root = event;
    while (parents.get(root)! !== root) root = parents.get(root)!;
    for (let i = event; i !== root;) {
      const next = parents.get(i)!;
      parents.set(i, root);
      i = next;
    }
    return root;
  };
  for (const i of members) {
    const event = eventAt(events, i);
    const time = spec.timesMs[event.firstAnomaly]!;
    for (const pixel of neighboursAhead(event.pixel, spec)) {
      for (const j of byPixel.get(pixel) ?? []) {
        const other = eventAt(events, j);
        if (other.direction !== event.direction) continue;
        if (Math.abs(spec.timesMs[other.firstAnomaly]! - time) > PARAMETERS.joinWithinMs) continue;
        const a = rootOf(i);
        const b = rootOf(j);
        parents.set(Math.max(a, b), Math.min(a, b));
      }
    }
  }
  const components = new Map<number, number[]>();
  for (const i of members) {
    const root = rootOf(i);
    const component = components.get(root);
    if (component === undefined) components.set(root, [i]);
    else component.push(i);
  }
  return [...components.values()];
}

/** The four neighbours after a pixel in row-major order: east, south-west, south, south-east. */
function neighboursAhead(pixel: number, spec: StackSpec): number[] {
  const { width, height } = spec;
  const column = pixel % width;
  const hasEast = column + 1 < width;
  const ahead = hasEast ? [pixel + 1] : [];
  if (pixel + width >= width * height) return ahead;
  if (column > 0) ahead.push(pixel + width - 1);
  ahead.push(pixel + width);
  if (hasEast) ahead.push(pixel + width + 1);
  return ahead;
}
