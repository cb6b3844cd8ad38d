import { fitDisplacement } from '../risk/displacement-series.ts';
import { YEAR_MS } from '../risk/displacement-season.ts';
import type { Station } from './feed-store.ts';
import { dailySums, fireWeatherSeries, type Observed } from './fire-weather-series.ts';

const DAY_MS = 86_400_000;
const WEEK_MS = 7 * DAY_MS;
const DAYS = 30;
/** Days of thirty, and hours of a day, whose rain must be known for a sum (ours). */
const LEAST_DAYS = 27;
const LEAST_HOURS = 20;
/** Time that a rate is of [ms], and what must be there of it: its span, its observations, how new the last (ours). */
const RATE_MS = 2 * YEAR_MS;
const LEAST_SPAN_MS = 1.5 * YEAR_MS;
const LEAST_OBSERVATIONS = 15;
const LATEST_MS = 60 * DAY_MS;

/** A metric that is computed from others of its collection. */
export interface Derivation {
  readonly metric: string;
  /** What it needs: of each list the first metric that is there. */
  readonly needs: readonly (readonly string[])[];
  /** One series of each need, in their order; each has an observation. */
  readonly derive: (sources: readonly Observed[], station: Station) => Observed;
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
  { metric: 'precipitation_30d', needs: [['precipitation']], derive: ([rain]) => monthOfRain(rain!) },
  {
    metric: 'displacement_rate',
    needs: [['displacement', 'displacement_up']],
    derive: ([displacement]) => rates(displacement!),
  },
];

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

/** Rate of displacement over the two years before each month's first day [mm/yr], where they are known. */
export function rates(observed: Observed): Observed {
  const { timesMs, values, lastMs } = weekly(observed);
  const [times, found]: [number[], number[]] = [[], []];
  const first = new Date(timesMs[0]!);
  let [from, to] = [0, 0];
  for (let month = first.getUTCMonth() + 1; ; month++) {
    const atMs = Date.UTC(first.getUTCFullYear(), month, 1);
    if (!(observed.timesMs.at(-1)! >= atMs)) break;
    while (to < timesMs.length && lastMs[to]! < atMs) to++;
    while (from < to && timesMs[from]! < atMs - RATE_MS) from++;
    if (to - from < LEAST_OBSERVATIONS) continue;
    const last = timesMs[to - 1]!;
    if (atMs - last > LATEST_MS || last - timesMs[from]! < LEAST_SPAN_MS) continue;
    const { velocity } = fitDisplacement(
      { timesMs: timesMs.subarray(from, to), displacementsMm: values.subarray(from, to) },
      { acceleration: false, harmonics: 1, maxFoundSteps: 0 },
    );
    times.push(atMs);
    found.push(Number(velocity.value.toFixed(3)));
  }
  return { timesMs: Float64Array.from(times), values: Float64Array.from(found) };
}

/** Medians of whole weeks at the median of their times: daily positions are correlated, and a rate needs no more. */
function weekly({ timesMs, values }: Observed): Observed & { readonly lastMs: readonly number[] } {
  const [times, medians, lastMs]: [number[], number[], number[]] = [[], [], []];
  for (let i = 0; i < timesMs.length;) {
    let end = i;
    while (end < timesMs.length && Math.floor(timesMs[end]! / WEEK_MS) === Math.floor(timesMs[i]! / WEEK_MS))
      end++;
    const sorted = values.slice(i, end).sort();
    const middle = (end - i) >> 1;
    times.push(timesMs[i + middle]!);
    lastMs.push(timesMs[end - 1]!);
    medians.push((end - i) % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2);
    i = end;
  }
  return { timesMs: Float64Array.from(times), values: Float64Array.from(medians), lastMs };
}
