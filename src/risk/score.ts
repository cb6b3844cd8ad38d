/**
 * Points of the score function: expected annual damage ratios [1/yr] and their scores, as published in
 * docs/methods (contract).
 */
const RATIOS = [0.0001, 0.002, 0.01, 0.05] as const;
const SCORES = [0.2, 0.4, 0.6, 0.8] as const;
const LOG_RATIOS = RATIOS.map(Math.log);

/**
 * Score in [0, 1] of an expected annual damage ratio [1/yr]: linear in the logarithm of the ratio between the
 * published points, extrapolated beyond them with the slope of the nearest two points, and clamped to [0, 1]. A
 * ratio of 0 has score 0.
 * @throws RangeError on a negative ratio or NaN
 */
export function riskScore(expectedAnnualDamageRatio: number): number {
  if (!(expectedAnnualDamageRatio >= 0)) throw new RangeError(`damage ratio ${expectedAnnualDamageRatio}`);
  if (expectedAnnualDamageRatio === 0) return 0;
  const x = Math.log(expectedAnnualDamageRatio);
  const k = x < LOG_RATIOS[1]! ? 0 : x < LOG_RATIOS[2]! ? 1 : 2;
  const slope = (SCORES[k + 1]! - SCORES[k]) / (LOG_RATIOS[k + 1]! - LOG_RATIOS[k]!);
  return Math.min(1, Math.max(0, SCORES[k] + slope * (x - LOG_RATIOS[k]!)));
}

/**
 * Expected annual damage ratio [1/yr] of a score within (0, 1): the inverse of `riskScore`.
 * @param beyond value returned for any score outside (0, 1)
 */
export function damageRatioOf(score: number, beyond: number): number {
  if (!(score > 0 && score < 1)) return beyond;
  const k = score < SCORES[1] ? 0 : score < SCORES[2] ? 1 : 2;
  const slope = (LOG_RATIOS[k + 1]! - LOG_RATIOS[k]!) / (SCORES[k + 1]! - SCORES[k]);
  return Math.exp(LOG_RATIOS[k]! + slope * (score - SCORES[k]));
}
