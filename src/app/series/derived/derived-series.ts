import { precipitationIndex } from '../../../anomaly/precipitation-index.ts';
import { displacementRates } from './displacement-rates.ts';
import type { Station } from '../station-store.ts';
import { dailySums, fireWeatherSeries } from './fire-weather-series.ts';
import type { Observed } from '../observed.ts';
import { usualHours } from './rain-quality.ts';
import { DAY_MS } from '../../../base/time.ts';

const DAYS = 30;
/** Days of thirty, and hours of a day, whose rain must be known for a sum (ours). */
const LEAST_DAYS = 27;
const LEAST_HOURS = 20;
/** Observations so far apart are of months [h]. */
const MONTH_HOURS = { least: 27 * 24, most: 32 * 24 };

/** A metric that is computed from others of its collection. */
export interface Derivation {
  readonly metric: string;
  /** What it needs: of each list the first metric that is there. */
  readonly needs: readonly (readonly string[])[];
  /** One series of each need, in their order; each has an observation. */
  readonly derive: (sources: readonly Observed[], station: Pick<Station, 'lng' | 'lat'>) => Observed;
  /** Whether it is also computed, when it is asked for, from grids of its one need. */
  readonly ofGrids?: true;
}

/** Every metric that is computed when what it needs is ingested. */
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

/** Whether something is computed from a metric. */
export function isDerivedFrom(metric: string): boolean {
  return SOURCES.has(metric);
}

/** Rain of the 30 days that end with each day [mm]; days that are not known are taken to be like the others. */
export function monthOfRain(rain: Observed): Observed {
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
 * Standardised precipitation index of the months that end with each, on its last day [1]; observations once a month are
 * those of the month that they stand in.
 */
export function droughtIndex(rain: Observed, months: number): Observed {
  const sums = monthlySums(rain);
  if (sums.size === 0) return { timesMs: new Float64Array(0), values: new Float64Array(0) };
  const known = [...sums.keys()];
  const first = 12 * Math.floor(known.reduce((a, b) => Math.min(a, b)) / 12);
  const last = known.reduce((a, b) => Math.max(a, b));
  const found = precipitationIndex(
    Float64Array.from({ length: last - first + 1 }, (_, i) => sums.get(first + i) ?? Number.NaN),
    months,
  );
  const told = [...found.keys()].filter((i) => !Number.isNaN(found[i]!));
  return {
    timesMs: Float64Array.from(told, (i) => lastDayOf(first + i)),
    values: Float64Array.from(told, (i) => Number(found[i]!.toFixed(2))),
  };
}

/** Last day of a month, by its number since January 1970 [ms since the Unix epoch]. */
function lastDayOf(month: number): number {
  return Date.UTC(1970, month + 1, 0);
}

/** Sums of calendar months, by their number since January 1970; those of which too few days are known are not there. */
function monthlySums(rain: Observed): ReadonlyMap<number, number> {
  const numberOf = (timeMs: number): number => {
    const date = new Date(timeMs);
    return 12 * (date.getUTCFullYear() - 1970) + date.getUTCMonth();
  };
  const hours = usualHours(rain.timesMs);
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
