/**
 * From draws to an answer: the part that all perils share. A model
 *
 * 1. declares its kinds of evidence in ascending order (`RiskModel.evidence`), and one `Basis` for each way in which
 *    it computes an answer: `const OF_MAP = basisOf('flood', 'map');`
 * 2. computes at a point the expected annual damage ratio and equally likely draws of it, in which every doubt is
 *    drawn: hazard, vulnerability, which calibration holds, whether the ground moves, whether a defence stands;
 * 3. answers `conclude(OF_MAP, ratio, draws)`, and in `explain`
 *    `{ ...concludeInFull(OF_MAP, ratio, draws, ladder, readings), intensity, hazardCurve, layers, reasons }` with
 *    `ladder = new EvidenceLadder(peril, kinds, cards)`, made in `prepare`;
 * 4. where no kind of evidence is present, answers `priorAssessment` and `explainPrior`, with confidence 0.
 *
 * A new basis needs a view in the simulated world of its peril (bench/calibration/worlds), from which
 * `node bench/calibration.ts --write PERIL` fits the correction of its confidence, the margin of its range and the
 * information of its kind of evidence.
 */
import type { Assessment, LayerReading, Peril, ScoreRange } from './assessment.ts';
import { calibrationsOf, confidenceCorrection } from './calibration.ts';
import { confidenceOfRatios } from './confidence.ts';
import type { Evidence, EvidenceLadder } from './evidence.ts';
import { percentile } from '../numerics/percentile.ts';
import { riskScore } from './score.ts';

/** Probability of each tail outside the 90 % range [1]. */
const ONE_TAIL = 0.05;

/** One way in which a model computes an answer, with the calibration of these answers. */
export interface Basis {
  /** Name of its calibration check, such as `map, flooded`. */
  readonly name: string;
  /** Corrects a raw confidence. */
  readonly correct: (raw: number) => number;
  /** Amount that widens the range of the draws at both ends so that 90 % of such ranges hold the truth [score]. */
  readonly margin: number;
}

/** @param highest upper limit of the confidence of these answers */
export function basisOf(peril: Peril, name: string, highest = 1): Basis {
  const correct = confidenceCorrection(peril, name);
  const margin = calibrationsOf(peril).find(({ basis }) => basis === name)?.margin ?? 0;
  return { name, correct: highest < 1 ? (raw) => Math.min(highest, correct(raw)) : correct, margin };
}

/**
 * Returns the short answer.
 * @param expectedAnnualDamageRatio [1/yr]
 * @param draws equally likely draws of the expected annual damage ratio [1/yr]
 */
export function conclude(
  { correct }: Basis,
  expectedAnnualDamageRatio: number,
  draws: Float64Array,
): Assessment {
  const score = riskScore(expectedAnnualDamageRatio);
  return {
    riskScore: score,
    confidence: correct(confidenceOfRatios(score, draws)),
    expectedAnnualDamageRatio,
  };
}

/** Returns the short answer, as `conclude` does, with the 90 % range of the score and what the answer rests on. */
export function concludeInFull(
  basis: Basis,
  expectedAnnualDamageRatio: number,
  draws: Float64Array,
  ladder: EvidenceLadder,
  readings: readonly LayerReading[],
): Assessment & { readonly range: ScoreRange; readonly evidence: Evidence } {
  const answer = conclude(basis, expectedAnnualDamageRatio, draws);
  return {
    ...answer,
    range: rangeOf(basis, answer.riskScore, draws),
    evidence: ladder.at(readings, basis.name),
  };
}

/**
 * 90 % range of a score: the 5th and the 95th percentile of the draws, widened or narrowed by the margin of the
 * basis. The range always holds the score.
 * @see arXiv:1905.03222 (Romano, Patterson & Candes 2019: conformalised quantiles)
 */
function rangeOf({ margin }: Basis, score: number, draws: Float64Array): ScoreRange {
  const sorted = draws.slice(); // percentiles sort in place, and the draws may be a constant of the model
  const low = Math.min(score, riskScore(percentile(sorted, ONE_TAIL)));
  const high = Math.max(score, riskScore(percentile(sorted, 1 - ONE_TAIL)));
  // A range that ends at 0 or 1 keeps this end: no score lies beyond it.
  return {
    low: low > 0 ? Math.max(0, Math.min(score, low - margin)) : 0,
    high: high < 1 ? Math.min(1, Math.max(score, high + margin)) : 1,
  };
}
