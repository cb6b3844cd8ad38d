import { Type, type Static, type TSchema } from 'typebox';
import { Anomaly } from './anomalies.ts';
import { Change } from './changes.ts';
import type { EventType } from './events.ts';
import { Lat, Lng, nullable, Peril, Timestamp } from './fields.ts';
import { Incident } from './incidents.ts';
import { DIGESTS, ENVIRONMENTS } from './vocabulary.ts';
import * as sample from './example-resources.ts';
import {
  DIGEST_INCIDENTS,
  EVENT_VERTICES,
  FAILING_DAYS,
  PAST_DAYS,
  REARM_BELOW,
  SUSPICION_CONFIDENCE,
  inWords,
} from './limits.ts';

const Url = Type.String({
  pattern: '^/v1/',
  description:
    'Path at which the API gives the whole resource, provenance included: put it after the address by which you call the API.',
});
const Score = Type.Number({ minimum: 0, maximum: 1 });

const ChangeData = Type.Object(
  {
    ...Type.Omit(Change, ['provenance', 'versions']).properties,
    url: Url,
    images_url: Type.Optional(
      Type.String({
        pattern: '^/v1/',
        description:
          'Path of its pictures: the ground before and after it. Absent in events of releases before 1.4.0.',
      }),
    ),
  },
  {
    title: 'ChangeEventData',
    description: `The change as the API gives it, without provenance and versions; geometry of at most ${EVENT_VERTICES} vertices.`,
  },
);

const AnomalyData = Type.Object(
  {
    ...Type.Omit(Anomaly, ['provenance']).properties,
    url: Url,
    past: Type.Optional(
      Type.Boolean({
        description: `Whether it had ended more than ${PAST_DAYS} days before the newest observation when it was found: sent only for a subscription with \`past\`.`,
      }),
    ),
  },
  { title: 'AnomalyEventData', description: 'The anomaly as the API gives it, without provenance.' },
);

const IncidentData = Type.Object(
  {
    ...Incident.properties,
    url: Url,
    merged_into: Type.Optional(
      nullable(
        Type.String({
          description:
            'Only when nothing of the incident is left: the incident that its members belong to now; null when they are gone.',
        }),
      ),
    ),
  },
  { title: 'IncidentEventData', description: 'The incident as the list of the API gives it.' },
);

const DigestData = Type.Object(
  {
    subscription_id: Type.String(),
    aoi_id: Type.String(),
    digest: Type.Enum([...DIGESTS]),
    from: Timestamp('End of the digest before.'),
    to: Timestamp('End of this digest.'),
    incident_count: Type.Integer({ minimum: 1 }),
    incidents: Type.Array(Incident, {
      description: `Those that began last, at most ${DIGEST_INCIDENTS}.`,
    }),
    url: Url,
  },
  { title: 'IncidentDigestEventData', description: 'The incidents of a subscription that began or changed.' },
);

const RiskThresholdData = Type.Object(
  {
    watch_id: Type.Optional(Type.String({ description: 'The risk watch that was crossed.' })),
    subscription_id: Type.Optional(Type.String({ description: 'Or the anomaly subscription.' })),
    aoi_id: Type.Optional(Type.String({ description: 'The area watched.' })),
    lat: Type.Optional(Lat),
    lng: Type.Optional(Lng),
    peril: Peril,
    threshold: Score,
    risk_score: Score,
    previous_score: Score,
    confidence: Score,
    model_version: Type.String(),
    url: Type.Optional(Url),
  },
  { title: 'RiskThresholdEventData', description: 'A watched score that crossed its threshold upward.' },
);

const DisabledData = Type.Object(
  {
    webhook_id: Type.String(),
    endpoint_url: Type.String({ description: 'The address that gets nothing more.' }),
    reason: Type.String(),
    failing_since: Timestamp('First failure after the last success.'),
    disabled_at: Timestamp('When deliveries to it were stopped.'),
    url: Url,
  },
  { title: 'WebhookDisabledEventData', description: 'A webhook endpoint that was disabled.' },
);

const TestData = Type.Object(
  {},
  { title: 'TestEventData', additionalProperties: true, description: 'Nothing to act on.' },
);

function event<const T extends EventType, D extends TSchema>(type: T, data: D, title: string) {
  return Type.Object(
    {
      id: Type.String({ description: 'The same in every attempt: drop what you have already handled.' }),
      type: Type.Literal(type),
      created_at: Timestamp('When it happened.'),
      environment: Type.Enum([...ENVIRONMENTS]),
      data,
    },
    { title },
  );
}

