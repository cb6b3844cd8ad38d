import { PARAMETERS } from '../parameters.ts';
import { directionAt, fieldAt, type PixelEvents, statusAt } from '../pixel/pixel-events.ts';
import type { StackSpec } from '../stack.ts';
import { eventsOf, neighbours, pixelCount, sceneOf } from './event-components.ts';

/** Rows or columns between two pixels with one pixel between them. */
const GAP = 2;

/**
 * Makes changes of pieces that are too small to be listed alone, because pixels between or beside them were not
 * confirmed. Pieces of at least `minPiecePixels` pixels that are one pixel apart, have the same direction and began
 * within `joinWithinMs` of the largest of them are one change, without the pixels between. A piece of at least
 * `minObjectPixels` confirmed pixels is completed by rejected departures that touch it, have its direction and began
 * within this time of it, if it is large enough with them: the ground departed there, but did not last. Where pixels are
 * so large that `minObjectPixels` of them are the smallest object, nothing is put together.
 * @param claimed groups of events of which some are confirmed, each with ascending indices
 * @param unit minimum number of pixels of an object
 * @returns the groups, where those that belong together are one
 */
export function gatherPieces(
  spec: StackSpec,
  events: PixelEvents,
  claimed: readonly (readonly number[])[],
  unit: number,
): (readonly number[])[] {
  if (unit <= PARAMETERS.minObjectPixels) return [...claimed];
  const isLarge = (group: readonly number[]): boolean => pixelCount(events, group) >= unit;
  const small = claimed.filter((group) => !isLarge(group));
  const taken = new Set<number>();
  const gathered = gatherNear(spec, events, small).map((group) => {
    if (isLarge(group)) return group;
    const whole = completed(spec, events, group, taken, unit);
    for (const i of whole) taken.add(i);
    return whole;
  });
  return [...claimed.filter(isLarge), ...gathered];
}

/** Joins small pieces that are one pixel apart. Each is compared with the largest of its group and not with its neighbours. */
function gatherNear(
  spec: StackSpec,
  events: PixelEvents,
  small: readonly (readonly number[])[],
): (readonly number[])[] {
  const onsets = small.map((piece) => onsetOf(spec, events, piece));
  const directions = small.map((piece) => directionAt(events, piece[0]!));
  const sizes = small.map((piece) => pixelCount(events, piece));
  const pieceOf = new Map<number, number>();
  for (const [s, piece] of small.entries())
    if (sizes[s]! >= PARAMETERS.minPiecePixels) for (const i of piece) pieceOf.set(i, s);
  const taken = new Set<number>();
  const groups: (readonly number[])[] = [];
  const bySize = [...small.keys()].toSorted((a, b) => sizes[b]! - sizes[a]! || a - b);
  for (const start of bySize) {
    if (taken.has(start)) continue;
    taken.add(start);
    const group = [start];
    for (const s of group) {
      if (sizes[s]! < PARAMETERS.minPiecePixels) continue;
      for (const i of small[s]!)
        for (const near of neighbours(fieldAt(events, i, 'pixel'), spec, GAP))
          for (const j of eventsOf(events, near)) {
            const other = pieceOf.get(j);
            if (other === undefined || taken.has(other) || directions[other] !== directions[start]) continue;
            if (Math.abs(onsets[other]! - onsets[start]!) > PARAMETERS.joinWithinMs) continue;
            taken.add(other);
            group.push(other);
          }
    }
    groups.push(group.flatMap((s) => small[s]!).toSorted((a, b) => a - b));
  }
  return groups;
}

function onsetOf(spec: StackSpec, events: PixelEvents, members: readonly number[]): number {
  return spec.timesMs[sceneOf(events, members, 'firstAnomaly', PARAMETERS.onsetShare)]!;
}

/** Adds rejected departures that touch a group to it, if it is large enough with them. */
function completed(
  spec: StackSpec,
  events: PixelEvents,
  group: readonly number[],
  taken: ReadonlySet<number>,
  unit: number,
): readonly number[] {
  const confirmed = group.filter((i) => fieldAt(events, i, 'confirmed') >= 0);
  if (pixelCount(events, confirmed) < PARAMETERS.minObjectPixels) return group;
  const pixels = new Set(group.map((i) => fieldAt(events, i, 'pixel')));
  const direction = directionAt(events, group[0]!);
  const onsetMs = onsetOf(spec, events, group);
  const isPart = (i: number): boolean =>
    statusAt(events, i) === 'rejected' &&
    directionAt(events, i) === direction &&
    !taken.has(i) &&
    Math.abs(spec.timesMs[fieldAt(events, i, 'firstAnomaly')]! - onsetMs) <= PARAMETERS.joinWithinMs;
  const added: number[] = [];
  for (const pixel of new Set([...pixels].flatMap((own) => neighbours(own, spec)))) {
    if (pixels.has(pixel)) continue;
    const its = [...eventsOf(events, pixel)].find(isPart);
    if (its !== undefined) added.push(its);
  }
  return pixels.size + added.length < unit ? group : [...group, ...added].toSorted((a, b) => a - b);
}
