import type { RiskWatch, WebhookEvent } from '../../src/client/index.ts';

/** A watched score that rose to its threshold. */
export type Crossing = Extract<WebhookEvent, { readonly type: 'risk.threshold_exceeded' }>;

/**
 * The crossings of one watch among events, in order. Events of a subscription's watch name the subscription instead.
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

/** The standing of a watch in a word, and the kind of its badge. */
export function standingOf({ status, confidence, above }: RiskWatch): {
  readonly word: string;
  readonly kind: string;
} {
  if (status === 'paused') return { word: 'paused', kind: 'paused' };
  if (above) return { word: 'above', kind: 'high' };
  return confidence > 0 ? { word: 'below', kind: 'active' } : { word: 'no data', kind: 'unknown' };
}
