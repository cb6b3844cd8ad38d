import { PARAMETERS } from '../parameters.ts';
import { eventAt, type PixelEvent, type PixelEvents } from '../pixel/pixel-events.ts';
import type { StackSpec } from '../stack.ts';
import { neighbours, sceneOf } from './event-components.ts';

/** Rows or columns between two pixels with one pixel between them. */
const GAP = 2;

/** A piece of a change: indices of its events, with their pixels. */
interface Piece {
  readonly events: readonly number[];
  readonly pixels: ReadonlySet<number>;
}

/**
 * Makes changes of pieces that are too small to be listed alone, because pixels between or beside them were not
 * confirmed. Pieces of at least `minPiecePixels` pixels that are one pixel apart, have the same direction and began
 * within `joinWithinMs` of the largest of them are one change, without the pixels between. A piece of at least
 * `minObjectPixels` confirmed pixels is completed by rejected departures that touch it, have its direction and began
 * within this time of it, if it is large enough with them: the ground departed there, but did not last. Where pixels are
 * so large that `minObjectPixels` of them are the smallest object, nothing is put together.
 * @param claimed groups of events of which some are confirmed
 * @param rejected indices of the rejected events
 * @param unit minimum number of pixels of an object
 * @returns the groups, where those that belong together are one
 */
export function gatherPieces(
  spec: StackSpec,
  events: PixelEvents,
  claimed: readonly (readonly number[])[],
  rejected: readonly number[],
  unit: number,
): (readonly number[])[] {
  if (unit <= PARAMETERS.minObjectPixels) return [...claimed];
  const pieces = claimed.map((group): Piece => ({
    events: group,
    pixels: new Set(group.map((i) => eventAt(events, i).pixel)),
  }));
  const large = pieces.filter(({ pixels }) => pixels.size >= unit);
  const small = pieces.filter(({ pixels }) => pixels.size < unit);
  const known = rejected.map((i) => [i, eventAt(events, i)] as const);
  const byPixel = Map.groupBy(known, ([, { pixel }]) => pixel);
  const taken = new Set<number>();
  const gathered = gatherNear(spec, events, small).map((group) => {
    if (new Set(group.map((i) => eventAt(events, i).pixel)).size >= unit) return group;
    const whole = completed(spec, events, group, byPixel, taken, unit);
    for (const i of whole) taken.add(i);
    return whole;
  });
  return [...large.map((piece) => piece.events), ...gathered];
}

/** Joins small pieces that are one pixel apart. Each is compared with the largest of its group and not with its neighbours. */
function gatherNear(spec: StackSpec, events: PixelEvents, small: readonly Piece[]): (readonly number[])[] {
  const onsets = small.map(
    (piece) => spec.timesMs[sceneOf(events, piece.events, 'firstAnomaly', PARAMETERS.onsetShare)]!,
  );
  const directions = small.map((piece) => eventAt(events, piece.events[0]!).direction);
  const byPixel = new Map<number, number[]>();
  for (const [s, { pixels }] of small.entries())
    if (pixels.size >= PARAMETERS.minPiecePixels)
      for (const pixel of pixels) byPixel.set(pixel, [...(byPixel.get(pixel) ?? []), s]);
  const taken = new Set<number>();
  const groups: (readonly number[])[] = [];
  const bySize = [...small.keys()].toSorted((a, b) => small[b]!.pixels.size - small[a]!.pixels.size || a - b);
  for (const start of bySize) {
    if (taken.has(start)) continue;
    taken.add(start);
    const group = [start];
    for (const s of group) {
      if (small[s]!.pixels.size < PARAMETERS.minPiecePixels) continue;
      for (const pixel of small[s]!.pixels)
        for (const near of neighbours(pixel, spec, GAP))
          for (const other of byPixel.get(near) ?? []) {
            if (taken.has(other) || directions[other] !== directions[start]) continue;
            if (Math.abs(onsets[other]! - onsets[start]!) > PARAMETERS.joinWithinMs) continue;
            taken.add(other);
            group.push(other);
          }
    }
    groups.push(group.flatMap((s) => small[s]!.events).toSorted((a, b) => a - b));
  }
  return groups;
}

/** Adds rejected departures that touch a group to it, if it is large enough with them. */
function completed(
  spec: StackSpec,
  events: PixelEvents,
  group: readonly number[],
  rejected: ReadonlyMap<number, readonly (readonly [index: number, event: PixelEvent])[]>,
  taken: ReadonlySet<number>,
  unit: number,
): readonly number[] {
  const members = group.map((i) => eventAt(events, i));
  const confirmed = new Set(members.filter((event) => event.confirmed >= 0).map(({ pixel }) => pixel));
  if (confirmed.size < PARAMETERS.minObjectPixels) return group;
  const pixels = new Set(members.map(({ pixel }) => pixel));
  const [{ direction }] = members as [PixelEvent];
  const onsetMs = spec.timesMs[sceneOf(events, group, 'firstAnomaly', PARAMETERS.onsetShare)]!;
  const added: number[] = [];
  for (const pixel of new Set([...pixels].flatMap((own) => neighbours(own, spec)))) {
    if (pixels.has(pixel)) continue;
    const its = (rejected.get(pixel) ?? []).find(
      ([i, event]) =>
        event.direction === direction &&
        !taken.has(i) &&
        Math.abs(spec.timesMs[event.firstAnomaly]! - onsetMs) <= PARAMETERS.joinWithinMs,
    );
    if (its !== undefined) added.push(its[0]);
  }
  return pixels.size + added.length < unit ? group : [...group, ...added].toSorted((a, b) => a - b);
}
