import { Type, type Static, type TSchema } from 'typebox';
import { Anomaly } from './anomalies.ts';
import { Change } from './changes.ts';
import type { EventType } from './events.ts';
import { Lat, Lng, Peril, Timestamp } from './fields.ts';
import { ENVIRONMENTS } from './vocabulary.ts';

const Url = Type.String({
  pattern: '^/v1/',
  description:
    'Path at which the API gives the whole resource, provenance included: put it after the address by which you call the API.',
});
const Score = Type.Number({ minimum: 0, maximum: 1 });

const ChangeData = Type.Object(
  { ...Type.Omit(Change, ['provenance']).properties, url: Url },
  {
    title: 'ChangeEventData',
    description: 'The change as the API gives it, without provenance; geometry of at most 200 vertices.',
  },
);

const AnomalyData = Type.Object(
  { ...Type.Omit(Anomaly, ['provenance']).properties, url: Url },
  { title: 'AnomalyEventData', description: 'The anomaly as the API gives it, without provenance.' },
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

/** Body of a delivery, by the type of its event. */
export const EVENT_BODIES = {
  'risk.threshold_exceeded': event(
    'risk.threshold_exceeded',
    RiskThresholdData,
    'RiskThresholdExceededEvent',
  ),
  'change.detected': event('change.detected', ChangeData, 'ChangeDetectedEvent'),
  'change.updated': event('change.updated', ChangeData, 'ChangeUpdatedEvent'),
  'anomaly.detected': event('anomaly.detected', AnomalyData, 'AnomalyDetectedEvent'),
  'anomaly.ended': event('anomaly.ended', AnomalyData, 'AnomalyEndedEvent'),
  'webhook.disabled': event('webhook.disabled', DisabledData, 'WebhookDisabledEvent'),
  'webhook.test': event('webhook.test', TestData, 'WebhookTestEvent'),
} as const satisfies Record<EventType, TSchema>;

/** Any event, told apart by its `type`. */
export type WebhookEvent = { [T in EventType]: Static<(typeof EVENT_BODIES)[T]> }[EventType];

/** When each type of event is sent. */
export const EVENT_MEANINGS: Readonly<Record<EventType, string>> = {
  'risk.threshold_exceeded':
    'A watched risk score crossed its threshold upward; sent once, and again only after it fell 0.05 below.',
  'change.detected': 'A change was confirmed, also when it was found in history.',
  'change.updated': 'A reported change grew, recovered or was rejected.',
  'anomaly.detected': 'A feed of a subscribed area left its expected range.',
  'anomaly.ended': 'That feed is back within its expected range.',
  'webhook.disabled':
    'An endpoint answered 410 or nothing but failures for five days, and gets nothing more until you enable it; sent to your other endpoints.',
  'webhook.test': 'You asked for it, to try the endpoint.',
};
