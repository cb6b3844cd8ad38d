import type { Assessment, Explanation, LayerMeta, LayerReading, Reason, UsedLayer } from './assessment.ts';
import { riskScore } from './score.ts';

/** The answer where nothing is known about the place: the peril's prior damage ratio [1/yr], with confidence 0. */
export function priorAssessment(expectedAnnualDamageRatio: number): Assessment {
  return { riskScore: riskScore(expectedAnnualDamageRatio), confidence: 0, expectedAnnualDamageRatio };
}

/** Explanation of a prior answer: no hazard curve, only the reasons. */
export function explainPrior(
  prior: Assessment,
  intensity: string,
  layers: readonly UsedLayer[],
  reasons: readonly Reason[],
): Explanation {
  return { ...prior, intensity, hazardCurve: [], layers, reasons };
}

/** Pairs each card with its value at the point; null where it has none. */
export function usedLayers(cards: readonly LayerMeta[], readings: readonly LayerReading[]): UsedLayer[] {
  return cards.map((meta, i) => {
    const reading = readings[i];
    return { meta, value: reading?.ok === true && Number.isFinite(reading.value) ? reading.value : null };
  });
}
