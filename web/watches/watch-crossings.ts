import type { RiskWatch, WebhookEvent } from '../../src/client/index.ts';

/** Event that is sent when a watched score has risen to its threshold. */
export type Crossing = Extract<WebhookEvent, { readonly type: 'risk.threshold_exceeded' }>;

/**
 * Selects the crossings of one watch from events, in the same order. If the watch belongs to a subscription, its events
 * contain the identifier of the subscription instead of the watch.
 */
export function crossingsOf(
  { id, subscription_id, aoi_id, peril }: RiskWatch,
  events: readonly WebhookEvent[],
): readonly Crossing[] {
  return events.filter((event): event is Crossing => {
    if (event.type !== 'risk.threshold_exceeded') return false;
    const { data } = event;
    if (data.watch_id !== undefined) return data.watch_id === id;
    return data.subscription_id === subscription_id && data.aoi_id === aoi_id && data.peril === peril;
  });
}

/** Returns the state of a watch relative to its threshold as a word, and the kind of badge for it. */
export function standingOf({ status, confidence, above }: RiskWatch): {
  readonly word: string;
  readonly kind: string;
} {
  if (status === 'paused') return { word: 'paused', kind: 'paused' };
  if (above) return { word: 'above threshold', kind: 'high' };
  return confidence > 0 ? { word: 'below', kind: 'active' } : { word: 'no data', kind: 'unknown' };
}
