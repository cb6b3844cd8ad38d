import type { WebhookEvent } from '../../src/client/index.ts';
import { changeName } from '../changes/change-name.ts';
import { area, count, number, words } from '../format.ts';
import type { Route } from '../route.ts';

/** Maximum number of events that are kept and listed. */
export const KEPT_EVENTS = 200;

/**
 * Adds an event at the start of the known events, which are sorted from newest to oldest. An event that is already
 * known is not added again.
 */
export function withEvent(known: readonly WebhookEvent[], event: WebhookEvent): readonly WebhookEvent[] {
  if (known.some(({ id }) => id === event.id)) return known;
  return [event, ...known].slice(0, KEPT_EVENTS);
}

/** Returns the subject of an event as one line of text, and the route of the page with details if there is one. */
export function eventSubject(event: WebhookEvent): { readonly text: string; readonly to?: Route } {
  switch (event.type) {
    case 'change.suspected':
    case 'change.detected':
    case 'change.updated': {
      const { id, type, area_m2, status } = event.data;
      return { text: `${changeName(type)}, ${area(area_m2)}, ${status}`, to: { pane: 'change', id } };
    }
    case 'anomaly.detected':
    case 'anomaly.ended': {
      const { id, peril, metric, value } = event.data;
      return { text: `${words(peril)}: ${metric} ${number(value)}`, to: { pane: 'anomaly', id } };
    }
    case 'incident.opened':
    case 'incident.updated':
    case 'incident.closed':
      return {
        text: event.data.title,
        to: { pane: 'incident', id: event.data.merged_into ?? event.data.id },
      };
    case 'incident.digest': {
      const { incident_count: incidents, aoi_id: id } = event.data;
      return { text: `${count(incidents, 'incident')} began or changed`, to: { pane: 'area', id } };
    }
    case 'risk.threshold_exceeded': {
      const { peril, risk_score, threshold, aoi_id, lat, lng } = event.data;
      const text = `${words(peril)}: ${risk_score.toFixed(2)}, above ${threshold.toFixed(2)}`;
      if (aoi_id !== undefined) return { text, to: { pane: 'area', id: aoi_id } };
      if (lat !== undefined && lng !== undefined) return { text, to: { pane: 'place', at: { lat, lng } } };
      return { text };
    }
    case 'webhook.disabled':
      return { text: event.data.endpoint_url, to: { pane: 'webhook', id: event.data.webhook_id } };
    case 'webhook.test':
    default:
      return { text: 'Nothing to act on' };
  }
}
