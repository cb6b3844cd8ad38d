import { PARAMETERS } from './parameters.ts';
import { eventAt } from './pixel-events.ts';
import type { PixelEvent, PixelEvents } from './pixel-events.ts';
import type { StackSpec } from './stack.ts';

/** Whether `a` was flagged before `b`; ties by first anomaly, then by pixel. */
export function isEarlier(a: PixelEvent, b: PixelEvent): boolean {
  if (a.flagged !== b.flagged) return a.flagged < b.flagged;
  if (a.firstAnomaly !== b.firstAnomaly) return a.firstAnomaly < b.firstAnomaly;
  return a.pixel < b.pixel;
}

/**
 * Groups events into components. Each grows from its earliest event over pixels that touch by side or corner, in the same
 * direction and with first anomalies within `joinWithinMs` of the seed's: compared with the seed, since neighbour by
 * neighbour a region that is eaten away for years would be one change.
 * @param members indices of the events that take part
 * @returns lists of indices, ascending, in order of their seeds
 */
export function eventComponents(
  spec: StackSpec,
  events: PixelEvents,
  members: readonly number[],
): number[][] {
  const unpacked = new Map(members.map((i) => [i, eventAt(events, i)]));
  const byPixel = Map.groupBy(members, (i) => unpacked.get(i)!.pixel);
  const taken = new Set<number>();
  const components: number[][] = [];
  const bySeniority = members.toSorted((i, j) => (isEarlier(unpacked.get(i)!, unpacked.get(j)!) ? -1 : 1));
  for (const start of bySeniority) {
    if (taken.has(start)) continue;
    const seed = unpacked.get(start)!;
    const seedMs = spec.timesMs[seed.firstAnomaly]!;
    const component = [start];
    taken.add(start);
    for (const i of component) {
      for (const pixel of neighbours(unpacked.get(i)!.pixel, spec)) {
        for (const j of byPixel.get(pixel) ?? []) {
          const other = unpacked.get(j)!;
          if (taken.has(j) || other.direction !== seed.direction) continue;
          if (Math.abs(spec.timesMs[other.firstAnomaly]! - seedMs) > PARAMETERS.joinWithinMs) continue;
          taken.add(j);
          component.push(j);
        }
      }
    }
    components.push(component.toSorted((a, b) => a - b));
  }
  return components;
}

/** The up to eight pixels around one. */
function neighbours(pixel: number, { width, height }: StackSpec): number[] {
  const row = Math.floor(pixel / width);
  const column = pixel % width;
  const around: number[] = [];
  for (let r = Math.max(0, row - 1); r <= Math.min(height - 1, row + 1); r++) {
    for (let c = Math.max(0, column - 1); c <= Math.min(width - 1, column + 1); c++) {
      if (r !== row || c !== column) around.push(r * width + c);
    }
  }
  return around;
}
