import type { WatchScore } from './watch-store.ts';
import { REARM_BELOW } from '../../contract/limits.ts';

const ROUNDING = 1e-9; // tolerance for rounding errors: 0.7 - 0.05 is not exactly 0.65 in binary

/**
 * Computes the effect of a new score on a watch. A score that reaches the threshold crosses it. The watch can
 * cross it again only after a score at least 0.05 below the threshold (a score of 0 if the threshold is below 0.05)
 * has rearmed the watch. A score of confidence 0 is only a prior, so it neither crosses the threshold nor rearms the
 * watch.
 */
export function crossing(
  { threshold, isAbove }: { readonly threshold: number; readonly isAbove: boolean },
  { riskScore, confidence }: Pick<WatchScore, 'riskScore' | 'confidence'>,
): { readonly isAbove: boolean; readonly hasCrossed: boolean } {
  if (confidence === 0) return { isAbove, hasCrossed: false };
  if (!isAbove) {
    const hasCrossed = riskScore >= threshold;
    return { isAbove: hasCrossed, hasCrossed };
  }
  const armed = riskScore <= Math.max(0, threshold - REARM_BELOW) + ROUNDING;
  return { isAbove: !armed, hasCrossed: false };
}
