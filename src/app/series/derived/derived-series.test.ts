import assert from 'node:assert/strict';
import { test } from 'node:test';
import { droughtIndex, monthOfRain } from './derived-series.ts';
import { dailySums, fireWeatherSeries } from './fire-weather-series.ts';
import type { TimeSeries } from '../time-series.ts';
import { DAY_MS, HOUR_MS } from '../../../base/time.ts';

function every(stepMs: number, count: number, value: (i: number) => number, startMs = 0): TimeSeries {
  return {
    timesMs: Float64Array.from({ length: count }, (_, i) => startMs + i * stepMs),
    values: Float64Array.from({ length: count }, (_, i) => value(i)),
  };
}

const day = (ms: number): string => new Date(ms).toISOString().slice(0, 10);

test('daily weather counts as noon weather, and three warm days open the fire season', () => {
  const warm = 4;
  const temperature = [...Array<number>(warm).fill(15), 17, 20];
  const observed = (values: readonly number[]): TimeSeries =>
    every(DAY_MS, values.length, (i) => values[i]!, Date.UTC(1985, 3, 9));
  const series = fireWeatherSeries(
    {
      temperature: observed(temperature),
      humidity: observed([...Array<number>(warm).fill(60), 42, 21]),
      wind: observed([...Array<number>(warm).fill(0), 25 / 3.6, 25 / 3.6]),
      rain: observed([0, 0, 0, 0, 0, 2.4]),
    },
    -100,
    40,
  );
  assert.deepEqual(
    [...series.values.subarray(0, 3)],
    [0, 0, 0],
    'three warm days open the season on the fourth',
  );
  assert.ok(series.values[4]! > series.values[3]!, 'wind and drier air raise the index');
  assert.equal(series.timesMs.length, 6);
});

test('of hourly weather the values at noon, local standard time, and the rain of the 24 hours before are used', () => {
  const lng = -90; // noon in local standard time is 18 h UTC
  const hours = 6 * 24;
  const start = Date.UTC(2020, 5, 1);
  const atNoon = (i: number): boolean => (i + 24 - 18) % 24 === 0;
  const common = {
    humidity: every(HOUR_MS, hours, () => 30, start),
    wind: every(HOUR_MS, hours, () => 5, start),
    rain: every(HOUR_MS, hours, () => 0, start),
  };
  const hot = fireWeatherSeries(
    { ...common, temperature: every(HOUR_MS, hours, (i) => (atNoon(i) ? 30 : 5), start) },
    lng,
    45,
  );
  const daily = fireWeatherSeries(
    {
      temperature: every(DAY_MS, 6, () => 30, start),
      humidity: every(DAY_MS, 6, () => 30, start),
      wind: every(DAY_MS, 6, () => 5, start),
      rain: every(DAY_MS, 6, () => 0, start),
    },
    lng,
    45,
  );
  // Only 19 hours of rain are known before noon of the first day.
  assert.deepEqual([...hot.timesMs].map(day), [...daily.timesMs].map(day).slice(1));
  assert.deepEqual([...hot.values], [...daily.values].slice(0, 5));
});

test('a gap of more than a week resets the moisture codes; a shorter one does not', () => {
  const weather = (days: readonly number[]) => {
    const one = (value: number): TimeSeries => ({
      timesMs: Float64Array.from(days, (d) => d * DAY_MS),
      values: Float64Array.from(days, () => value),
    });
    return { temperature: one(25), humidity: one(30), wind: one(5), rain: one(0) };
  };
  const run = Array.from({ length: 20 }, (_, i) => i);
  const after = (gap: number) =>
    fireWeatherSeries(weather([...run, ...run.map((d) => 20 + gap + d)]), 0, 45).values.at(20)!;
  assert.equal(after(8), 0, 'out of season again');
  assert.ok(after(5) > 10);
});

test('daily sums need most hours of the day, and monthly observations give none', () => {
  const end = (d: number): number => (d + 1) * DAY_MS;
  const hours = every(HOUR_MS, 30, () => 1, HOUR_MS);
  assert.deepEqual([...dailySums(hours, 20, end)], [[0, 24]]);
  assert.equal(
    dailySums(
      every(30 * DAY_MS, 12, () => 50),
      20,
      end,
    ).size,
    0,
  );
  assert.deepEqual(
    [
      ...dailySums(
        every(DAY_MS, 2, (i) => i + 1),
        20,
        end,
      ),
    ],
    [
      [0, 1],
      [1, 2],
    ],
  );
});

test('the 30-day sum extrapolates over three missing days and has a gap for four', () => {
  const observed = (left: readonly number[]): TimeSeries => {
    const days = Array.from({ length: 30 }, (_, i) => i).filter((i) => !left.includes(i));
    return { timesMs: Float64Array.from(days, (d) => d * DAY_MS), values: Float64Array.from(days, () => 2) };
  };
  assert.deepEqual(
    [...monthOfRain(observed([])).values],
    [60, 60, 60, 60],
    'from the day on which 27 are known',
  );
  assert.deepEqual([...monthOfRain(observed([3, 9, 20])).values], [60]);
  assert.deepEqual([...monthOfRain(observed([3, 9, 20, 21])).values], []);
});

test('the drought index is the same from monthly and daily rain, is dated on the last day, and has gaps for incomplete months', () => {
  const years = 21;
  const monthly: [number, number][] = Array.from({ length: 12 * years }, (_, i) => [
    Date.UTC(1980, i, 1),
    20 + ((i * 37) % 11) * (1 + (i % 5)),
  ]);
  const ofMonths = droughtIndex(
    { timesMs: Float64Array.from(monthly, ([t]) => t), values: Float64Array.from(monthly, ([, mm]) => mm) },
    3,
  );
  assert.equal(ofMonths.timesMs.length, 12 * years - 2);
  assert.deepEqual(
    [0, 1, -1].map((i) => day(ofMonths.timesMs.at(i)!)),
    ['1980-03-31', '1980-04-30', '2000-12-31'],
  );
  const days = monthly.flatMap(([t, mm], i) => {
    const length = (Date.UTC(1980, i + 1, 1) - t) / DAY_MS;
    return Array.from({ length }, (_, d): [number, number] => [t + d * DAY_MS, mm / length]);
  });
  const observed = (kept: readonly [number, number][]) => ({
    timesMs: Float64Array.from(kept, ([t]) => t),
    values: Float64Array.from(kept, ([, mm]) => mm),
  });
  const ofDays = droughtIndex(observed(days), 3);
  assert.deepEqual([...ofDays.timesMs], [...ofMonths.timesMs]);
  for (const [i, value] of ofDays.values.entries()) assert.ok(Math.abs(value - ofMonths.values[i]!) < 0.011);
  const short = droughtIndex(
    observed(days.filter(([t]) => !(t >= Date.UTC(1999, 5, 10) && t < Date.UTC(1999, 5, 15)))),
    3,
  );
  const known = new Set([...short.timesMs].map(day));
  assert.deepEqual(
    ['1999-05-31', '1999-06-30', '1999-07-31', '1999-08-31', '1999-09-30'].filter((date) => known.has(date)),
    ['1999-05-31', '1999-09-30'],
  );
});
