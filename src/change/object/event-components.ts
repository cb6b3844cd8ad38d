import { PARAMETERS } from '../parameters.ts';
import { eventAt } from '../pixel/pixel-events.ts';
import type { PixelEvent, PixelEvents } from '../pixel/pixel-events.ts';
import type { StackSpec } from '../stack.ts';

/**
 * Whether `a` was flagged before `b`. Events flagged in the same scene are ordered by first anomaly, then by pixel.
 */
export function isEarlier(a: PixelEvent, b: PixelEvent): boolean {
  if (a.flagged !== b.flagged) return a.flagged < b.flagged;
  if (a.firstAnomaly !== b.firstAnomaly) return a.firstAnomaly < b.firstAnomaly;
  return a.pixel < b.pixel;
}

/** Decides whether an event can be of one change with the seed of a component, by their times. */
export type TimeRule = (spec: StackSpec, seed: PixelEvent, other: PixelEvent) => boolean;

/** Events of one season: they begin within `joinWithinMs` of the seed. */
export const withinSeason: TimeRule = ({ timesMs }, seed, other) =>
  Math.abs(timesMs[other.firstAnomaly]! - timesMs[seed.firstAnomaly]!) <= PARAMETERS.joinWithinMs;

/**
 * Events of one motion: they last at the same time as the seed. A bowl that sinks for years reaches its rim long after
 * its middle, so the dates of the beginnings say nothing about the cause.
 */
export const atSameTime: TimeRule = (_spec, seed, other) =>
  other.firstAnomaly <= endOf(seed) && seed.firstAnomaly <= endOf(other);

/** Scene in which a departure ended; infinity while it lasts. */
function endOf({ recovered, rejected }: PixelEvent): number {
  const ends = [recovered, rejected].filter((scene) => scene >= 0);
  return Math.min(Infinity, ...ends);
}

/**
 * Groups events into components. A component grows from its earliest event, the seed, over pixels that touch by side
 * or corner. Its events have the same direction and times that belong together. They are compared with the seed and not
 * with their neighbours, because a lake that shrinks slowly for years would otherwise be one change.
 * @param members indices of the events to group
 * @param isTogether rule for the times
 * @returns for each component the ascending indices of its events; components in the order of their seeds
 */
export function eventComponents(
  spec: StackSpec,
  events: PixelEvents,
  members: readonly number[],
  isTogether: TimeRule = withinSeason,
): number[][] {
  const unpacked = new Map(members.map((i) => [i, eventAt(events, i)]));
  const byPixel = Map.groupBy(members, (i) => unpacked.get(i)!.pixel);
  const taken = new Set<number>();
  const components: number[][] = [];
  const bySeniority = members.toSorted((i, j) => (isEarlier(unpacked.get(i)!, unpacked.get(j)!) ? -1 : 1));
  for (const start of bySeniority) {
    if (taken.has(start)) continue;
    const seed = unpacked.get(start)!;
    const component = [start];
    taken.add(start);
    /** Adds the events of a pixel that belong to the component. */
    const add = (pixel: number): void => {
      for (const j of byPixel.get(pixel) ?? []) {
        const other = unpacked.get(j)!;
        if (taken.has(j) || other.direction !== seed.direction) continue;
        if (!isTogether(spec, seed, other)) continue;
        taken.add(j);
        component.push(j);
      }
    };
    for (const i of component) for (const pixel of neighbours(unpacked.get(i)!.pixel, spec)) add(pixel);
    components.push(component.toSorted((a, b) => a - b));
  }
  return components;
}

/** Returns the first scene at which a given share of the events had reached a state. */
export function sceneOf(
  events: PixelEvents,
  members: readonly number[],
  state: 'firstAnomaly' | 'flagged',
  share: number,
): number {
  const scenes = members.map((i) => eventAt(events, i)[state]).toSorted((a, b) => a - b);
  return scenes[Math.ceil(share * scenes.length) - 1]!;
}

/**
 * Joins components that touch each other and began within `joinWithinMs` of the largest of them. Also joins splinters
 * that were flagged within this time of the largest: pixels that departed early or late by chance. Every component is
 * compared with the largest component and not with its neighbours.
 * @param unit minimum number of pixels of an object. A splinter has fewer pixels, or at most `splinterShare` of the
 *   events of the largest component
 */
export function joinComponents(
  spec: StackSpec,
  events: PixelEvents,
  components: readonly (readonly number[])[],
  unit: number,
): number[][] {
  const timeOf = (scene: number): number => spec.timesMs[scene]!;
  const onsets = components.map((members) =>
    timeOf(sceneOf(events, members, 'firstAnomaly', PARAMETERS.onsetShare)),
  );
  const flags = components.map((members) => timeOf(sceneOf(events, members, 'flagged', 0.5)));
  const directions = components.map(([first]) => eventAt(events, first!).direction);
  const pixels = components.map((members) => new Set(members.map((i) => eventAt(events, i).pixel)));
  const byPixel = new Map<number, number[]>();
  for (const [c, own] of pixels.entries()) {
    for (const pixel of own) {
      const known = byPixel.get(pixel);
      if (known === undefined) byPixel.set(pixel, [c]);
      else known.push(c);
    }
  }
  const isNear = (dates: readonly number[], a: number, b: number): boolean =>
    Math.abs(dates[a]! - dates[b]!) <= PARAMETERS.joinWithinMs;
  const isOneWith = (largest: number, other: number): boolean =>
    isNear(onsets, largest, other) ||
    (isNear(flags, largest, other) &&
      ((pixels[other]!.size < unit && pixels[largest]!.size >= unit) ||
        components[other]!.length <= PARAMETERS.splinterShare * components[largest]!.length));
  const joined: number[][] = [];
  const taken = new Set<number>();
  const bySize = Array.from(components.keys()).toSorted(
    (a, b) => components[b]!.length - components[a]!.length || a - b,
  );
  for (const start of bySize) {
    if (taken.has(start)) continue;
    taken.add(start);
    const group = [start];
    for (const c of group) {
      for (const pixel of pixels[c]!) {
        for (const other of [pixel, ...neighbours(pixel, spec)].flatMap((near) => byPixel.get(near) ?? [])) {
          if (taken.has(other) || directions[other] !== directions[start]) continue;
          if (!isOneWith(start, other)) continue;
          taken.add(other);
          group.push(other);
        }
      }
    }
    joined.push(group.flatMap((c) => components[c]!).toSorted((a, b) => a - b));
  }
  return joined;
}

/**
 * Returns the pixels around a pixel: eight, or fewer at the edge of the grid.
 * @param reach maximum number of rows or columns from the pixel
 */
export function neighbours(pixel: number, { width, height }: StackSpec, reach = 1): number[] {
  const row = Math.floor(pixel / width);
  const column = pixel % width;
  const around: number[] = [];
  for (let r = Math.max(0, row - reach); r <= Math.min(height - 1, row + reach); r++) {
    for (let c = Math.max(0, column - reach); c <= Math.min(width - 1, column + reach); c++) {
      if (r !== row || c !== column) around.push(r * width + c);
    }
  }
  return around;
}
