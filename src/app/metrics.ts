/** One metric that series can be asked for. */
export interface MetricCard {
  readonly key: string;
  readonly unit: string;
  /** Least and greatest value that makes sense; empty: unbounded. */
  readonly range: readonly number[];
  readonly period: string;
  readonly source: string;
}

/** Metrics known before anything is ingested. */
export const KNOWN_METRICS: readonly MetricCard[] = [
  {
    key: 'ndvi',
    unit: '1',
    range: [-1, 1],
    period: 'each clear acquisition',
    source:
      'Normalised difference of near infrared and red reflectance (Rouse et al. 1974), from ingested imagery',
  },
  {
    key: 'moisture',
    unit: '1',
    range: [-1, 1],
    period: 'each clear acquisition',
    source:
      'Normalised difference moisture index of near and short-wave infrared reflectance (Gao 1996), from ingested imagery',
  },
  {
    key: 'nbr',
    unit: '1',
    range: [-1, 1],
    period: 'each clear acquisition',
    source: 'Normalised burn ratio (Key & Benson 2006), from ingested imagery',
  },
  {
    key: 'mndwi',
    unit: '1',
    range: [-1, 1],
    period: 'each clear acquisition',
    source: 'Modified normalised difference water index (Xu 2006), from ingested imagery',
  },
  {
    key: 'ndbi',
    unit: '1',
    range: [-1, 1],
    period: 'each clear acquisition',
    source: 'Normalised difference built-up index (Zha et al. 2003), from ingested imagery',
  },
  {
    key: 'evi',
    unit: '1',
    range: [-1, 1],
    period: 'each clear acquisition',
    source: 'Enhanced vegetation index (Huete et al. 2002), from ingested imagery',
  },
  {
    key: 'displacement',
    unit: 'mm',
    range: [],
    period: 'each acquisition',
    source: 'Displacement along the line of sight or upward, from ingested InSAR or GNSS',
  },
];

const FORM = /^[a-z][a-z0-9_]{0,62}$/;

/** Whether a text can be the key of a metric: lower case letters, digits and `_`. */
export function isMetricKey(text: string): boolean {
  return FORM.test(text);
}

/** The card of a metric; one that only a collection of the user's knows is told as such. */
export function metricCard(key: string): MetricCard {
  return (
    KNOWN_METRICS.find((metric) => metric.key === key) ?? {
      key,
      unit: '1',
      range: [],
      period: 'each observation',
      source: 'ingested by the operator of this service',
    }
  );
}
