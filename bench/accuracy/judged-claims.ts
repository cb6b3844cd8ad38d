import type { ClaimFeatures } from '../../src/change/object/claim-model.ts';
import { claimFeatures, mostConfidence } from '../../src/change/object/confidence.ts';
import { JULIAN_YEAR_MS } from '../../src/base/time.ts';
import { followBy, TOGETHER, type PixelTruth } from './detections/detection.ts';
import type { SampleStack } from './engine.ts';

/** Parts of a record after which its claims are judged, as a user hears them. */
export const CUTS = [0.5, 0.75, 1];
const LONG_YEARS = 2; // a shorter record is judged at its end only

/** A stack with known truth. */
export interface LabelledStack {
  /** Kind of ground. */
  readonly ground: string;
  /** Source of the series: stacks of one source share pixels, a region or a sensor. */
  readonly source: string;
  readonly stack: SampleStack;
  readonly truths: readonly PixelTruth[];
}

/** One claim of a change of greenness as the monitor states it at some time, and whether it is true. */
export interface JudgedClaim {
  readonly ground: string;
  readonly source: string;
  /** Name of the object, which may be stated at several times. */
  readonly object: string;
  readonly features: ClaimFeatures;
  /** Maximum confidence of such a claim, whatever its features. */
  readonly most: number;
  readonly confidence: number;
  readonly isTrue: boolean;
}

/** Returns the beginning of a stack, up to a part of its duration. */
export function beginning(stack: SampleStack, part: number): SampleStack {
  const { timesMs, metrics } = stack;
  const times = timesMs.length;
  const [first, last] = [timesMs[0]!, timesMs.at(-1)!];
  const until = timesMs.findLastIndex((ms) => ms <= first + part * (last - first)) + 1;
  const pixels = stack.width * stack.height;
  const cut = Object.entries(metrics).map(([metric, values]) => {
    const kept = new Float64Array(pixels * until);
    for (let p = 0; p < pixels; p++) kept.set(values.subarray(p * times, p * times + until), p * until);
    return [metric, kept];
  });
  return { ...stack, timesMs: timesMs.slice(0, until), metrics: Object.fromEntries(cut) };
}

/**
 * Claims that stand, confirmed or suspected, after parts of the record. A claim is true if at least half of its pixels
 * with known truth changed and its first anomaly lies within the accepted dates of the change.
 * @param number number of the stack, which makes the names of its objects unique
 */
export function judgedClaims(
  { ground, source, stack, truths }: LabelledStack,
  number: number,
): JudgedClaim[] {
  const years = (stack.timesMs.at(-1)! - stack.timesMs[0]!) / JULIAN_YEAR_MS;
  return (years < LONG_YEARS ? [1] : CUTS).flatMap((part) =>
    followBy(beginning(stack, part), TOGETHER).objects.flatMap((object) => {
      if (object.status !== 'suspected' && object.status !== 'confirmed') return [];
      const known = [...object.pixels].map((p) => truths[p]!).filter((truth) => truth !== 'unknown');
      if (known.length === 0) return [];
      const right = known.filter(
        (truth) =>
          truth !== 'stable' && object.firstAnomalyMs >= truth.fromMs && object.firstAnomalyMs <= truth.toMs,
      );
      return {
        ground,
        source,
        object: `${number}/${object.seed.pixel}/${object.seedAnomalyMs}`,
        features: claimFeatures(object),
        most: mostConfidence('greenness', object),
        confidence: object.confidence,
        isTrue: 2 * right.length >= known.length,
      };
    }),
  );
}
