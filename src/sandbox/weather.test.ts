import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import { runoff } from './stations.ts';
import { calendar, dayOf, makeWeather, SPELLS, type Weather } from './weather.ts';

const SEED = 7;
const FIRST = dayOf(1992, 1, 1);

/** Lag-one autocorrelation of a series. */
function nextDay(values: readonly number[]): number {
  const mean = meanOf(values);
  let [product, square] = [0, 0];
  for (const [i, value] of values.entries()) {
    square += (value - mean) ** 2;
    if (i > 0) product += (value - mean) * (values[i - 1]! - mean);
  }
  return product / square;
}

function meanOf(values: readonly number[]): number {
  return values.reduce((a, b) => a + b) / values.length;
}

describe('thirty years of the region’s weather', () => {
  let weather: readonly Weather[];
  before(() => {
    weather = makeWeather(SEED, 0, FIRST);
  });

  test('the wind has the scatter, autocorrelation and season of eight Irish stations (Haslett & Raftery 1989)', () => {
    const wind = weather.map(({ windKmh }) => windKmh / 3.6);
    const mean = meanOf(wind);
    const scatter = Math.sqrt(meanOf(wind.map((mps) => (mps - mean) ** 2))) / mean;
    // The coefficient of variation of a Weibull distribution is .44 with shape 2.4 and .56 with shape 1.85.
    assert.ok(scatter > 0.44 && scatter < 0.58, `${scatter}`);
    assert.ok(mean > 3.6 && mean < 6.4, `${mean} m/s`);
    assert.ok(nextDay(wind) > 0.46 && nextDay(wind) < 0.6, `${nextDay(wind)}`);
    const of = (from: number, to: number): number =>
      meanOf(
        wind.filter((_, i) => {
          const { dayOfYear } = calendar(FIRST + i);
          return dayOfYear >= from && dayOfYear < to;
        }),
      );
    const ratio = of(0, 31) / of(181, 212);
    assert.ok(ratio > 1.26 && ratio < 1.55, `January over July: ${ratio}`);
    // At the Irish stations the maximum in eighteen years is 2.9 to 3.7 times the mean.
    assert.ok(Math.max(...wind) / mean > 2.7 && Math.max(...wind) / mean < 4.2, `${Math.max(...wind)} m/s`);
  });

  test('the flow is like that of a French catchment (airGR L0123001): .08, .66, 3.21, 5.25 of its mean at 5, 50, 95, 99 % of days', () => {
    const flow = [...runoff(weather, FIRST)];
    const sorted = flow.toSorted((a, b) => a - b);
    const at = (share: number): number => sorted[Math.floor(share * sorted.length)]! / meanOf(flow);
    for (const [share, measured] of [
      [0.05, 0.08],
      [0.5, 0.66],
      [0.95, 3.21],
      [0.99, 5.25],
    ] as const)
      assert.ok(Math.abs(at(share) / measured - 1) < 0.35, `${at(share)} at ${share}, measured ${measured}`);
    const roots = flow.map((mm) => mm ** 0.2);
    assert.ok(nextDay(roots) > 0.93 && nextDay(roots) < 0.98, `${nextDay(roots)}`);
  });

  test('a longer series has the same days, and the past has no planted spells', () => {
    const both = makeWeather(SEED, 60, FIRST);
    assert.deepEqual(both.slice(0, weather.length), weather);
    assert.ok(SPELLS.every(({ from }) => from >= 0));
  });
});

test('heat waves are ten degrees warmer than the drought that they are part of', () => {
  const weather = makeWeather(SEED, dayOf(2024, 9, 1));
  const mean = (from: number, to: number): number =>
    meanOf(weather.slice(from, to).map(({ temperatureC }) => temperatureC));
  for (const { what, from, to } of SPELLS) {
    if (what !== 'heat') continue;
    const around = (mean(from - 10, from) + mean(to + 1, to + 11)) / 2;
    const over = mean(from, to + 1) - around;
    assert.ok(over > 5 && over < 15, `${over} degrees`);
  }
});
