import type { Peril } from '../../contract/fields.ts';
import { orbitPolarisation } from '../../raster/backscatter.ts';
import { KNOWN_METRICS, perilsOf, type MetricCard } from './known-metrics.ts';

const FORM = /^[a-z][a-z0-9_]{0,62}$/;
const KNOWN = new Map(KNOWN_METRICS.map((card) => [card.key, card]));

/**
 * Whether a text is a valid metric key: lower case letters, digits and `_`, starting with a letter, at most 63
 * characters.
 */
export function isMetricKey(text: string): boolean {
  return FORM.test(text);
}

/** Whether a metric is built in. Other metrics are defined only by the collections that contain them. */
export function isKnownMetric(key: string): boolean {
  return KNOWN.has(key);
}

/** Returns the card of a metric, or a default card if the metric is not built in. */
export function metricCard(key: string): MetricCard {
  const polarisation = orbitPolarisation(key);
  if (polarisation !== undefined)
    return {
      ...KNOWN.get(polarisation)!,
      key,
      source: `${KNOWN.get(polarisation)!.source}, of one relative orbit`,
    };
  return (
    KNOWN.get(key) ?? {
      key,
      unit: '1',
      range: [],
      period: 'each observation',
      source: 'ingested by the operator of this service',
      perils: { above: [], below: [] },
      derivedFrom: [],
      reachM: 1000, // our choice, since nothing is known about this metric
    }
  );
}

/** Metrics to watch for a peril, in the order of `KNOWN_METRICS`. */
export function metricsForPeril(peril: Peril): readonly string[] {
  return KNOWN_METRICS.filter(({ perils }) => perilsOf(perils).includes(peril)).map(({ key }) => key);
}

/** Keys under which a metric may have been ingested: its own key and its other names. */
export function ingestedAs(metric: string): readonly string[] {
  return metric === 'moisture' ? ['moisture', 'ndmi'] : [metric];
}
