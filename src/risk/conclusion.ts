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
 * `node bench/calibration.ts --write PERIL` fits the distribution of its true scores and the information of its kind of
 * evidence.
 */
import type { Assessment, LayerReading, Peril, ScoreRange } from './assessment.ts';
import { distributionOf } from './calibration.ts';
import { confidenceOfRatios } from './confidence.ts';
import type { Evidence, EvidenceLadder } from './evidence.ts';
import { percentile } from '../numerics/percentile.ts';
import { type ScoreDistribution, ScoreOutlook } from './score-distribution.ts';
import { riskScore } from './score.ts';

/** Probability of each tail outside the 90 % range [1]. */
const ONE_TAIL = 0.05;

/** One way in which a model computes an answer, with the distribution of the true scores of these answers. */
export interface Basis {
  /** Name of its calibration check, such as `map, flooded`. */
  readonly name: string;
  /** Undefined until it is fitted: then confidence and range are those of the draws. */
  readonly distribution: ScoreDistribution | undefined;
  /** Upper limit of the confidence of these answers [1]. */
  readonly highest: number;
}

export function basisOf(peril: Peril, name: string, highest = 1): Basis {
  return { name, distribution: distributionOf(peril, name), highest };
}

/**
 * Returns the short answer.
 * @param expectedAnnualDamageRatio [1/yr]
 * @param draws equally likely draws of the expected annual damage ratio [1/yr]
 */
export function conclude(
  { distribution, highest }: Basis,
  expectedAnnualDamageRatio: number,
  draws: Float64Array,
): Assessment {
  const score = riskScore(expectedAnnualDamageRatio);
  const raw = confidenceOfRatios(score, draws);
  const confidence =
    distribution === undefined ? raw : new ScoreOutlook(distribution, score, raw, highest).confidence;
  return { riskScore: score, confidence: Math.min(highest, confidence), expectedAnnualDamageRatio };
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
  const { distribution, highest } = basis;
  const score = answer.riskScore;
  const range =
    distribution === undefined
      ? drawnRange(score, draws)
      : new ScoreOutlook(distribution, score, confidenceOfRatios(score, draws), highest).range();
  return { ...answer, range, evidence: ladder.at(readings, basis.name) };
}

/** The 5th and the 95th percentile of the draws, extended to the score. */
function drawnRange(score: number, draws: Float64Array): ScoreRange {
  const sorted = draws.slice(); // percentiles sort in place, and the draws may be a constant of the model
  return {
    low: Math.min(score, riskScore(percentile(sorted, ONE_TAIL))),
    high: Math.max(score, riskScore(percentile(sorted, 1 - ONE_TAIL))),
  };
}
