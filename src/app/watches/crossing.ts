import type { WatchScore } from './watch-store.ts';

/** How far below its threshold a score must fall before it can cross again: contract.md "Watches". */
export const REARM_BELOW = 0.05;
const ROUNDING = 1e-9; // 0.7 - 0.05 is not 0.65 in binary

/**
 * What a new score does to a watch. A score at the threshold is above it. A score of confidence 0 is a prior, not
 * knowledge of the place: it neither crosses nor arms again. Below a threshold of 0.05, arming again takes a score of 0.
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
