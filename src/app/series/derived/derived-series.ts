import { precipitationIndex } from '../../../anomaly/precipitation-index.ts';
import { displacementRates } from './displacement-rates.ts';
import type { Station } from '../station-store.ts';
import { dailySums, fireWeatherSeries } from './fire-weather-series.ts';
import type { TimeSeries } from '../time-series.ts';
import { medianIntervalHours } from './rain-quality.ts';
import { DAY_MS } from '../../../base/time.ts';

const DAYS = 30;
/** Minimum number of days with data in 30 days, and of hours with data in a day, for a sum of rain (our choice). */
const LEAST_DAYS = 27;
const LEAST_HOURS = 20;
/** Range of the median interval of a monthly series [h]. */
const MONTH_HOURS = { least: 27 * 24, most: 32 * 24 };

/** How a metric is derived from other metrics of its collection. */
export interface Derivation {
  readonly metric: string;
  /** The source metrics. Each entry is a list of alternatives, of which the first metric that exists is used. */
  readonly needs: readonly (readonly string[])[];
  /** @param sources one series per entry of `needs`, in the same order, each with at least one observation */
  readonly derive: (sources: readonly TimeSeries[], station: Pick<Station, 'lng' | 'lat'>) => TimeSeries;
  /** True if the metric can also be derived from grids at request time. `needs` then has a single entry. */
  readonly ofGrids?: true;
}

/** All derived metrics. They are computed after the ingest of their source metrics. */
export const DERIVATIONS: readonly Derivation[] = [
  {
    metric: 'fwi',
    needs: [['temperature'], ['humidity'], ['wind'], ['precipitation']],
    derive: ([temperature, humidity, wind, rain], { lng, lat }) =>
      fireWeatherSeries(
        { temperature: temperature!, humidity: humidity!, wind: wind!, rain: rain! },
        lng,
        lat,
      ),
  },
  {
    metric: 'precipitation_30d',
    needs: [['precipitation']],
    derive: ([rain]) => monthOfRain(rain!),
    ofGrids: true,
  },
  { metric: 'spi_3', needs: [['precipitation']], derive: ([rain]) => droughtIndex(rain!, 3) },
  { metric: 'spi_12', needs: [['precipitation']], derive: ([rain]) => droughtIndex(rain!, 12) },
  {
    metric: 'displacement_rate',
    needs: [['displacement', 'displacement_up']],
    derive: ([displacement]) => displacementRates(displacement!),
  },
];

const SOURCES: ReadonlySet<string> = new Set(DERIVATIONS.flatMap(({ needs }) => needs.flat()));

/** Whether any metric is derived from this metric. */
export function isDerivationSource(metric: string): boolean {
  return SOURCES.has(metric);
}

/**
 * Sum of rain over the 30 days that end with each day [mm]. Days without data are assumed to have the mean of the days
 * with data.
 */
export function monthOfRain(rain: TimeSeries): TimeSeries {
  const sums = dailySums(rain, LEAST_HOURS, (day) => (day + 1) * DAY_MS);
  const [timesMs, values]: [number[], number[]] = [[], []];
  for (const day of [...sums.keys()].toSorted((a, b) => a - b)) {
    let [sum, count] = [0, 0];
    for (let before = day - DAYS + 1; before <= day; before++) {
      const known = sums.get(before);
      if (known === undefined) continue;
      sum += known;
      count++;
    }
    if (count < LEAST_DAYS) continue;
    timesMs.push(day * DAY_MS);
    values.push(Number(((sum * DAYS) / count).toFixed(3)));
  }
  return { timesMs: Float64Array.from(timesMs), values: Float64Array.from(values) };
}

/**
 * Standardised precipitation index over `months` calendar months [1], dated on the last day of the last month. In a
 * monthly series, an observation is the sum of the month that contains its time.
 */
export function droughtIndex(rain: TimeSeries, months: number): TimeSeries {
  const sums = monthlySums(rain);
  if (sums.size === 0) return { timesMs: new Float64Array(0), values: new Float64Array(0) };
  const known = [...sums.keys()];
  const first = 12 * Math.floor(known.reduce((a, b) => Math.min(a, b)) / 12);
  const last = known.reduce((a, b) => Math.max(a, b));
  const found = precipitationIndex(
    Float64Array.from({ length: last - first + 1 }, (_, i) => sums.get(first + i) ?? Number.NaN),
    months,
  );
  const valid = [...found.keys()].filter((i) => !Number.isNaN(found[i]!));
  return {
    timesMs: Float64Array.from(valid, (i) => lastDayOf(first + i)),
    values: Float64Array.from(valid, (i) => Number(found[i]!.toFixed(2))),
  };
}

/** Last day of a month [ms since the Unix epoch]. @param month months since January 1970 */
function lastDayOf(month: number): number {
  return Date.UTC(1970, month + 1, 0);
}

/** Sums of rain by calendar month, numbered from January 1970 [mm]. Months with too few days of data are left out. */
function monthlySums(rain: TimeSeries): ReadonlyMap<number, number> {
  const numberOf = (timeMs: number): number => {
    const date = new Date(timeMs);
    return 12 * (date.getUTCFullYear() - 1970) + date.getUTCMonth();
  };
  const hours = medianIntervalHours(rain.timesMs);
  if (hours >= MONTH_HOURS.least && hours <= MONTH_HOURS.most)
    return new Map(Array.from(rain.timesMs, (timeMs, i) => [numberOf(timeMs), rain.values[i]!]));
  const sums = new Map<number, { sum: number; days: number }>();
  for (const [day, mm] of dailySums(rain, LEAST_HOURS, (at) => (at + 1) * DAY_MS)) {
    const month = numberOf(day * DAY_MS);
    const { sum, days } = sums.get(month) ?? { sum: 0, days: 0 };
    sums.set(month, { sum: sum + mm, days: days + 1 });
  }
  return new Map(
    [...sums].flatMap(([month, { sum, days }]) => {
      const length = new Date(lastDayOf(month)).getUTCDate();
      return days >= (length * LEAST_DAYS) / DAYS ? [[month, (sum * length) / days]] : [];
    }),
  );
}
