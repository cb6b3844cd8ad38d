import { PARAMETERS } from '../parameters.ts';
import { mostConfidence } from './confidence.ts';
import { experienceOf, movedBy, type Experience } from './experience.ts';
import type { ChangeType, MetricTraits } from '../metric.ts';
import type { PixelEvent } from '../pixel/pixel-events.ts';

/** Age at which the fate of a claim counts as known [ms]: nearly all that recover do so within this time. */
const SETTLED_MS = PARAMETERS.recoveryWindowMs;

/** A change with the confidence of the model, and what moved it. */
export interface StatedConfidence {
  /** Probability that the change is real and lasting: that of the model, moved by the experience if there is one. */
  readonly confidence: number;
  /** The same by the model alone, calibrated on cases with known truth; see `modelConfidence`. */
  readonly modelConfidence: number;
  /** If the change was confirmed: when, and about how confident the model alone was then, in (0, 1). */
  readonly claim: { readonly confirmedMs: number; readonly confidence: number } | null;
  /**
   * What came of older claims of the same kind, and the share of its shift by which the confidence was moved, in (0,
   * 1]. Null if nothing moved it; see `withExperience`.
   */
  readonly experience: (Experience & { readonly weight: number }) | null;
}

/** What decides which experience a change has. */
interface Stated extends StatedConfidence {
  readonly type: ChangeType;
  readonly seed: Pick<PixelEvent, 'direction' | 'harmonic' | 'lastedMs'>;
  readonly confirmedMs: number | null;
  readonly recoveredMs: number | null;
}

/** A change that was confirmed. */
type Claim = Stated & { readonly claim: NonNullable<Stated['claim']> };

/**
 * Moves the confidence of claims by what came of older claims of the same kind in the same stack. A claim is a change
 * that was confirmed, and its kind is its type and its kind of baseline.
 *
 * The experience of a claim is what was known on its last day: the last scene, or the day on which it recovered. It
 * consists of the claims that were confirmed a year or more before that day; the others are left out even if they have
 * passed, because a change can pass at once but stands only after a year. The shift decreases linearly to 0 over the
 * year after the confirmation, when the fate of the claim itself is known. So no claim is moved by its own fate, and
 * later scenes do not move what has recovered.
 *
 * Alerts are not moved: their confidence does not state that the loss lasts.
 */
export function withExperience<T extends Stated>(
  lastMs: number,
  { phenomenon }: MetricTraits,
  objects: readonly T[],
): T[] {
  if (phenomenon === 'alert') return [...objects];
  const kinds = Map.groupBy(objects.filter(isClaim), kindOf);
  const known = new Map<string, Experience>();
  return objects.map((object) => {
    if (!isClaim(object)) return object;
    const untilMs = object.recoveredMs ?? lastMs;
    const weight = Math.min(1, 1 - (untilMs - object.claim.confirmedMs) / SETTLED_MS);
    if (weight <= 0) return object;
    const kind = kindOf(object);
    const name = `${kind} ${untilMs}`;
    const experience = known.get(name) ?? experienceAt(untilMs, kinds.get(kind)!);
    known.set(name, experience);
    if (experience.claims === 0) return object;
    const moved = movedBy(object.modelConfidence, weight * experience.shift);
    const confidence = Math.min(mostConfidence(phenomenon, object), moved);
    return { ...object, confidence, experience: { ...experience, weight } };
  });
}

function isClaim<T extends Stated>(object: T): object is T & Claim {
  return object.claim !== null;
}

/**
 * Type and kind of baseline of a claim. A conversion counts as the loss or gain of vegetation that it was when it was
 * confirmed: it is called a conversion only after it has lasted, so all conversions stand.
 */
function kindOf({ type, seed }: Claim): string {
  const first = type === 'conversion' ? (seed.direction < 0 ? 'vegetation_loss' : 'vegetation_gain') : type;
  return `${first} ${seed.harmonic ? 'harmonic' : 'neighbourhood'}`;
}

/** What was known at a time of the claims that were a year old or more. */
function experienceAt(ms: number, claims: readonly Claim[]): Experience {
  const settled = claims.filter(({ claim }) => claim.confirmedMs + SETTLED_MS <= ms);
  const stood = settled.filter(({ recoveredMs }) => recoveredMs === null || recoveredMs > ms);
  const stated = settled.reduce((sum, { claim }) => sum + claim.confidence, 0) / settled.length;
  return experienceOf(settled.length, stood.length, stated);
}
