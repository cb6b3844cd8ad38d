import { mapGrid } from '../../../geo/grid.ts';
import { PAST_YEARS } from '../../../sandbox/past.ts';
import { runoff, WEATHER_SITES } from '../../../sandbox/stations.ts';
import { SANDBOX_GRID } from '../../../sandbox/terrain.ts';
import { calendar, dayOf, FIRST_DAY_MS, makeWeather, type Weather } from '../../../sandbox/weather.ts';
import { DAY_MS } from '../../../base/time.ts';
import { KMH_PER_MPS } from '../../layers/derive/fire-weather-source.ts';
import { monthOfRain } from '../../series/derived/derived-series.ts';
import { fireWeatherSeries } from '../../series/derived/fire-weather-series.ts';
import type { TimeSeries } from '../../series/time-series.ts';
import type { TrueSpell } from './anomalies.ts';

/**
 * Share of the recorded values that count as rare at each end: above the 99th or below the 1st percentile (Zhang et
 * al. 2011, doi:10.1002/wcc.147).
 */
const RARE = 0.01;
/**
 * Maximum number of days between a date and the dates of earlier years with which it is compared (our choice): 31 dates
 * in each of thirty years, 930 values. Nine of them lie above the upper bound, and nine below the lower bound.
 */
const AROUND_DAYS = 15;
const DATES = 366; // number of days of a leap year

/**
 * Finds weather of the simulated region that is rare for its date compared with the thirty years before the
 * first day. Covers the metrics that the weather stations and the river gauge report, and the metrics derived from
 * these. Finds both planted and random weather. Uses the true weather without instrument noise, and no statistical
 * model. Each run of days that are rare in the same direction is a spell.
 * @param until end of the search (exclusive) [days since 2022-01-01]
 */
export function rareWeather(seed: number, until: number): readonly TrueSpell[] {
  const first = dayOf(PAST_YEARS.from, 1, 1);
  return Object.entries(metricsOf(makeWeather(seed, until, first), first)).flatMap(([metric, series]) =>
    rareSpells(metric, series),
  );
}

/** Returns the series that instruments without noise would report at the shore. */
function metricsOf(weather: readonly Weather[], first: number): Readonly<Record<string, TimeSeries>> {
  const timesMs = Float64Array.from(weather, (_, i) => FIRST_DAY_MS + (first + i) * DAY_MS);
  const observed = (value: (day: Weather) => number): TimeSeries => ({
    timesMs,
    values: Float64Array.from(weather, value),
  });
  const temperature = observed(({ temperatureC }) => temperatureC);
  const humidity = observed((day) => day.humidity);
  const wind = observed(({ windKmh }) => windKmh / KMH_PER_MPS);
  const rain = observed(({ rainMm }) => rainMm);
  const [{ col, row }] = WEATHER_SITES as readonly [(typeof WEATHER_SITES)[number]];
  const [lng, lat] = mapGrid(SANDBOX_GRID).toLngLat(col + 0.5, row + 0.5);
  return {
    temperature,
    humidity,
    wind,
    gust: observed(({ gustMps }) => gustMps),
    precipitation: rain,
    precipitation_30d: monthOfRain(rain),
    // Runoff of the catchment instead of the flow: only ranks matter, and both have the same ranks.
    river_flow: { timesMs, values: runoff(weather, first) },
    fwi: fireWeatherSeries({ temperature, humidity, wind, rain }, lng, lat),
  };
}

function rareSpells(metric: string, { timesMs, values }: TimeSeries): readonly TrueSpell[] {
  const days = Array.from(timesMs, (timeMs) => Math.floor((timeMs - FIRST_DAY_MS) / DAY_MS));
  const present = days.findIndex((day) => day >= 0);
  const recorded: number[][] = Array.from({ length: DATES }, () => []);
  for (let i = 0; i < present; i++) recorded[calendar(days[i]!).dayOfYear]!.push(values[i]!);
  const bounds = recorded.map((_, date) => boundsOf(recorded, date));
  const spells: (TrueSpell & { to: number })[] = [];
  let [open, before]: [(typeof spells)[number] | undefined, number] = [undefined, 0];
  for (let i = Math.max(0, present); i < days.length; i++) {
    const day = days[i]!;
    const { least, most } = bounds[calendar(day).dayOfYear]!;
    const side = values[i]! > most ? 1 : values[i]! < least ? -1 : 0;
    if (side !== 0 && side === before) open!.to = day;
    else if (side !== 0) {
      const what = `${side > 0 ? 'high' : 'low'} ${metric}`;
      open = { what, from: day, to: day, signs: { [metric]: side }, afterDays: {}, places: null };
      spells.push(open);
    }
    before = side;
  }
  return spells;
}

/** Computes the bounds between which a value is not rare, from the recorded values within AROUND_DAYS of a date. */
function boundsOf(recorded: readonly (readonly number[])[], date: number) {
  const around: number[] = [];
  for (let d = date - AROUND_DAYS; d <= date + AROUND_DAYS; d++)
    around.push(...recorded[(d + DATES) % DATES]!);
  const sorted = Float64Array.from(around).sort();
  const rarer = Math.floor(RARE * sorted.length);
  return { least: sorted[rarer]!, most: sorted[sorted.length - 1 - rarer]! };
}
