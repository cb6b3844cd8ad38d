import type { Assessment, Explanation, LayerMeta, LayerReading, Reason, UsedLayer } from './assessment.ts';
import { riskScore } from './score.ts';

/** The answer where nothing is known of the place: the peril's prior damage [1/yr], confidence 0. */
export function priorAssessment(expectedAnnualDamageRatio: number): Assessment {
  return { riskScore: riskScore(expectedAnnualDamageRatio), confidence: 0, expectedAnnualDamageRatio };
}

/** The prior, explained: no hazard curve, and the reasons why. */
export function explainPrior(
  prior: Assessment,
  intensity: string,
  layers: readonly UsedLayer[],
  reasons: readonly Reason[],
): Explanation {
  return { ...prior, intensity, hazardCurve: [], layers, reasons };
}

/** Pairs each card with what it said. */
export function usedLayers(cards: readonly LayerMeta[], readings: readonly LayerReading[]): UsedLayer[] {
  return cards.map((meta, i) => {
    const reading = readings[i];
    return { meta, value: reading?.ok === true && Number.isFinite(reading.value) ? reading.value : null };
  });
}
