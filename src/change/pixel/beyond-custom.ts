import type { MetricTraits } from '../metric.ts';
import { PARAMETERS } from '../parameters.ts';
import type { HistoryRange } from './history-range.ts';
import type { JudgeBaseline } from './judge-baseline.ts';
import type { LikeComparison } from './like-comparison.ts';

/** An observation that was compared with what its baseline expects [metric unit]. */
interface Look {
  readonly traits: MetricTraits;
  readonly value: number;
  readonly residual: number;
  readonly scale: number;
}

/**
 * Whether the value of a scene is not custom: it is outside the range of the history (of the whole year for perennial
 * cover, else of the season), or below the lowest value of all seasons, or the ground is steady over three years, so
 * that custom would show in its scale.
 * @param until first scene of the observations that are withheld from the history, or `scene`
 * @param hasNeighbours whether other pixels were observed in the scene
 */
export function isBeyondCustom(
  judge: JudgeBaseline,
  { traits: { noiseFloor }, value, residual, scale }: Look,
  scene: number,
  until: number,
  hasNeighbours: boolean,
): boolean {
  const isSteady = scale <= PARAMETERS.steadyFloors * noiseFloor;
  const { isFitted, fit } = judge.seasonal;
  // Three years show how seasons differ.
  const isKnown = isFitted && fit.hasTrend;
  if (isKnown && hasNeighbours && isSteady) return true;
  const margin = PARAMETERS.beyondFloors * noiseFloor;
  const { isPerennial } = judge.range;
  // No custom is a state below all that two years have shown, like char, in a season that they have shown.
  const isFall = residual < 0;
  if (isFall && !isPerennial && judge.supported && value < judge.range.lowest(until) - margin) return true;
  const knowsCustom = !isFall || isKnown;
  const range = isPerennial ? judge.range.wholeYear : knowsCustom ? judge.range.inSeason(scene) : null;
  if (range === null) return false;
  const [low, high] = range;
  return isFall ? value < low - margin : value > high + margin;
}

/**
 * Whether the value of a scene is below what the growing season has shown by a noise floor, of ground that keeps its level
 * in that season but not in the whole year, and like pixels elsewhere have not fallen as low.
 * @param now scene at which it has to be known
 * @param since first scene of the observations that are withheld from the history, or `scene`
 */
export function isBelowGrowing(
  range: HistoryRange,
  { like, traits, value }: Pick<Look, 'traits' | 'value'> & { readonly like: LikeComparison | null },
  scene: number,
  now: number,
  since: number,
): boolean {
  if (like === null || range.isPerennial || !range.isGrowing(scene)) return false;
  const low = range.growingLow(scene, since) - PARAMETERS.beyondFloors * traits.noiseFloor;
  return value < low && !like.isCommonFall(since, now, value);
}
