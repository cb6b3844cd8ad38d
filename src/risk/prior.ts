import type { Assessment, Explanation, LayerMeta, LayerReading, Reason, UsedLayer } from './assessment.ts';
import { NO_EVIDENCE } from './evidence.ts';
import { riskScore } from './score.ts';

/**
 * Returns the answer for a place about which nothing is known: the prior damage ratio of the peril [1/yr], with
 * confidence 0.
 */
export function priorAssessment(expectedAnnualDamageRatio: number): Assessment {
  return { riskScore: riskScore(expectedAnnualDamageRatio), confidence: 0, expectedAnnualDamageRatio };
}

/** Returns the explanation of a prior answer, which has reasons but no evidence, range or hazard curve. */
export function explainPrior(
  prior: Assessment,
  intensity: string,
  layers: readonly UsedLayer[],
  reasons: readonly Reason[],
): Explanation {
  return {
    ...prior,
    range: { low: 0, high: 1 },
    evidence: NO_EVIDENCE,
    intensity,
    hazardCurve: [],
    layers,
    reasons,
  };
}

/** Pairs each card with its value at the point; null if it has no value there. */
export function usedLayers(cards: readonly LayerMeta[], readings: readonly LayerReading[]): UsedLayer[] {
  return cards.map((meta, i) => {
    const reading = readings[i];
    return { meta, value: reading?.ok === true && Number.isFinite(reading.value) ? reading.value : null };
  });
}
