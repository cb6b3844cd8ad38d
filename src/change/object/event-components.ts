import { PARAMETERS } from '../parameters.ts';
import { directionAt, eventCount, fieldAt, scenesAt } from '../pixel/pixel-events.ts';
import type { EventScenes, PixelEvents } from '../pixel/pixel-events.ts';
import type { StackSpec } from '../stack.ts';

/**
 * Whether `a` was flagged before `b`. Events flagged in the same scene are ordered by first anomaly, then by pixel.
 */
export function isEarlier(a: EventScenes, b: EventScenes): boolean {
  if (a.flagged !== b.flagged) return a.flagged < b.flagged;
  if (a.firstAnomaly !== b.firstAnomaly) return a.firstAnomaly < b.firstAnomaly;
  return a.pixel < b.pixel;
}

/** Decides whether an event can be of one change with the seed of a component, by their times. */
export type TimeRule = (spec: StackSpec, seed: EventScenes, other: EventScenes) => boolean;

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
function endOf({ recovered, rejected }: EventScenes): number {
  const ends = [recovered, rejected].filter((scene) => scene >= 0);
  return Math.min(Infinity, ...ends);
}

/** Order of the events `i` and `j` by `isEarlier`. */
function bySeniority(events: PixelEvents, i: number, j: number): number {
  return (
    fieldAt(events, i, 'flagged') - fieldAt(events, j, 'flagged') ||
    fieldAt(events, i, 'firstAnomaly') - fieldAt(events, j, 'firstAnomaly') ||
    i - j
  );
}

/** Position of the first event of a pixel, or of the next pixel that has one. Events are in the order of their pixels. */
function firstEventOf(events: PixelEvents, pixel: number): number {
  let [low, high] = [0, eventCount(events)];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (fieldAt(events, middle, 'pixel') < pixel) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Indices of the events of a pixel. */
export function* eventsOf(events: PixelEvents, pixel: number): Generator<number> {
  const count = eventCount(events);
  for (let i = firstEventOf(events, pixel); i < count && fieldAt(events, i, 'pixel') === pixel; i++) yield i;
}

/** Number of pixels of some events, whose indices ascend. */
export function pixelCount(events: PixelEvents, members: readonly number[]): number {
  let [count, last] = [0, -1];
  for (const i of members) {
    const pixel = fieldAt(events, i, 'pixel');
    if (pixel !== last) count += 1;
    last = pixel;
  }
  return count;
}

/**
 * Groups events into components. A component grows from its earliest event, the seed, over pixels that touch by side
 * or corner. Its events have the same direction and times that belong together. They are compared with the seed and not
 * with their neighbours, because a lake that shrinks slowly for years would otherwise be one change.
 *
 * A tile has millions of events, so they stay packed: unpacked, an event takes a kilobyte.
 */
export class EventComponents {
  readonly #spec: StackSpec;
  readonly #events: PixelEvents;
  readonly #isTogether: TimeRule;
  /** 1 for each event that is to be grouped and is in no component yet. */
  readonly #isOpen: Uint8Array;

  /** @param isTogether rule for the times */
  constructor(spec: StackSpec, events: PixelEvents, isTogether: TimeRule = withinSeason) {
    this.#spec = spec;
    this.#events = events;
    this.#isTogether = isTogether;
    this.#isOpen = new Uint8Array(eventCount(events));
  }

  /**
   * Groups some of the events.
   * @param members indices of these events
   * @returns for each component the ascending indices of its events; components in the order of their seeds
   */
  of(members: Iterable<number>): number[][] {
    return [...this.each(members)];
  }

  /** The components of `of`, one at a time. Begin no other ones until the last of them. */
  *each(members: Iterable<number>): Generator<number[]> {
    const order = Uint32Array.from(members).sort((i, j) => bySeniority(this.#events, i, j));
    for (const i of order) this.#isOpen[i] = 1;
    for (const start of order) if (this.#isOpen[start] === 1) yield this.#grown(start);
  }

  #grown(start: number): number[] {
    const events = this.#events;
    const seed = scenesAt(events, start);
    const component = [start];
    this.#isOpen[start] = 0;
    for (const i of component)
      for (const pixel of neighbours(fieldAt(events, i, 'pixel'), this.#spec))
        for (const j of eventsOf(events, pixel)) {
          if (this.#isOpen[j] !== 1 || directionAt(events, j) !== seed.direction) continue;
          if (!this.#isTogether(this.#spec, seed, scenesAt(events, j))) continue;
          this.#isOpen[j] = 0;
          component.push(j);
        }
    return component.toSorted((a, b) => a - b);
  }
}

/** Returns the first scene at which a given share of the events had reached a state. */
export function sceneOf(
  events: PixelEvents,
  members: readonly number[],
  state: 'firstAnomaly' | 'flagged',
  share: number,
): number {
  const scenes = Int32Array.from(members, (i) => fieldAt(events, i, state)).sort();
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
  const directions = components.map(([first]) => directionAt(events, first!));
  const sizes = components.map((members) => pixelCount(events, members));
  /** Component of each event; -1 for events of none. */
  const componentOf = new Int32Array(eventCount(events)).fill(-1);
  for (const [c, members] of components.entries()) for (const i of members) componentOf[i] = c;
  const isNear = (dates: readonly number[], a: number, b: number): boolean =>
    Math.abs(dates[a]! - dates[b]!) <= PARAMETERS.joinWithinMs;
  const isOneWith = (largest: number, other: number): boolean =>
    isNear(onsets, largest, other) ||
    (isNear(flags, largest, other) &&
      ((sizes[other]! < unit && sizes[largest]! >= unit) ||
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
      for (const i of components[c]!) {
        const pixel = fieldAt(events, i, 'pixel');
        for (const near of [pixel, ...neighbours(pixel, spec)])
          for (const j of eventsOf(events, near)) {
            const other = componentOf[j]!;
            if (other < 0 || taken.has(other) || directions[other] !== directions[start]) continue;
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
