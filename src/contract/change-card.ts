import { Type, type Static } from 'typebox';
import { EXPERIENCE_CHANGES, whole } from './limits.ts';
import * as sample from './example-resources.ts';

const Claims = (description: string) => Type.Integer({ minimum: 0, description });

/** What came of the confirmed changes of one kind. */
export const Experience = Type.Object(
  {
    collection: Type.Object({ id: Type.String(), name: Type.String(), metric: Type.String() }),
    type: Type.String({ description: 'Type of the change.' }),
    baseline: Type.String({
      description:
        'What the changes were measured against: harmonic (the history of the pixel itself), neighbourhood (pixels around it, where its history is short) or provider (of an alert product).',
    }),
    claims: Claims('Changes that were once confirmed. The sum of the four numbers below.'),
    stood: Claims('Still confirmed, a year or more before the last scene of the collection.'),
    passed: Claims('Recovered: the signal was normal again.'),
    taken_back: Claims(
      'Rejected. Changes whose ground counts as part of another change now are no claims here.',
    ),
    young: Claims('Too early to tell: confirmed less than a year before the last scene, or suspected again.'),
  },
  { title: 'Experience' },
);
export type Experience = Static<typeof Experience>;

/** The card of the model that finds changes. */
export const ChangeCard = Type.Object(
  {
    model_version: Type.String({ description: 'Such as `change-v0.27.0`.' }),
    method: Type.String({ description: 'The `method` in the provenance of changes.' }),
    smallest: Type.Object(
      {
        pixels: Type.Integer({ description: 'Minimum number of neighbouring pixels.' }),
        area_m2: Type.Number({ description: 'Minimum area [m2].' }),
        single_pixel_area_m2: Type.Number({
          description: 'Area from which a single pixel is enough [m2].',
        }),
      },
      {
        title: 'SmallestChange',
        description:
          'The smallest change that is listed: both minimum number and minimum area, or one large pixel. Pixels of 10 m need 5 neighbours, pixels of 20 to 99 m need 3. A collection with fewer pixels than that is one change as a whole.',
      },
    ),
    experience: Type.Optional(
      Type.Array(Experience, {
        description: `What came of the confirmed changes in your areas, by collection, type and kind of baseline, among the newest ${whole(EXPERIENCE_CHANGES)} changes of all statuses. Absent if the credential lacks \`changes:read\`.`,
      }),
    ),
  },
  { title: 'ChangeCard' },
);
export type ChangeCard = Static<typeof ChangeCard>;

/** Example for the documentation. */
export const EXAMPLE_CARD: ChangeCard = {
  model_version: 'change-v1.0.0',
  method: 'scene-normalised-harmonic-bayes',
  smallest: { pixels: 3, area_m2: 500, single_pixel_area_m2: 10_000 },
  experience: [
    {
      collection: sample.provenance.collection,
      type: 'vegetation_loss',
      baseline: 'harmonic',
      claims: 40,
      stood: 31,
      passed: 5,
      taken_back: 2,
      young: 2,
    },
  ],
};
