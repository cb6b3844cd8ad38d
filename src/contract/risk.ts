import { Type, type Static } from 'typebox';
import { ChangeCard, EXAMPLE_CARD } from './change-card.ts';
import { Lat, Lng, nullable, Peril } from './fields.ts';
import { operation } from './operation.ts';
import * as sample from './example-resources.ts';
import { BATCH_LOCATIONS, whole } from './limits.ts';

const Probability = (description: string) => Type.Number({ minimum: 0, maximum: 1, description });

export const RiskExplanation = Type.Object(
  {
    expected_annual_damage_ratio: Type.Number({
      minimum: 0,
      description: 'Of a reference building there, 1/yr.',
    }),
    intensity: Type.String({ description: 'What the hazard curve measures, with its unit.' }),
    hazard_curve: Type.Array(
      Type.Object({
        return_period_years: Type.Number(),
        intensity: Type.Number(),
        low: Type.Number({ description: '5th percentile.' }),
        high: Type.Number({ description: '95th percentile.' }),
        damage_ratio: Type.Number(),
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
        value: nullable(Type.Number()),
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

export const ModelCard = Type.Object(
  {
    peril: Peril,
    model_version: Type.String(),
    method: Type.String(),
    layers: Type.Array(Type.String(), { description: 'Names of the layers the model asks for.' }),
    layer_versions: Type.Array(
      Type.Object({
        layer: Type.String(),
        version: Type.String(),
        unit: Type.String(),
        return_period_years: nullable(Type.Number()),
        resolution_m: Type.Number(),
        date: Type.String({ format: 'date' }),
        licence: Type.String(),
      }),
      { description: 'The maps of those layers that serve the environment of the credential.' },
    ),
    citations: Type.Array(Type.String()),
    limits: Type.Array(Type.String(), { description: 'What the model does not know or do.' }),
    calibration: Type.Object(
      {
        status: Type.Enum(['calibrated', 'uncalibrated']),
        ece: nullable(
          Probability('Expected calibration error of the stated confidence, ten bins; of the worst check.'),
        ),
        coverage_90: nullable(
          Probability('Share of nominal 90 % intervals that hold the truth; of the check farthest from 0.9.'),
        ),
        cases: Type.Integer({ minimum: 0, description: 'Cases with known truth in all checks.' }),
        checks: Type.Array(
          Type.Object({
            basis: Type.String({
              description: 'What the answers checked rest on, such as `map` or `prior`.',
            }),
            cases: Type.Integer({ minimum: 0 }),
            ece: Probability('As stated now.'),
            raw_ece: Probability('Before the isotonic correction.'),
            coverage_90: Probability('Share of nominal 90 % intervals that hold the truth.'),
          }),
        ),
        note: Type.String({ description: 'What the checks show and what they cannot.' }),
      },
      { title: 'Calibration' },
    ),
  },
  { title: 'ModelCard' },
);

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
      models: [
        {
          peril: 'flood',
          model_version: 'flood-v1.0.0',
          method: 'Depth at return periods and a depth-damage curve, integrated to annual damage.',
          layers: ['elevation', 'coast', 'rivers'],
          layer_versions: [
            {
              layer: 'elevation',
              version: 'etopo5-2026.1',
              unit: 'm',
              return_period_years: null,
              resolution_m: 9277,
              date: '1988-01-01',
              licence: 'public domain',
            },
          ],
          citations: ['Huizinga, de Moel & Szewczyk (2017), doi:10.2760/16510'],
          limits: ['No protection standards are known.'],
          calibration: {
            status: 'calibrated',
            ece: 0.0126,
            coverage_90: 0.891,
            cases: 20000,
            checks: [{ basis: 'map', cases: 20000, ece: 0.0126, raw_ece: 0.0903, coverage_90: 0.891 }],
            note: 'Simulated places with known hazard and building.',
          },
        },
      ],
      change: EXAMPLE_CARD,
    },
  },
});

/** The operations, in the order of the documentation. */
export const RISK_OPERATIONS = [assessRisk, assessRiskBatch, listModels] as const;
