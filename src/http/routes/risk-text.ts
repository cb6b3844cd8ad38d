import type { Static } from 'typebox';
import type { AssessedPlace, AssessedPlaces } from '../../app/risk/assess-risk.ts';
import type { RiskExplanation } from '../../contract/risk.ts';

type Explanation = NonNullable<AssessedPlace['explanation']>;

/** Writes the body of `GET /v1/risk` according to its schema in the contract. @throws RangeError on NaN or infinity */
export function riskText({ assessment, modelVersion, explanation }: AssessedPlace): string {
  const { riskScore, confidence } = assessment;
  return `${scoreText(riskScore, confidence)},"model_version":"${modelVersion}"${explanation === null ? '' : explainText(explanation)}}`;
}

/** Writes the body of `POST /v1/risk/batch`. @param parts texts of {@link placesText}, in the order of the places */
export function resultsText(parts: readonly string[]): string {
  return `{"results":[${parts.join(',')}]}`;
}

/** Writes the results of places, separated by commas. @throws RangeError on NaN or infinity */
export function placesText({ riskScores, confidences, explanations }: AssessedPlaces): string {
  let text = '';
  for (let i = 0; i < riskScores.length; i++) {
    text += `${i === 0 ? '' : ','}${scoreText(riskScores[i]!, confidences[i]!)}`;
    text += explanations === null ? '}' : `${explainText(explanations[i]!)}}`;
  }
  return text;
}

function scoreText(riskScore: number, confidence: number): string {
  // JSON has neither NaN nor infinity.
  if (!Number.isFinite(riskScore + confidence)) throw new RangeError(`score ${riskScore}, ${confidence}`);
  return `{"risk_score":${riskScore},"confidence":${confidence}`;
}

function explainText(explanation: Explanation): string {
  return `,"explain":${JSON.stringify(explain(explanation), refuseNonFinite)}`;
}

function refuseNonFinite(name: string, value: unknown): unknown {
  if (typeof value === 'number' && !Number.isFinite(value)) throw new RangeError(`${name} is ${value}`);
  return value;
}

/** Returns the `explain` part of an answer according to its schema in the contract. */
export function explain(explanation: Explanation): Static<typeof RiskExplanation> {
  return {
    expected_annual_damage_ratio: explanation.expectedAnnualDamageRatio,
    score_range: explanation.range,
    evidence: explanation.evidence,
    intensity: explanation.intensity,
    hazard_curve: explanation.hazardCurve.map((point) => ({
      return_period_years: point.returnPeriodYears,
      intensity: point.intensity,
      low: point.low,
      high: point.high,
      damage_ratio: point.damageRatio,
    })),
    layers: explanation.layers.map(({ meta, value }) => ({
      layer: meta.layer,
      version: meta.version,
      return_period_years: meta.returnPeriodYears,
      resolution_m: meta.resolutionM,
      date: meta.date,
      licence: meta.licence,
      source: meta.source,
      unit: meta.unit,
      value,
    })),
    reasons: explanation.reasons.map(({ code, message }) => ({ code, message })),
    // A simulated layer counts only if it has a value at this place. Otherwise it did not affect the answer.
    simulated: explanation.layers.some(({ meta, value }) => meta.simulated === true && value !== null),
  };
}
