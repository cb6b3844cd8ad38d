/** Every type of event that a webhook can subscribe to. */
export const EVENT_TYPES = [
  'risk.threshold_exceeded',
  'change.detected',
  'change.updated',
  'anomaly.detected',
  'anomaly.ended',
  'webhook.disabled',
  'webhook.test',
] as const;
export type EventType = (typeof EVENT_TYPES)[number];

/** The body of a delivery, as it is signed and sent. */
export interface EventBody<T = Readonly<Record<string, unknown>>> {
  readonly id: string;
  readonly type: EventType;
  readonly created_at: string;
  readonly environment: string;
  readonly data: T;
}
