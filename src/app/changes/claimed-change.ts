import type { FoundChange } from './search/found-change.ts';
import { PARAMETERS } from '../../change/parameters.ts';
import type { CubeScene } from '../series/cube-store.ts';
import type { Collection } from '../series/collection-store.ts';

/** A change with the collection and scenes in which it was found. */
export interface ClaimedChange extends FoundChange {
  /** Collection of the main metric: the metric whose falls and rises define the change. */
  readonly collection: Collection;
  /** All metrics searched together, the main metric first. The evidence refers to a metric by its index here. */
  readonly metrics: readonly string[];
  /** Time at which the seed pixel of the change was flagged [ms since the Unix epoch]. */
  readonly flaggedMs: number;
  readonly scenes: readonly {
    readonly collection: Collection;
    readonly scene: CubeScene;
    readonly role: 'baseline' | 'monitoring';
  }[];
}

/** Minimum share of the smaller change's pixels that two changes must have in common to cover the same ground [1]. */
export const SAME_GROUND = 0.5;

/**
 * Removes changes that another sensor found first. If changes of two collections cover the same ground, and their
 * first anomalies are at most `joinWithinMs` apart, only the change that was confirmed first stays. Later scenes
 * therefore never withdraw a published change. Rejected changes and ground motion are never duplicates.
 */
export function withoutDuplicates(changes: readonly ClaimedChange[]): readonly ClaimedChange[] {
  const standing = changes
    .filter(({ status, type }) => status !== 'rejected' && !isMotion(type))
    .toSorted((a, b) => rankOf(a) - rankOf(b) || a.flaggedMs - b.flaggedMs);
  const repeats = new Set<ClaimedChange>();
  standing.forEach((later, i) => {
    const isRepeat = standing
      .slice(0, i)
      .some(
        (first) => !repeats.has(first) && first.collection !== later.collection && isSameEvent(first, later),
      );
    if (isRepeat) repeats.add(later);
  });
  return changes.filter((change) => !repeats.has(change));
}

/** Whether a type of change is a motion of the ground, which no other type can duplicate. */
export function isMotion(type: string): boolean {
  return type === 'ground_subsidence' || type === 'ground_uplift';
}

function rankOf({ confirmedMs }: ClaimedChange): number {
  return confirmedMs ?? Number.MAX_VALUE;
}

function isSameEvent(a: ClaimedChange, b: ClaimedChange): boolean {
  if (Math.abs(a.firstAnomalyMs - b.firstAnomalyMs) > PARAMETERS.joinWithinMs) return false;
  const shared = sharedPixels(a.pixels, b.pixels);
  return shared >= SAME_GROUND * Math.min(a.pixels.length, b.pixels.length);
}

/** Number of pixels that are in both lists. The lists must be ascending. */
function sharedPixels(a: Uint32Array, b: Uint32Array): number {
  if (a.at(-1)! < b[0]! || b.at(-1)! < a[0]!) return 0;
  let shared = 0;
  for (let i = 0, j = 0; i < a.length && j < b.length;) {
    const difference = a[i]! - b[j]!;
    if (difference === 0) shared++;
    if (difference <= 0) i++;
    if (difference >= 0) j++;
  }
  return shared;
}
