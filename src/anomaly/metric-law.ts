import { DAY_MS, JULIAN_YEAR_MS } from '../base/time.ts';

/** Maximum age of the observations used for metrics of the ground [ms]: ten years (our choice). */
const STATE_MEMORY_MS = 10 * JULIAN_YEAR_MS;
/** Maximum age of the observations used for weather [ms]: 30 years, a climatological normal (WMO-No. 1203, 2017). */
const CLIMATE_MEMORY_MS = 30 * JULIAN_YEAR_MS;
/** Duration after which a departure of the ground in one direction is a new state [ms]: a year (our choice). */
const NEW_GROUND_MS = 365 * DAY_MS;
/**
 * Duration after which a departure of the weather in one direction is a new state [ms]: three years (our choice). A
 * drought can last longer than one year and is not a new state. Moving a gauge is one, because its effect is
 * permanent.
 */
const NEW_CLIMATE_MS = 3 * JULIAN_YEAR_MS;

/**
 * Distribution of the observations of a metric about the expectation:
 * - `normal`: the values are normal;
 * - `power`: the values raised to `exponent` are normal;
 * - `gamma`: the values raised to `power` have a gamma distribution, and all values below `trace` count as zero;
 * - `level`: a t distribution about the latest level; a step is at first an anomaly, later the new level.
 */
export type MetricLaw = SeasonalLaw | { readonly kind: 'level'; readonly memoryMs: number };

/** A distribution about a seasonal baseline. */
export type SeasonalLaw = (
  | { readonly kind: 'normal' }
  | { readonly kind: 'power'; readonly exponent: number }
  | { readonly kind: 'gamma'; readonly power: number; readonly trace: number }
) &
  Memory;

/** Rules for dropping past observations of a metric. */
interface Memory {
  /** Maximum age of the observations used [ms]. */
  readonly memoryMs: number;
  /**
   * Duration after which an uninterrupted departure in one direction is a new state [ms]. All observations before it
   * are dropped.
   */
  readonly newStateMs: number;
}

const GROUND: Memory = { memoryMs: STATE_MEMORY_MS, newStateMs: NEW_GROUND_MS };
const CLIMATE: Memory = { memoryMs: CLIMATE_MEMORY_MS, newStateMs: NEW_CLIMATE_MS };

/** Distribution of metrics that are not in `LAWS`, such as spectral indices. */
export const NORMAL_LAW: SeasonalLaw = { kind: 'normal', ...GROUND };

const WEATHER: MetricLaw = { kind: 'normal', ...CLIMATE };
/**
 * The squared speed of a wind with normal components has a gamma distribution of shape 1 (Rayleigh 1880). For a daily
 * mean speed the shape is larger.
 */
const WIND: MetricLaw = { kind: 'gamma', power: 2, trace: 0, ...CLIMATE };
/** Box-Cox exponent for the flow of rivers (McInerney et al. 2017, doi:10.1002/2016WR019168). */
const FLOW: MetricLaw = { kind: 'power', exponent: 0.2, ...CLIMATE };
/** Rain: as in the standardised precipitation index (McKee, Doesken & Kleist 1993). Gauges resolve .1 mm. */
const RAIN: MetricLaw = { kind: 'gamma', power: 1, trace: 0.1, ...CLIMATE };
/** Fire weather is zero in wet periods and skewed in dry periods (our choice). The index is published to .1. */
const FIRE: MetricLaw = { kind: 'gamma', power: 1, trace: 0.1, ...CLIMATE };
const LEVEL: MetricLaw = { kind: 'level', memoryMs: STATE_MEMORY_MS };

/** Distribution of each metric by its key. */
const LAWS: Readonly<Record<string, MetricLaw>> = {
  precipitation: RAIN,
  precipitation_30d: RAIN,
  river_flow: FLOW,
  fwi: FIRE,
  dsr: FIRE,
  wind: WIND,
  gust: WIND,
  temperature: WEATHER,
  humidity: WEATHER,
  pressure: WEATHER,
  river_level: WEATHER,
  soil_moisture: WEATHER,
  displacement: LEVEL,
  displacement_east: LEVEL,
  displacement_north: LEVEL,
  displacement_up: LEVEL,
};

/** Distribution of the metric with a given key. */
export function metricLaw(metric: string): MetricLaw {
  return LAWS[metric] ?? NORMAL_LAW;
}

/** Describes a distribution in words, for provenance. */
export function lawText(law: MetricLaw): string {
  if (law.kind === 'normal') return 'normal';
  if (law.kind === 'power') return `normal after raising to the power ${law.exponent}`;
  if (law.kind === 'level') return 'about the median of the latest 30 days, at least 8 observations';
  const raised = law.power === 1 ? '' : ` after raising to the power ${law.power}`;
  return `gamma by season${raised}${law.trace > 0 ? `, with a mass at zero for values under ${law.trace}` : ''}`;
}
