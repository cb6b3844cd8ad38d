import { Type } from 'typebox';
import { nullable, Peril, Probability } from './fields.ts';
import { EVIDENCE_CLASSES } from './vocabulary.ts';

/** The card of a risk model. */
const RangeMisses = Type.Object(
  {
    below: Probability('Share of the true scores below their range.'),
    above: Probability('Share of the true scores above their range.'),
  },
  { description: 'Each 0.05 at most if the 90 % ranges are right.' },
);

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
    evidence: Type.Array(
      Type.Object({
        class: Type.Enum([...EVIDENCE_CLASSES]),
        name: Type.String(),
        layers: Type.Array(Type.String(), { description: 'Layers of which one must have a value.' }),
        bits: Type.Array(Type.Object({ resolution_m: Type.Integer(), bits: Type.Number({ minimum: 0 }) }), {
          description:
            'Mutual information of the true score and what the model says from such evidence, by cell size; linear in its logarithm between these sizes. Empty where not measured.',
        }),
        cases: Type.Integer({ minimum: 0, description: 'Simulated places that it was measured on.' }),
      }),
      { description: 'The kinds of evidence that the model can use, ascending.' },
    ),
    calibration: Type.Object(
      {
        status: Type.Enum(['calibrated', 'uncalibrated'], {
          description:
            '`calibrated`: the confidences follow from distributions of the true score on simulated places. They hold on such places and in the other checks, except those of `not_calibrated_for`.',
        }),
        ece: nullable(
          Probability('Expected calibration error of the stated confidence, ten bins; of the worst check.'),
        ),
        coverage_90: nullable(
          Probability('Share of nominal 90 % intervals that hold the truth; of the check farthest from 0.9.'),
        ),
        cases: Type.Integer({ minimum: 0, description: 'Cases with known truth in all checks.' }),
        not_calibrated_for: Type.Array(Type.String(), {
          description:
            'Bases of the checks in which the confidence does not hold: its calibration error, or the cross-validated one, is above 0.05.',
        }),
        checks: Type.Array(
          Type.Object({
            basis: Type.String({
              description: 'What the answers checked rest on, such as `map` or `prior`.',
            }),
            cases: Type.Integer({ minimum: 0 }),
            ece: Probability('As stated now.'),
            raw_ece: Probability('Of the confidence that the draws of the model give by themselves.'),
            coverage_90: nullable(
              Probability('Share of nominal 90 % intervals of the hazard curve that hold the truth.'),
            ),
            range_coverage_90: Probability(
              'Share of 90 % ranges of the score that hold the truth. A range that ends at 0 or 1 can be missed at one end only: right ones hold it in 0.95 of the cases.',
            ),
            reliability: Type.Array(
              Type.Array(Type.Number({ minimum: 0, maximum: 1 }), { minItems: 2, maxItems: 2 }),
              {
                description:
                  'Mean stated confidence, and the share of answers that hold, in each tenth of the confidence with 100 cases or more.',
              },
            ),
            range_misses: RangeMisses,
            cross_validated: nullable(
              Type.Object(
                {
                  blocks: Type.Integer({ minimum: 2 }),
                  ece: Probability('Expected calibration error of the confidence.'),
                  range_coverage_90: Probability('As above.'),
                  range_misses: RangeMisses,
                },
                {
                  description:
                    'Of distributions that were fitted without the block of places that they are judged on; null where no distribution was fitted.',
                },
              ),
            ),
          }),
        ),
        note: Type.String({ description: 'What the checks show and what they cannot.' }),
      },
      { title: 'Calibration' },
    ),
  },
  { title: 'ModelCard' },
);

/** A card for the documentation; valid by its schema. */
export const EXAMPLE_MODEL_CARD = {
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
  evidence: [
    {
      class: 'map',
      name: 'flood map',
      layers: ['flood-depth', 'coastal-flood-depth'],
      bits: [
        { resolution_m: 250, bits: 0.71 },
        { resolution_m: 1000, bits: 0.6 },
      ],
      cases: 4000,
    },
  ],
  calibration: {
    status: 'calibrated',
    ece: 0.0126,
    coverage_90: 0.891,
    cases: 20000,
    not_calibrated_for: [],
    checks: [
      {
        basis: 'map',
        cases: 20000,
        ece: 0.0126,
        raw_ece: 0.0903,
        coverage_90: 0.891,
        range_coverage_90: 0.902,
        reliability: [
          [0.1, 0.2],
          [0.9, 0.85],
        ],
        range_misses: { below: 0.046, above: 0.052 },
        cross_validated: {
          blocks: 5,
          ece: 0.0142,
          range_coverage_90: 0.899,
          range_misses: { below: 0.048, above: 0.053 },
        },
      },
    ],
    note: 'Simulated places with known hazard and building.',
  },
};
