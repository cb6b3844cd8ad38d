import { Type, type Static } from 'typebox';
import { Lat, Lng, nullable, Peril } from './fields.ts';
import { operation } from './operation.ts';

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
});

export const MAX_BATCH = 1000;

export const assessRiskBatch = operation({
  id: 'assessRiskBatch',
  method: 'POST',
  path: '/v1/risk/batch',
  tag: 'Risk',
  summary: 'Assess up to 1,000 locations',
  description:
    'The whole batch is validated before any work. Results come in the order of the locations. Costs one unit per 50 locations.',
  scopes: ['risk:read'],
  query: Type.Object({ explain: Explain }, { additionalProperties: false }),
  body: Type.Object(
    { locations: Type.Array(Location, { minItems: 1, maxItems: MAX_BATCH }) },
    { title: 'RiskBatch', additionalProperties: false },
  ),
  answers: [
    {
      status: 200,
      description: 'One result per location, in their order.',
      body: Type.Object({ results: Type.Array(BatchResult) }, { title: 'RiskBatchResults' }),
    },
  ],
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
  summary: 'A card for each peril: version, layers, method, citations, calibration',
  scopes: [],
  query: Type.Object({}, { additionalProperties: false }),
  answers: [
    {
      status: 200,
      description: 'The cards.',
      body: Type.Object({ models: Type.Array(ModelCard) }, { title: 'Models' }),
    },
  ],
});
