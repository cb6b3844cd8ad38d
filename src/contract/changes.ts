import { Type, type Static } from 'typebox';
import {
  columnsOf,
  Cursor,
  Day,
  DrawnListFormat,
  featureOf,
  featuresOf,
  GeoJsonFormat,
  Geometry,
  Limit,
  NextCursor,
  nullable,
  Timestamp,
  When,
} from './fields.ts';
import { ClaimExperience } from './claim-experience.ts';
import { operation } from './operation.ts';
import { SceneReading } from './sources/scene-reading.ts';
import { CHANGE_STATUSES, CHANGE_TYPES } from './vocabulary.ts';
import * as sample from './example-resources.ts';

export type ChangeType = (typeof CHANGE_TYPES)[number];

export type ChangeStatus = (typeof CHANGE_STATUSES)[number];

const ChangeTypeField = Type.String({
  description: `One of ${CHANGE_TYPES.join(', ')}; an open set: ignore types you do not know. \`conversion\`: a lasting change of seasonality, perennial cover to crops or the reverse.`,
});
const Confidence = Type.Number({
  minimum: 0,
  maximum: 1,
  description:
    'Probability that the change is real and lasting. What came of older claims in the collection moves it. 0 once it is rejected.',
});

export const ChangeSummary = Type.Object(
  { id: Type.String(), type: ChangeTypeField, confidence: Confidence },
  { title: 'ChangeSummary' },
);

const NoReading = 'null: ingested by a release before 1.4.0, which did not keep it.';

export const Provenance = Type.Object(
  {
    collection: Type.Object({ id: Type.String(), name: Type.String(), metric: Type.String() }),
    simulated: Type.Optional(
      Type.Literal(true, {
        description: 'Present in the simulated region of the sandbox: nothing was observed.',
      }),
    ),
    scenes: Type.Array(
      Type.Object({
        id: Type.String(),
        href: Type.String(),
        datetime: Type.String({ format: 'date-time' }),
        role: Type.Enum(['baseline', 'monitoring']),
        sha256: Type.String({
          description: 'SHA-256 of the samples read from the scene, as docs/provenance.md defines them.',
        }),
        metric: Type.Optional(Type.String({ description: 'Where it is not the metric of the change.' })),
        reading: Type.Optional(
          nullable({ ...SceneReading, description: `Where it is not that of the series. ${NoReading}` }),
        ),
      }),
    ),
    series: Type.Optional(
      Type.Array(
        Type.Object({
          metric: Type.String(),
          unit: Type.String(),
          sample_type: Type.Enum(['int16', 'float32', 'float64']),
          scale: Type.Number({ description: 'Value in the unit = sample * scale + offset.' }),
          offset: Type.Number(),
          reading: nullable({ ...SceneReading, description: `Of its first scene. ${NoReading}` }),
        }),
        { description: 'The samples of each metric: their type, what they mean, and how they were read.' },
      ),
    ),
    mask_encodings: Type.Optional(
      Type.Record(
        Type.String(),
        Type.Object({
          bits: Type.Integer({ description: 'Size of a value. Values outside it are masked.' }),
          masked: Type.Array(
            Type.Object({
              bit: Type.Integer(),
              width: Type.Integer(),
              from: Type.Integer(),
              to: Type.Integer(),
            }),
            {
              description:
                'A sample is masked if for any of these the width bits from bit on (0 is the lowest) are a number in [from, to].',
            },
          ),
        }),
        { description: 'The encodings of the masks, by name.' },
      ),
    ),
    baseline: Type.Object(
      {},
      { additionalProperties: true, description: 'Kind, window, observations, coefficients, scale.' },
    ),
    evidence: Type.Array(Type.Object({}, { additionalProperties: true }), {
      description:
        'The statistic, its boundary, the posterior, and what the like pixels show (`like_pixels`) at each date, at the seed pixel.',
    }),
    moves: Type.Optional(
      Type.Array(Type.Object({ metric: Type.String(), residual: Type.Number(), value: Type.Number() }), {
        description:
          'Where several metrics were looked at together: the median departure of each and the value it went to, which tell the type.',
      }),
    ),
    experience: Type.Optional(ClaimExperience),
    pixels: Type.Object(
      {
        seed: Type.Integer(),
        runs: Type.Array(Type.Integer(), {
          description: 'Start and length of each run of row-major pixel indices.',
        }),
      },
      { description: 'The pixels of the object on the collection’s grid.' },
    ),
    grid: Type.Object(
      {},
      { additionalProperties: true, description: 'Reference system, size and affine transform.' },
    ),
    method: Type.String(),
    parameters: Type.Object({}, { additionalProperties: true }),
    model_version: Type.String(),
    software_version: Type.String(),
    digest_recipe: Type.Optional(
      Type.Integer({ description: 'How the digest is computed, by docs/provenance.md. Absent: recipe 1.' }),
    ),
    digest: Type.String({
      description:
        'SHA-256 over the canonical JSON (RFC 8785) of the change, without what docs/provenance.md names: ids, times of recording, versions, and the digest itself.',
    }),
  },
  { title: 'ChangeProvenance' },
);
export type Provenance = Static<typeof Provenance>;

