import { Type } from 'typebox';
import { Compile } from 'typebox/compile';
import { SceneReading } from '../../contract/sources/scene-reading.ts';

const Digest = Type.String({ pattern: '^[0-9a-f]{64}$' });
const Whole = Type.Integer({ minimum: 0 });
const Text = Type.String({ maxLength: 4096 });

const Card = Type.Object({
  layer: Type.String({ pattern: '^[a-z0-9][a-z0-9-]*$', maxLength: 100 }),
  version: Type.String({ minLength: 1, maxLength: 200 }),
  unit: Text,
  returnPeriodYears: Type.Union([Type.Null(), Type.Number({ exclusiveMinimum: 0 })]),
  resolutionM: Type.Number({ exclusiveMinimum: 0 }),
  date: Type.String({ pattern: String.raw`^\d{4}-\d\d-\d\d$` }),
  licence: Text,
  source: Text,
});

const Layer = Type.Object({
  card: Card,
  interpolation: Type.Enum(['nearest', 'bilinear']),
  pieces: Type.Array(
    Type.Object({
      from: Text,
      sha256: Digest,
      band: Whole,
      nodata: Type.Union([Type.Null(), Type.Number()]),
      scale: Type.Number(),
      offset: Type.Number(),
      resolutionM: Type.Number({ exclusiveMinimum: 0 }),
      coverage: Type.Tuple([Type.Number(), Type.Number(), Type.Number(), Type.Number()]),
      addedAt: Type.String({ maxLength: 40 }),
      /** The file from which the piece is served. */
      file: Type.Object({ bytes: Whole, sha256: Digest }),
    }),
    { minItems: 1, maxItems: 100_000 },
  ),
});

const Scene = Type.Object({
  key: Type.String({ minLength: 1, maxLength: 500 }),
  href: Text,
  observed_ms: Type.Integer({ minimum: -8.64e15, maximum: 8.64e15 }),
  sha256: Digest,
  clear_fraction: Type.Number({ minimum: 0, maximum: 1 }),
  reading: Type.Optional(SceneReading),
  /** Index of the collection that has its picture in true colour. */
  colour_of: Type.Optional(Whole),
});

const Cube = Type.Object({
  kind: Type.Enum(['samples', 'snow', 'colours']),
  scenes: Type.Array(
    Type.Object({
      key: Type.String({ minLength: 1, maxLength: 500 }),
      time_ms: Type.Integer({ minimum: -8.64e15, maximum: 8.64e15 }),
      sha256: Digest,
    }),
    { maxItems: 200_000 },
  ),
});

const Collection = Type.Object({
  name: Type.String({ maxLength: 100 }),
  metric: Type.String({ maxLength: 100 }),
  scale: Type.Number(),
  offset: Type.Number(),
  sample_type: Type.Enum(['int16', 'float32', 'float64']),
  grid: Type.Object({
    width: Type.Integer({ minimum: 1, maximum: 1_000_000 }),
    height: Type.Integer({ minimum: 1, maximum: 1_000_000 }),
    crs: Type.String({ maxLength: 100 }),
    proj4: Type.String({ maxLength: 2000 }),
    transform: Type.Tuple([
      Type.Number(),
      Type.Number(),
      Type.Number(),
      Type.Number(),
      Type.Number(),
      Type.Number(),
    ]),
  }),
  scenes: Type.Array(Scene, { minItems: 1, maxItems: 200_000 }),
  cubes: Type.Array(Cube, { minItems: 1, maxItems: 3 }),
});

/** Form of the manifest of a bundle. */
export const BUNDLE_MANIFEST = Type.Object({
  form: Type.Literal(1),
  /** Release that wrote it. */
  version: Type.String({ maxLength: 40 }),
  created_at: Type.String({ maxLength: 40 }),
  /** West, south, east, north [degrees], as it was asked for. */
  box: Type.Tuple([Type.Number(), Type.Number(), Type.Number(), Type.Number()]),
  collections: Type.Array(Collection, { maxItems: 10_000 }),
  layers: Type.Array(Layer, { maxItems: 10_000 }),
});

export const MANIFEST_FORM = Compile(BUNDLE_MANIFEST);
