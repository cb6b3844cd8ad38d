import { Type } from 'typebox';
import { Compile } from 'typebox/compile';

/** Schema of the user's catalogue file. */
export const FILE = Compile(
  Type.Object({
    format: Type.Literal(1),
    layers: Type.Array(
      Type.Object({
        // Absent in catalogues of older releases, whose layers serve all environments.
        environment: Type.Optional(Type.Enum(['sandbox', 'staging', 'production', 'all'])),
        card: Type.Object({
          layer: Type.String({ pattern: '^[a-z0-9][a-z0-9-]*$' }),
          version: Type.String({ minLength: 1 }),
          unit: Type.String(),
          returnPeriodYears: Type.Union([Type.Null(), Type.Number({ exclusiveMinimum: 0 })]),
          resolutionM: Type.Number({ exclusiveMinimum: 0 }),
          date: Type.String(),
          licence: Type.String(),
          source: Type.String(),
          simulated: Type.Optional(Type.Literal(true)),
        }),
        interpolation: Type.Union([Type.Literal('nearest'), Type.Literal('bilinear')]),
        pieces: Type.Array(
          Type.Object({
            // A file name, never a path.
            file: Type.String({ pattern: String.raw`^[\w-]+\.gwl$` }),
            from: Type.String(),
            sha256: Type.String({ pattern: '^[0-9a-f]{64}$' }),
            band: Type.Integer({ minimum: 0 }),
            variable: Type.Optional(Type.String()),
            nodata: Type.Union([Type.Null(), Type.Number()]),
            scale: Type.Number(),
            offset: Type.Number(),
            resolutionM: Type.Number({ exclusiveMinimum: 0 }),
            coverage: Type.Tuple([Type.Number(), Type.Number(), Type.Number(), Type.Number()]),
            addedAt: Type.String(),
          }),
          { minItems: 1 },
        ),
      }),
    ),
  }),
);
