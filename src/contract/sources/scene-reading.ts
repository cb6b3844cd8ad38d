import { Type, type Static } from 'typebox';
import { nullable } from '../fields.ts';

/** How the samples of a scene were made of what its source holds. */
export const SceneReading = Type.Object({
  nodata: Type.Unsafe<number | 'inf' | '-inf' | null>({
    type: ['number', 'string', 'null'],
    description: 'Raw value that means nothing was observed; null where there is none but NaN.',
  }),
  valid_range: Type.Optional(
    Type.Array(Type.Number(), {
      minItems: 2,
      maxItems: 2,
      description: 'Lowest and highest raw value that is an observation. Absent: all are.',
    }),
  ),
  mask: nullable(
    Type.Object(
      {
        file: Type.Optional(
          Type.String({ description: 'Its file or folder. Absent: the quality band of each scene.' }),
        ),
        encoding: Type.String({
          description: 'nonzero: every value but 0 is masked. Else the name in mask_encodings.',
        }),
      },
      { description: 'What says which samples are masked.' },
    ),
  ),
  computed: Type.Optional(
    Type.Literal(true, {
      description: 'The samples are an index that was computed from the bands of a satellite scene.',
    }),
  ),
  radar: Type.Optional(
    Type.Object(
      {
        unit: Type.Enum(['power', 'dB'], { description: 'Unit of the samples of the source.' }),
        look_weights: Type.Array(Type.Number(), {
          description:
            'Weights along rows and columns by which linear power was averaged over neighbouring pixels, before decibels.',
        }),
      },
      { description: 'The samples are backscatter (gamma-0) of a radar scene. Absent: they are not.' },
    ),
  ),
  adjusted: Type.Optional(
    Type.Object(
      {
        to: Type.String({ description: 'The sensor to whose bands those of the scene were adjusted.' }),
        name: Type.String({ description: 'Name of the adjustment; none: the scene is of that sensor.' }),
        lines: Type.Array(
          Type.Object({ band: Type.String(), slope: Type.Number(), intercept: Type.Number() }),
          { description: 'Reflectance that was used = reflectance * slope + intercept, by band.' },
        ),
      },
      { description: 'How the bands were adjusted before the index was computed. Absent: they were not.' },
    ),
  ),
});
export type SceneReading = Static<typeof SceneReading>;
