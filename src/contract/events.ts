/** Every type of event that a webhook can subscribe to. */
export const EVENT_TYPES = [
  'risk.threshold_exceeded',
  'change.suspected',
  'change.detected',
  'change.updated',
  'anomaly.detected',
  'anomaly.ended',
  'incident.opened',
  'incident.updated',
  'incident.closed',
  'incident.digest',
  'webhook.disabled',
  'webhook.test',
] as const;
export type EventType = (typeof EVENT_TYPES)[number];

/**
 * Types that only those receive who ask for them by name. Neither `*` at a webhook nor a list or stream of events
 * without a type includes them.
 */
export const NAMED_ONLY: readonly EventType[] = ['change.suspected'];

/** The body of a delivery, as it is signed and sent. */
export interface EventBody<T = Readonly<Record<string, unknown>>> {
  readonly id: string;
  readonly type: EventType;
  readonly created_at: string;
  readonly environment: string;
  readonly data: T;
}
