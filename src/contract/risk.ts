import { Type, type Static } from 'typebox';
import { ChangeCard, EXAMPLE_CARD } from './change-card.ts';
import { Lat, Lng, nullable, Peril, Probability } from './fields.ts';
import { EVIDENCE_CLASSES } from './vocabulary.ts';
import { EXAMPLE_MODEL_CARD, ModelCard } from './model-card.ts';
import { operation } from './operation.ts';
import * as sample from './example-resources.ts';
import { BATCH_LOCATIONS, whole } from './limits.ts';

export const RiskExplanation = Type.Object(
  {
    expected_annual_damage_ratio: Type.Number({
      minimum: 0,
      description: 'Of a reference building there, 1/yr.',
    }),
    score_range: Type.Object(
      {
        low: Probability('5th percentile of the score.'),
        high: Probability('95th percentile of the score.'),
      },
      { description: 'Range that holds the true score with a probability of 0.9.' },
    ),
    evidence: Type.Object(
      {
        class: Type.Enum([...EVIDENCE_CLASSES], {
          description:
            'Ascending: `none` (a prior), `regional` (climate, country, distance to the shore), `terrain` (heights, soil, land cover), `map` (of the hazard itself, coarse), `fine` (the same at 100 m or finer, gusts at 10 km), `measured` (records or measured displacement of the place).',
        }),
        bits: Type.Number({
          minimum: 0,
          description:
            'Information about the score that evidence of this kind and cell size is expected to give; 0 for a prior. A further layer never lowers it.',
        }),
        basis: Type.String({
          description:
            'The check of `GET /v1/models` that the confidence was corrected by; empty for a prior.',
        }),
      },
      { description: 'What the answer rests on.' },
    ),
    intensity: Type.String({ description: 'What the hazard curve measures, with its unit.' }),
    hazard_curve: Type.Array(
      Type.Object({
        return_period_years: Type.Number(),
        intensity: Type.Number({
          description: 'Median. 0 where most draws stay dry, such as behind a defence that probably holds.',
        }),
        low: Type.Number({ description: '5th percentile.' }),
        high: Type.Number({ description: '95th percentile.' }),
        damage_ratio: Type.Number({
          description: 'Mean over all draws, so it may be above 0 where the median intensity is 0.',
        }),
      }),
    ),
    layers: Type.Array(
      Type.Object({
        layer: Type.String(),
        version: Type.String(),
        return_period_years: nullable(Type.Number()),
        resolution_m: Type.Number(),
        date: Type.String({ format: 'date' }),
        licence: Type.String(),
        source: Type.String(),
        unit: Type.String({ description: 'Of the value; `class` for class codes, `1` for plain numbers.' }),
        value: nullable(Type.Number({ description: 'Null where the layer has no value at the place.' })),
      }),
    ),
    reasons: Type.Array(
      Type.Object({
        code: Type.String({ description: 'Such as `outside`, `nodata`, `sea`, `stale`, `prior`, `coarse`.' }),
        message: Type.String(),
      }),
    ),
    exceedance: Type.Optional(
      Type.Array(
        Type.Object({
          name: Type.String({ description: 'Such as `very high fire danger`.' }),
          from: Type.Number({
            description: 'Where the class begins: a Fire Weather Index, mean of seven days.',
          }),
          lowest: Probability('That a year reaches it, at least.'),
          highest: Probability('That a year reaches it, at most.'),
        }),
        {
          description: 'How often a year reaches the classes of the hazard, where return levels are mapped.',
        },
      ),
    ),
    simulated: Type.Boolean({
      description: 'True where a layer of the simulated sandbox world has a value here.',
    }),
  },
  { title: 'RiskExplanation' },
);

const score = {
  risk_score: Probability(
    'A fixed map of the expected annual damage ratio of a reference building: 0.0001 is 0.2, 0.002 is 0.4, 0.01 is 0.6, 0.05 is 0.8; log-linear.',
  ),
  confidence: Probability('Probability that the true score lies within 0.1 of the one given.'),
};

export const RiskAssessment = Type.Object(
  {
    ...score,
    model_version: Type.String({ pattern: '^(flood|subsidence|wildfire|storm)-v\\d+\\.\\d+\\.\\d+$' }),
    explain: Type.Optional(RiskExplanation),
  },
  { title: 'RiskAssessment' },
);
export type RiskAssessment = Static<typeof RiskAssessment>;

export const BatchResult = Type.Object(
  { ...score, explain: Type.Optional(RiskExplanation) },
  { title: 'BatchResult' },
);

export const Location = Type.Object(
  { lat: Lat, lng: Lng, peril: Peril },
  { title: 'Location', additionalProperties: false },
);
export type Location = Static<typeof Location>;

const Explain = Type.Optional(
  Type.Boolean({ default: false, description: 'Adds hazard curve, layers used and reasons.' }),
);

export const assessRisk = operation({
  id: 'assessRisk',
  method: 'GET',
  path: '/v1/risk',
  tag: 'Risk',
  summary: 'Assess one location for one peril',
  scopes: ['risk:read'],
  query: Type.Object({ lat: Lat, lng: Lng, peril: Peril, explain: Explain }, { additionalProperties: false }),
  answers: [{ status: 200, description: 'The assessment.', body: RiskAssessment }],
  example: {
    parameters: { lat: 52.37, lng: 4.89, peril: 'flood' },
    answer: { ...sample.assessment, model_version: 'flood-v1.0.0' },
  },
});

export const assessRiskBatch = operation({
  id: 'assessRiskBatch',
  method: 'POST',
  path: '/v1/risk/batch',
  tag: 'Risk',
  summary: `Assess up to ${whole(BATCH_LOCATIONS)} locations`,
  description:
    'The whole batch is validated before any work. Results come in the order of the locations. Costs one unit per 50 locations.',
  scopes: ['risk:read'],
  recorded: false,
  query: Type.Object({ explain: Explain }, { additionalProperties: false }),
  body: Type.Object(
    { locations: Type.Array(Location, { minItems: 1, maxItems: BATCH_LOCATIONS }) },
    { title: 'RiskBatch', additionalProperties: false },
  ),
  answers: [
    {
      status: 200,
      description: 'One result per location, in their order.',
      body: Type.Object({ results: Type.Array(BatchResult) }, { title: 'RiskBatchResults' }),
    },
  ],
  example: {
    body: {
      locations: [
        { lat: 52.37, lng: 4.89, peril: 'flood' },
        { lat: 25.76, lng: -80.19, peril: 'storm' },
      ],
    },
    answer: { results: [sample.assessment, { risk_score: 0.71, confidence: 0.52 }] },
  },
});

export const listModels = operation({
  id: 'listModels',
  method: 'GET',
  path: '/v1/models',
  tag: 'Risk',
  summary:
    'A card for each peril: version, layers, method, citations, calibration; and one for changes, with what came of those confirmed',
  scopes: [],
  query: Type.Object({}, { additionalProperties: false }),
  answers: [
    {
      status: 200,
      description: 'The cards.',
      body: Type.Object({ models: Type.Array(ModelCard), change: ChangeCard }, { title: 'Models' }),
    },
  ],
  example: {
    answer: {
      models: [EXAMPLE_MODEL_CARD],
      change: EXAMPLE_CARD,
    },
  },
});

/** The operations, in the order of the documentation. */
export const RISK_OPERATIONS = [assessRisk, assessRiskBatch, listModels] as const;
