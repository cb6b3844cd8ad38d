import type { Peril } from '../../contract/fields.ts';
import { KNOWN_METRICS, type MetricCard } from './metric-cards.ts';

const FORM = /^[a-z][a-z0-9_]{0,62}$/;
const KNOWN = new Map(KNOWN_METRICS.map((card) => [card.key, card]));

/** Whether a text can be the key of a metric: lower case letters, digits and `_`. */
export function isMetricKey(text: string): boolean {
  return FORM.test(text);
}

/** Whether the metric is one that we know more of than that it was ingested. */
export function isKnownMetric(key: string): boolean {
  return KNOWN.has(key);
}

/** The card of a metric; one that only a collection of the user's knows is told as such. */
export function metricCard(key: string): MetricCard {
  return (
    KNOWN.get(key) ?? {
      key,
      unit: '1',
      range: [],
      period: 'each observation',
      source: 'ingested by the operator of this service',
      perils: [],
      derivedFrom: [],
      reachM: 1000, // ours: nothing is known of it
    }
  );
}

/** Metrics to watch for a peril, in the order of the table. */
export function metricsForPeril(peril: Peril): readonly string[] {
  return KNOWN_METRICS.filter(({ perils }) => perils.includes(peril)).map(({ key }) => key);
}

/** Keys under which a metric may have been ingested: its own, and other names of it. */
export function ingestedAs(metric: string): readonly string[] {
  return metric === 'moisture' ? ['moisture', 'ndmi'] : [metric];
}
