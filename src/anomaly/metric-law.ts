import { DAY_MS } from '../base/time.ts';

const YEAR_MS = 365.25 * DAY_MS; // Julian year [ms]

/** Memory for the present state of the ground [ms]: ten years (our choice). */
const STATE_MEMORY_MS = 10 * YEAR_MS;
/** Memory of a climate [ms]: thirty years, a climatological normal (WMO-No. 1203, 2017). */
const CLIMATE_MEMORY_MS = 30 * YEAR_MS;
/** Length of a departure to one side that makes a new state [ms]: for the ground a year (our choice), */
const NEW_GROUND_MS = 365 * DAY_MS;
/** for weather three years (our choice): droughts last longer than one, and a gauge that was moved stays moved. */
const NEW_CLIMATE_MS = 3 * YEAR_MS;

/**
 * Distribution of the observations of a metric about the expectation:
 * - `normal`: unchanged;
 * - `power`: normal after raising to `exponent`;
 * - `gamma`: gamma after raising to `power`, with a mass at zero for all values below `trace`;
 * - `level`: about the latest level; a step is an anomaly at once and then becomes the level.
 */
export type MetricLaw = SeasonalLaw | { readonly kind: 'level'; readonly memoryMs: number };

/** A distribution about a seasonal baseline. */
export type SeasonalLaw = (
  | { readonly kind: 'normal' }
  | { readonly kind: 'power'; readonly exponent: number }
  | { readonly kind: 'gamma'; readonly power: number; readonly trace: number }
) &
  Memory;

/** How long past observations of a metric are used. */
interface Memory {
  /** Longest history used [ms]. */
  readonly memoryMs: number;
  /**
   * Length of an uninterrupted departure to one side that makes a new state; everything before it is forgotten [ms].
   */
  readonly newStateMs: number;
}

const GROUND: Memory = { memoryMs: STATE_MEMORY_MS, newStateMs: NEW_GROUND_MS };
const CLIMATE: Memory = { memoryMs: CLIMATE_MEMORY_MS, newStateMs: NEW_CLIMATE_MS };

/** Distribution of metrics that are not in the table, such as spectral indices. */
export const NORMAL_LAW: SeasonalLaw = { kind: 'normal', ...GROUND };

const WEATHER: MetricLaw = { kind: 'normal', ...CLIMATE };
/**
 * The square of a wind whose components are normal is gamma with shape 1 (Rayleigh 1880); for a daily mean the shape
 * is larger.
 */
const WIND: MetricLaw = { kind: 'gamma', power: 2, trace: 0, ...CLIMATE };
/** Box-Cox exponent for the flow of rivers (McInerney et al. 2017, doi:10.1002/2016WR019168). */
const FLOW: MetricLaw = { kind: 'power', exponent: 0.2, ...CLIMATE };
/** Rain as in the standardised precipitation index (McKee, Doesken & Kleist 1993); gauges resolve .1 mm. */
const RAIN: MetricLaw = { kind: 'gamma', power: 1, trace: 0.1, ...CLIMATE };
/** Fire weather: zero in wet periods, skewed in dry ones (our choice); .1 is the last digit of the published index. */
const FIRE: MetricLaw = { kind: 'gamma', power: 1, trace: 0.1, ...CLIMATE };
const LEVEL: MetricLaw = { kind: 'level', memoryMs: STATE_MEMORY_MS };

/** Distribution of each metric, by key. */
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

/** Law of a metric, by its key. */
export function metricLaw(metric: string): MetricLaw {
  return LAWS[metric] ?? NORMAL_LAW;
}

/** Description of a distribution, for provenance. */
export function lawText(law: MetricLaw): string {
  if (law.kind === 'normal') return 'normal';
  if (law.kind === 'power') return `normal after raising to the power ${law.exponent}`;
  if (law.kind === 'level') return 'about the median of the latest 30 days, at least 8 observations';
  const raised = law.power === 1 ? '' : ` after raising to the power ${law.power}`;
  return `gamma by season${raised}${law.trace > 0 ? `, with a mass at zero for values under ${law.trace}` : ''}`;
}