export const ChangeVersion = Type.Object(
  {
    model_version: Type.String(),
    software_version: Type.String(),
    stated_at: Timestamp('When this version last stated it.'),
    status: Type.Enum([...CHANGE_STATUSES]),
    confidence: Confidence,
    digest: Type.String({ description: 'The digest of the change as this version stated it.' }),
    id: Type.Optional(
      Type.String({
        description:
          'Where this version counts the ground as part of another change: the id of that change. So it is when one change became several, or several one.',
      }),
    ),
  },
  { title: 'ChangeVersion' },
);
export type ChangeVersion = Static<typeof ChangeVersion>;

export const Change = Type.Object(
  {
    id: Type.String(),
    type: ChangeTypeField,
    detected_at: Day('The day it was confirmed, or flagged while suspected.'),
    confidence: Confidence,
    status: Type.Enum([...CHANGE_STATUSES]),
    first_anomaly_at: Day('The first observation that departed.'),
    confirmed_at: nullable(Day('The day it was confirmed.')),
    recovered_at: nullable(Day('The day the signal was back.')),
    geometry: Geometry,
    area_m2: Type.Number({ description: 'Geodesic area on WGS84.' }),
    magnitude: Type.Number({ description: 'Median signed departure, in units of the metric.' }),
    metric: Type.String(),
    aoi_ids: Type.Array(Type.String(), { description: 'Those of your areas that it touches.' }),
    created_at: Timestamp('When this service first recorded it.'),
    updated_at: Timestamp('When anything in it last changed.'),
    provenance: Provenance,
    versions: Type.Array(ChangeVersion, {
      description:
        'What each version of the model and the software stated about the change, oldest first; the last is what is stated now. Before a rejection stands what the same version stated last. A new model finds the changes of the one before again by place and time, and keeps their ids.',
    }),
  },
  { title: 'Change' },
);
export type Change = Static<typeof Change>;

export const listChanges = operation({
  id: 'listChanges',
  method: 'GET',
  onReplica: true,
  path: '/v1/changes',
  tag: 'Changes',
  summary: 'List the changes inside an area of interest, newest first',
  description:
    'JSON has the id, type and confidence of each change. GeoJSON, CSV and Parquet (`f`) have all its fields but provenance and versions; GET /v1/changes/{id} has those too.',
  scopes: ['changes:read'],
  query: Type.Object(
    {
      aoi_id: Type.String({ minLength: 1, description: 'Area of interest.' }),
      since: Type.Optional(When('Detected at or after (by day).')),
      published_since: Type.Optional(
        When(
          'First visible to you at or after. Let polls overlap by a minute: what is being published when you ask shows a moment later.',
        ),
      ),
      status: Type.Optional(
        Type.Enum([...CHANGE_STATUSES, 'all'], {
          description:
            'Default: confirmed; the header `X-Suspected-Omitted` then says how many suspected ones are left out.',
        }),
      ),
      limit: Limit,
      cursor: Cursor,
      f: DrawnListFormat,
    },
    { additionalProperties: false },
  ),
  answers: [
    {
      status: 200,
      description: 'The changes.',
      body: Type.Object(
        { changes: Type.Array(ChangeSummary), next_cursor: NextCursor },
        { title: 'Changes' },
      ),
      table: columnsOf(Change, ['provenance', 'versions']),
      geojson: featuresOf(Type.Omit(Change, ['provenance', 'versions']), 'ListedChangeFeature'),
      headers: ['X-Suspected-Omitted'],
    },
  ],
  example: {
    parameters: { aoi_id: sample.AOI, since: '2026-01-01' },
    answer: { changes: [{ id: sample.CHANGE, type: 'vegetation_loss', confidence: 0.98 }] },
  },
});

export const getChange = operation({
  id: 'getChange',
  method: 'GET',
  path: '/v1/changes/{id}',
  tag: 'Changes',
  summary: 'One change with full provenance',
  scopes: ['changes:read'],
  params: Type.Object({ id: Type.String() }),
  query: Type.Object({ f: GeoJsonFormat }, { additionalProperties: false }),
  answers: [
    { status: 200, description: 'The change.', body: Change, geojson: featureOf(Change, 'ChangeFeature') },
  ],
  example: {
    parameters: { id: sample.CHANGE },
    answer: { ...sample.change, provenance: sample.provenance, versions: sample.versions },
  },
});

/** The operations, in the order of the documentation. */
export const CHANGE_OPERATIONS = [listChanges, getChange] as const;
