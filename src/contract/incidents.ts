import { Type, type Static } from 'typebox';
import {
  Box,
  columnsOf,
  Cursor,
  Day,
  DrawnListFormat,
  featureOf,
  featuresOf,
  GeoJsonFormat,
  GEOMETRIES,
  Limit,
  NextCursor,
  nullable,
  Peril,
  Probability,
  Timestamp,
  When,
} from './fields.ts';
import * as sample from './example-resources.ts';
import { INCIDENT_AREAS, INCIDENT_MEMBERS, PAST_DAYS } from './limits.ts';
import { operation } from './operation.ts';
import { SEVERITIES, PERILS } from './vocabulary.ts';

const Severity = Type.Enum([...SEVERITIES], {
  description:
    'The highest of its anomalies and changes. A change counts by its area: from 1 ha medium, from 10 ha high, from 100 ha critical.',
});
const STATUSES = ['open', 'standing', 'closed'] as const;
export type IncidentStatus = (typeof STATUSES)[number];
const Status = Type.Enum([...STATUSES], {
  description:
    '`open` while an anomaly of it is active or ground of it moves; `standing` while nothing new happens and a change of the ground stands, such as a clearing; `closed` when all of it is over. One that is not open opens again when something joins that lasts.',
});
const Path = (description: string) => Type.String({ pattern: '^/v1/', description });

export const Incident = Type.Object(
  {
    id: Type.String(),
    title: Type.String({ description: 'What, where and when, in words.' }),
    severity: Severity,
    status: Status,
    perils: Type.Array(Type.Enum([...PERILS]), {
      description: 'Perils that its anomalies and changes concern.',
    }),
    kinds: Type.Array(Type.String(), {
      description: 'Metrics of its anomalies and types of its changes.',
    }),
    started_at: Timestamp('First departure of any of them.'),
    ended_at: nullable(Timestamp('End of the last of them; null unless it is closed.')),
    last_observed_at: nullable(
      Timestamp(
        'Newest image or reading of the collections and stations in which its newest anomalies and changes were seen. What happened since then is not known, also while it is `open`.',
      ),
    ),
    past: Type.Boolean({
      description: `Whether all of it was past when it was found: anomalies that ended more than ${PAST_DAYS} days before the newest observation, and changes that were known before you could see them. Its events are listed, and sent only for a subscription with \`past\`.`,
    }),
    aoi_ids: Type.Array(Type.String(), {
      description: `Your areas that it concerns, the main one first; at most ${INCIDENT_AREAS}.`,
    }),
    area_count: Type.Integer({ minimum: 1, description: 'Number of all these areas.' }),
    anomaly_count: Type.Integer({ minimum: 0 }),
    change_count: Type.Integer({ minimum: 0 }),
    area_m2: nullable(
      Type.Number({
        minimum: 0,
        description:
          'Area of the ground of its changes; what several of them show counts once. Null without a change.',
      }),
    ),
    bbox: Type.Array(Type.Number(), {
      minItems: 4,
      maxItems: 4,
      description:
        'West, south, east, north of the areas and changes; west above east across the antimeridian.',
    }),
    images_url: nullable(
      Path('Path of pictures of its largest change, before and after; null when it has no change.'),
    ),
    opened_at: Timestamp('When it became visible to you.'),
    updated_at: Timestamp('When something about it changed last.'),
  },
  { title: 'Incident' },
);
export type Incident = Static<typeof Incident>;

const IncidentAnomaly = Type.Object(
  {
    id: Type.String(),
    metric: Type.String(),
    peril: Peril,
    severity: Type.Enum([...SEVERITIES]),
    status: Type.Enum(['active', 'ended']),
    aoi_id: Type.String(),
    started_at: Timestamp('First anomalous observation.'),
    ended_at: nullable(Timestamp('First observation back within bounds.')),
    url: Path('Path of the anomaly.'),
  },
  { title: 'IncidentAnomaly' },
);

const IncidentChange = Type.Object(
  {
    id: Type.String(),
    type: Type.String({ description: 'As in the list of changes.' }),
    status: Type.Enum(['confirmed', 'recovered']),
    confidence: Probability('Probability that the change is real.'),
    area_m2: Type.Number({ minimum: 0 }),
    first_anomaly_at: Day('First departure.'),
    confirmed_at: nullable(Day('When it was confirmed.')),
    url: Path('Path of the change.'),
    images_url: Path('Path of its pictures, before and after.'),
  },
  { title: 'IncidentChange' },
);

export const IncidentMembers = Type.Object(
  {
    anomalies: Type.Array(IncidentAnomaly, {
      description: `Its anomalies, those that began last first; at most ${INCIDENT_MEMBERS}.`,
    }),
    changes: Type.Array(IncidentChange, {
      description: `Its changes, those that began last first; at most ${INCIDENT_MEMBERS}.`,
    }),
  },
  { title: 'IncidentMembers' },
);
export type IncidentMembers = Static<typeof IncidentMembers>;

const WholeIncident = Type.Object(
  { ...Incident.properties, ...IncidentMembers.properties },
  { title: 'WholeIncident' },
);

export const listIncidents = operation({
  id: 'listIncidents',
  method: 'GET',
  onReplica: true,
  path: '/v1/incidents',
  tag: 'Incidents',
  summary: 'List incidents, those that began last first',
  description:
    'An incident is what has one cause: anomalies and confirmed changes that are close in time and place and of kinds that go together, such as heavy rain and high water. Each anomaly and each change belongs to one incident. Incidents follow within seconds of what they consist of.',
  scopes: ['anomalies:read'],
  query: Type.Object(
    {
      aoi_id: Type.Optional(Type.String({ description: 'Only those of one area.' })),
      peril: Type.Optional(Peril),
      status: Type.Optional(Status),
      since: Type.Optional(When('Began at or after.')),
      until: Type.Optional(When('Began before.')),
      updated_since: Type.Optional(
        When(
          'Opened or changed at or after: what is new since you looked last. Let polls overlap by a minute.',
        ),
      ),
      bbox: Type.Optional(Box('Only those whose box overlaps another one.')),
      limit: Limit,
      cursor: Cursor,
      f: DrawnListFormat,
    },
    { additionalProperties: false },
  ),
  answers: [
    {
      status: 200,
      description: 'The incidents.',
      body: Type.Object({ incidents: Type.Array(Incident), next_cursor: NextCursor }, { title: 'Incidents' }),
      table: [...columnsOf(Incident), GEOMETRIES],
      geojson: featuresOf(Incident, 'ListedIncidentFeature'),
    },
  ],
  example: {
    parameters: { status: 'open', updated_since: '2026-09-01' },
    answer: { incidents: [sample.incident] },
  },
});

export const getIncident = operation({
  id: 'getIncident',
  method: 'GET',
  path: '/v1/incidents/{id}',
  tag: 'Incidents',
  summary: 'One incident with what it consists of',
  description:
    'The id of an incident that became part of another one gives the other one. Its geometry as GeoJSON is its box.',
  scopes: ['anomalies:read'],
  params: Type.Object({ id: Type.String() }),
  query: Type.Object({ f: GeoJsonFormat }, { additionalProperties: false }),
  answers: [
    {
      status: 200,
      description: 'The incident.',
      body: WholeIncident,
      geojson: featureOf(WholeIncident, 'IncidentFeature'),
    },
  ],
  example: {
    parameters: { id: sample.INCIDENT },
    answer: { ...sample.incident, ...sample.incidentMembers },
  },
});

/** The operations, in the order of the documentation. */
export const INCIDENT_OPERATIONS = [listIncidents, getIncident] as const;
