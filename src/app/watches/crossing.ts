import type { WatchScore } from './watch-store.ts';
import { REARM_BELOW } from '../../contract/limits.ts';

const ROUNDING = 1e-9; // 0.7 - 0.05 is not 0.65 in binary

/**
 * Effect of a new score on a watch. A score equal to the threshold counts as above. A score of confidence 0 is only a
 * prior: it neither crosses nor rearms. With a threshold below 0.05, a watch rearms at a score of 0.
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
