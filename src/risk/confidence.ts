import { damageRatioOf } from './score.ts';

/**
 * Half-width of the band around a score [score]: confidence is the probability that the true score lies within this
 * band (part of the API contract).
 */
export const CONFIDENCE_BAND = 0.1;

/** Tolerance [score] for rounding: a draw exactly on the edge of the band must count as inside. */
export const EDGE = 1e-9;

/**
 * Confidence of a score: the share of equally likely draws of the true score that lie within 0.1 of the score.
 * It is wrong where the spread of the draws is wrong. Therefore it only selects the scale of the calibrated
 * distribution (score-distribution.ts).
 * @throws RangeError when there is no draw
 */
export function confidenceOf(score: number, draws: Float64Array): number {
  if (draws.length === 0) throw new RangeError('no draws');
  let within = 0;
  for (let k = 0; k < draws.length; k++) if (Math.abs(draws[k]! - score) <= CONFIDENCE_BAND + EDGE) within++;
  return within / draws.length;
}

/**
 * Confidence of a score from draws of the expected annual damage ratio [1/yr]. Scores increase with the ratio.
 * Therefore, the two ends of the band are converted to ratios, which is faster than converting every draw to a
 * score.
 * @throws RangeError when there is no draw
 */
export function confidenceOfRatios(score: number, ratios: Float64Array): number {
  if (ratios.length === 0) throw new RangeError('no draws');
  const low = damageRatioOf(score - CONFIDENCE_BAND - EDGE, 0);
  const high = damageRatioOf(score + CONFIDENCE_BAND + EDGE, Infinity);
  let within = 0;
  for (let k = 0; k < ratios.length; k++) within += ratios[k]! >= low && ratios[k]! <= high ? 1 : 0;
  return within / ratios.length;
}