/** The types of events. For each type: when it is sent, the schema of the body of a delivery, and an example. */
export const EVENTS = {
  'risk.threshold_exceeded': {
    meaning: `A watched risk score crossed its threshold upward; sent once, and again only after it fell ${REARM_BELOW} below.`,
    body: event('risk.threshold_exceeded', RiskThresholdData, 'RiskThresholdExceededEvent'),
    example: {
      ...sample.happened,
      type: 'risk.threshold_exceeded',
      data: {
        subscription_id: sample.SUBSCRIPTION,
        aoi_id: sample.AOI,
        peril: 'wildfire',
        threshold: 0.7,
        risk_score: 0.74,
        previous_score: 0.66,
        confidence: 0.58,
        model_version: 'wildfire-v0.2.0',
        url: `/v1/risk/watches/${sample.WATCH}`,
      },
    },
  },
  'change.suspected': {
    meaning: `A change is suspected with a confidence of ${SUSPICION_CONFIDENCE} or above; sent once, and once more with the status \`rejected\` if it comes to nothing. Only for those who ask for it by name.`,
    body: event('change.suspected', ChangeData, 'ChangeSuspectedEvent'),
    example: {
      ...sample.happened,
      type: 'change.suspected',
      data: {
        ...sample.change,
        status: 'suspected',
        confidence: 0.84,
        confirmed_at: null,
        url: `/v1/changes/${sample.CHANGE}`,
        images_url: `/v1/changes/${sample.CHANGE}/images`,
      },
    },
  },
  'change.detected': {
    meaning:
      'A change was confirmed, also when it was found in history. Sent once for a change, whichever model finds it.',
    body: event('change.detected', ChangeData, 'ChangeDetectedEvent'),
    example: sample.changeDetected,
  },
  'change.updated': {
    meaning:
      'A change that was confirmed grew, recovered or was rejected, or another model states it otherwise.',
    body: event('change.updated', ChangeData, 'ChangeUpdatedEvent'),
    example: {
      ...sample.happened,
      type: 'change.updated',
      data: {
        ...sample.change,
        status: 'recovered',
        recovered_at: '2026-10-20',
        url: `/v1/changes/${sample.CHANGE}`,
        images_url: `/v1/changes/${sample.CHANGE}/images`,
      },
    },
  },
  'anomaly.detected': {
    meaning: 'A feed of a subscribed area left its expected range.',
    body: event('anomaly.detected', AnomalyData, 'AnomalyDetectedEvent'),
    example: { ...sample.happened, type: 'anomaly.detected', data: sample.anomalyData },
  },
  'anomaly.ended': {
    meaning: 'That feed is back within its expected range.',
    body: event('anomaly.ended', AnomalyData, 'AnomalyEndedEvent'),
    example: {
      ...sample.happened,
      type: 'anomaly.ended',
      data: { ...sample.anomalyData, status: 'ended', ended_at: '2026-09-20T10:00:00.000Z' },
    },
  },
  'incident.opened': {
    meaning: 'The first anomaly or change of a cause was published. Sent once for an incident.',
    body: event('incident.opened', IncidentData, 'IncidentOpenedEvent'),
    example: { ...sample.happened, type: 'incident.opened', data: sample.incidentData },
  },
  'incident.updated': {
    meaning: 'Something about an incident changed: an anomaly or change was added, its severity, its end.',
    body: event('incident.updated', IncidentData, 'IncidentUpdatedEvent'),
    example: {
      ...sample.happened,
      type: 'incident.updated',
      data: { ...sample.incidentData, severity: 'critical', updated_at: '2026-09-04T02:10:00.000Z' },
    },
  },
  'incident.closed': {
    meaning: 'Nothing of an incident lasts any longer, or it became part of another one.',
    body: event('incident.closed', IncidentData, 'IncidentClosedEvent'),
    example: {
      ...sample.happened,
      type: 'incident.closed',
      data: {
        ...sample.incidentData,
        title: 'Thin vegetation and loss of vegetation at Ljubljana west, 12 July to 20 September 2026',
        status: 'closed',
        ended_at: '2026-09-20T10:00:00.000Z',
        updated_at: '2026-09-21T02:10:00.000Z',
      },
    },
  },
  'incident.digest': {
    meaning:
      'What began or changed in the last hour or day, for a subscription with a digest: in place of the events of its anomalies and incidents. None is sent when nothing did.',
    body: event('incident.digest', DigestData, 'IncidentDigestEvent'),
    example: {
      ...sample.happened,
      type: 'incident.digest',
      data: {
        subscription_id: sample.SUBSCRIPTION,
        aoi_id: sample.AOI,
        digest: 'daily',
        from: '2026-08-31T00:00:12.000Z',
        to: '2026-09-01T00:00:09.000Z',
        incident_count: 1,
        incidents: [sample.incident],
        url: `/v1/incidents?aoi_id=${sample.AOI}&updated_since=2026-08-31T00:00:12.000Z`,
      },
    },
  },
  'webhook.disabled': {
    meaning: `An endpoint answered 410 or nothing but failures for ${inWords(FAILING_DAYS)} days, and gets nothing more until you enable it; sent to your other endpoints.`,
    body: event('webhook.disabled', DisabledData, 'WebhookDisabledEvent'),
    example: {
      ...sample.happened,
      type: 'webhook.disabled',
      data: {
        webhook_id: sample.WEBHOOK,
        endpoint_url: sample.webhook.url,
        reason: `${inWords(FAILING_DAYS)} days of nothing but failed deliveries`,
        failing_since: '2026-08-27T02:09:00.000Z',
        disabled_at: '2026-09-01T02:10:00.000Z',
        url: `/v1/webhooks/${sample.WEBHOOK}`,
      },
    },
  },
  'webhook.test': {
    meaning: 'You asked for it, to try the endpoint.',
    body: event('webhook.test', TestData, 'WebhookTestEvent'),
    example: { ...sample.happened, type: 'webhook.test', data: {} },
  },
} as const satisfies Record<EventType, { meaning: string; body: TSchema; example: unknown }>;

/** Any event. Its `type` determines its payload. */
export type WebhookEvent = { [T in EventType]: Static<(typeof EVENTS)[T]['body']> }[EventType];
