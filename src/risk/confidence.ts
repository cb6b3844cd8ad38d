import { damageRatioOf } from './score.ts';

/** Half-width of the band around the given score that confidence speaks about (contract). */
export const CONFIDENCE_BAND = 0.1;

/** Slack [score] that keeps a draw on the band's edge inside it, whatever way its last bit was rounded. */
const EDGE = 1e-9;

/**
 * Confidence of a score: the share of equally likely draws of the true score that lie within 0.1 of the given one.
 * As good as the spread that the model states: the models correct it by what was checked (calibration.ts).
 * @throws RangeError when there is no draw
 */
export function confidenceOf(score: number, draws: Float64Array): number {
  if (draws.length === 0) throw new RangeError('no draws');
  let within = 0;
  for (let k = 0; k < draws.length; k++) if (Math.abs(draws[k]! - score) <= CONFIDENCE_BAND + EDGE) within++;
  return within / draws.length;
}

/**
 * The same of draws that are expected annual damage ratios [1/yr]: the map to scores never falls, so the two scores that
 * bound the band are mapped back instead of every draw forth.
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
