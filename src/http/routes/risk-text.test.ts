import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Ajv } from 'ajv';
import { assessRisk, assessRiskBatch } from '../../contract/risk.ts';
import { explain, placesText, resultsText, riskText } from './risk-text.ts';

const ajv = new Ajv({ strict: false, validateFormats: false });
const isRisk = ajv.compile(assessRisk.answers[0].body);
const isResults = ajv.compile(assessRiskBatch.answers[0].body);

const meta = {
  layer: 'elevation',
  version: 'v1',
  unit: 'm',
  returnPeriodYears: null,
  resolutionM: 90,
  date: '2021-06-30',
  licence: 'CC0 "as is"',
  source: 'Zürich\n',
};
const explanation = {
  riskScore: 0.1,
  confidence: 0.5,
  expectedAnnualDamageRatio: 1e-7,
  range: { low: 0.02, high: 0.3 },
  evidence: { class: 'terrain', bits: 0.4, basis: 'terrain' } as const,
  intensity: 'depth [m]',
  hazardCurve: [{ returnPeriodYears: 10, intensity: 1, low: 0.5, high: 2, damageRatio: 0.25 }],
  layers: [{ meta, value: null }],
  reasons: [{ code: 'coarse', message: 'cells of 9 km' } as const],
};
const explained = {
  expected_annual_damage_ratio: 1e-7,
  score_range: { low: 0.02, high: 0.3 },
  evidence: { class: 'terrain', bits: 0.4, basis: 'terrain' },
  intensity: 'depth [m]',
  hazard_curve: [{ return_period_years: 10, intensity: 1, low: 0.5, high: 2, damage_ratio: 0.25 }],
  layers: [
    {
      layer: 'elevation',
      version: 'v1',
      return_period_years: null,
      resolution_m: 90,
      date: '2021-06-30',
      licence: 'CC0 "as is"',
      source: 'Zürich\n',
      unit: 'm',
      value: null,
    },
  ],
  reasons: [{ code: 'coarse', message: 'cells of 9 km' }],
  simulated: false,
};

test('an answer is simulated when a simulated layer has a value at the place, not when it has none', () => {
  const isSimulated = (value: number | null): unknown => {
    const simulated = { meta: { ...meta, simulated: true as const }, value };
    return explain({ ...explanation, layers: [{ meta, value: 2 }, simulated] }).simulated;
  };
  assert.deepEqual([isSimulated(0), isSimulated(null)], [true, false]);
});

test('the text of an assessment is the JSON of its schema', () => {
  for (const [riskScore, confidence] of [
    [0, 1],
    [0.1 + 0.2, 5e-324],
    [1e-7, 0.6640625],
  ] as const) {
    const assessment = { riskScore, confidence, expectedAnnualDamageRatio: 0 };
    const place = { assessment, modelVersion: 'flood-v1.2.3', explanation: null };
    const body: unknown = JSON.parse(riskText(place));
    assert.deepEqual(body, { risk_score: riskScore, confidence, model_version: 'flood-v1.2.3' });
    assert.ok(isRisk(body));
    const long: unknown = JSON.parse(riskText({ ...place, explanation }));
    assert.deepEqual(long, { ...(body as object), explain: explained });
    assert.ok(isRisk(long));
  }
});

test('the text of a batch is the JSON of its schema, in order', () => {
  const riskScores = Float64Array.of(0.25, 1, 0);
  const confidences = Float64Array.of(0.5, 0, 1);
  const short: unknown = JSON.parse(
    resultsText([placesText({ riskScores, confidences, explanations: null })]),
  );
  const results = [
    { risk_score: 0.25, confidence: 0.5 },
    { risk_score: 1, confidence: 0 },
    { risk_score: 0, confidence: 1 },
  ];
  assert.deepEqual(short, { results });
  assert.ok(isResults(short));
  const explanations = [explanation, explanation, explanation];
  const long: unknown = JSON.parse(resultsText([placesText({ riskScores, confidences, explanations })]));
  assert.deepEqual(long, { results: results.map((result) => ({ ...result, explain: explained })) });
  assert.ok(isResults(long));
});

test('NaN and infinity are refused', () => {
  for (const bad of [Number.NaN, Infinity, -Infinity]) {
    const [good, wrong] = [Float64Array.of(0.5), Float64Array.of(bad)];
    assert.throws(
      () => resultsText([placesText({ riskScores: wrong, confidences: good, explanations: null })]),
      RangeError,
    );
    assert.throws(
      () => resultsText([placesText({ riskScores: good, confidences: wrong, explanations: null })]),
      RangeError,
    );
    const explanations = [{ ...explanation, hazardCurve: [{ ...explanation.hazardCurve[0]!, high: bad }] }];
    assert.throws(
      () => resultsText([placesText({ riskScores: good, confidences: good, explanations })]),
      RangeError,
    );
  }
});
