import type { Change, ChangeExperience } from '../../src/client/index.ts';
import { percent, whole } from '../format.ts';

/** Selects what came of the claims that are like a change: same collection, type and kind of baseline. */
export function experienceOf(
  change: Pick<Change, 'type' | 'provenance'>,
  experience: readonly ChangeExperience[],
): ChangeExperience | undefined {
  const { collection, baseline } = change.provenance;
  return experience.find(
    (one) =>
      one.collection.id === collection.id &&
      one.type === change.type &&
      one.baseline === (baseline as { readonly kind?: string }).kind,
  );
}

/**
 * States in words what came of claims: `Of 40 such claims here 31 stood, 5 passed and 4 are too young to tell`, or `The
 * only such claim here stood`.
 */
export function experienceText({ claims, stood, passed, taken_back, young }: ChangeExperience): string {
  if (claims === 1) {
    const fate =
      stood > 0
        ? 'stood'
        : passed > 0
          ? 'passed'
          : taken_back > 0
            ? 'was taken back'
            : 'is too young to tell';
    return `The only such claim here ${fate}`;
  }
  const others = [
    passed > 0 && `${whole(passed)} passed`,
    taken_back > 0 && `${whole(taken_back)} ${taken_back === 1 ? 'was' : 'were'} taken back`,
    young > 0 && `${whole(young)} ${young === 1 ? 'is' : 'are'} too young to tell`,
  ].filter((part) => part !== false);
  const parts = [`${whole(stood)} stood`, ...others];
  const last = parts.pop()!;
  const list = parts.length === 0 ? last : `${parts.join(', ')} and ${last}`;
  return `Of ${whole(claims)} such claims here ${list}`;
}

/** States the confidence of a change in words, and what older claims made of it, if they moved it. */
export function confidenceText({
  confidence,
  provenance,
}: Pick<Change, 'confidence' | 'provenance'>): string {
  const text = `${percent(confidence)} that it is real and lasting`;
  const { experience } = provenance;
  if (experience === undefined) return text;
  const { model_confidence: alone, claims, stood } = experience;
  const older = `${whole(claims)} older claim${claims === 1 ? '' : 's'}`;
  return `${text} (${percent(alone)} by the model alone; ${whole(stood)} of ${older} stood)`;
}
