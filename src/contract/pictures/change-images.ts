import { Type, type Static } from 'typebox';
import { Day, nullable, Timestamp } from '../fields.ts';
import { operation } from '../operation.ts';
import * as sample from '../example-resources.ts';

/** Which picture of a change: the ground before it, or after it. */
export const MOMENTS = ['before', 'after'] as const;
export type Moment = (typeof MOMENTS)[number];

export const Legend = Type.Object(
  {
    ramp: Type.String({ description: 'Name of the colour ramp; docs/pictures.md shows each.' }),
    min: Type.Number({ description: 'Value of the first colour. Lower values have it too.' }),
    max: Type.Number({ description: 'Value of the last colour. Higher values have it too.' }),
    colours: Type.Array(Type.String({ pattern: '^#[0-9a-f]{6}$' }), {
      description: 'Colours at equal steps from min to max. Between two of them they are interpolated.',
    }),
  },
  { title: 'Legend', description: 'What the colours mean.' },
);
export type Legend = Static<typeof Legend>;

const ChangePicture = Type.Object({
  url: Type.String({ description: 'Path of the picture, a PNG.' }),
  true_colour_url: nullable(
    Type.String({
      description: 'Path of the same ground in true colour, a PNG. null: the scene has no such picture.',
    }),
  ),
  scene: Type.Object({
    id: Type.String({ description: 'Its id in the provenance of the change.' }),
    href: Type.String(),
    datetime: Timestamp('When it was acquired.'),
  }),
  clear_fraction: Type.Number({
    minimum: 0,
    maximum: 1,
    description: 'Share of the change and the ground around it that the scene shows.',
  }),
});

export const ChangeImages = Type.Object(
  {
    change_id: Type.String(),
    collection: Type.Object({ id: Type.String(), name: Type.String() }),
    metric: Type.String(),
    unit: Type.String(),
    simulated: Type.Optional(
      Type.Literal(true, { description: 'Only in the sandbox: nothing was observed.' }),
    ),
    first_anomaly_at: Day('The first observation that departed.'),
    seed: Type.Object(
      {
        lat: Type.Number({ description: 'Latitude [degrees].' }),
        lng: Type.Number({ description: 'Longitude [degrees].' }),
      },
      { description: 'Centre of the pixel that departed first: the evidence in the provenance is of it.' },
    ),
    width: Type.Integer({ description: 'Columns of both pictures.' }),
    height: Type.Integer({ description: 'Rows of both pictures.' }),
    pixel_m: Type.Number({ description: 'Size of a pixel of the scene on the ground [m].' }),
    width_m: Type.Number({ description: 'Width of the ground that the pictures show [m].' }),
    before: nullable({
      ...ChangePicture,
      description: 'null: no scene before the change shows the place.',
    }),
    after: nullable({ ...ChangePicture, description: 'null: no scene since the change shows the place.' }),
    legend: Legend,
  },
  { title: 'ChangeImages' },
);
export type ChangeImages = Static<typeof ChangeImages>;

export const getChangeImages = operation({
  id: 'getChangeImages',
  method: 'GET',
  path: '/v1/changes/{id}/images',
  tag: 'Pictures',
  summary: 'The ground before and after a change',
  description:
    'After: the first scene on or after the day of confirmation that shows the place clearly. Before: of the scenes before the first anomaly that show it clearly, one of the same time of year, and of those a late one. Both have the outline of the change, the same window and the same colours, and north is where the grid has it.',
  scopes: ['changes:read'],
  params: Type.Object({ id: Type.String() }),
  answers: [{ status: 200, description: 'Both pictures: dates, scenes, legend.', body: ChangeImages }],
  example: { parameters: { id: sample.CHANGE }, answer: sample.changeImages },
});

export const getChangeImage = operation({
  id: 'getChangeImage',
  method: 'GET',
  path: '/v1/changes/{id}/images/{moment}',
  tag: 'Pictures',
  summary: 'One of these pictures',
  description:
    'A pixel of the scene is a block of pixels of the picture, so that it stays sharp. What the scene does not show is hatched grey.',
  scopes: ['changes:read'],
  params: Type.Object({
    id: Type.String(),
    moment: Type.Enum([...MOMENTS], { description: 'Before or after the change.' }),
  }),
  query: Type.Object(
    {
      colours: Type.Optional(
        Type.Enum(['metric', 'true'], {
          description:
            'metric, the default: in the colours of the legend. true: what an eye would see; 404 for a scene that has no such picture.',
        }),
      ),
    },
    { additionalProperties: false },
  ),
  answers: [{ status: 200, description: 'The picture.', media: 'image/png' }],
  example: { parameters: { id: sample.CHANGE, moment: 'after' } },
});

/** The operations, in the order of the documentation. */
export const PICTURE_OPERATIONS = [getChangeImages, getChangeImage] as const;
