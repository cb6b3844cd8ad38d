import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DAY_MS } from '../base/time.ts';
import { Climatology } from './climatology.ts';

const START_MS = Date.UTC(2010, 0, 1);
const YEAR_DAYS = 365.25;
const MEMORY_MS = 10 * YEAR_DAYS * DAY_MS;

/** A climatology to which all of `values` are added, and its expectation `ahead` days after the last value. */
function after(values: readonly number[], stepDays: number, ahead = stepDays) {
  const n = values.length;
  const timesMs = Float64Array.from({ length: n + 1 }, (_, i) => START_MS + i * stepDays * DAY_MS);
  timesMs[n] = timesMs[n - 1]! + ahead * DAY_MS;
  const climatology = new Climatology(timesMs, Float64Array.from([...values, Number.NaN]), MEMORY_MS);
  for (let i = 0; i < n; i++) climatology.add(i);
  const predicted = climatology.enter(n);
  const expected = climatology.expected[n]!;
  return { climatology, predicted, expected, days: (timesMs[n] - START_MS) / DAY_MS };
}

/** Alternating values without season or trend, with a standard deviation of 0.91 `sigma`. */
const ripple = (i: number, sigma: number) =>
  sigma * [1.2, -0.4, -1.3, 0.9, 0.1, -0.9, 1.1, -0.7][(i * 5) % 8]!;
const season = (days: number) => 0.5 + 0.2 * Math.cos((2 * Math.PI * days) / YEAR_DAYS);

test('nothing is expected before 15 observations that span 365 days', () => {
  const values = (n: number) => Array.from({ length: n }, (_, i) => ripple(i, 1));
  assert.equal(after(values(14), 40).predicted, false);
  assert.equal(after(values(15), 40).predicted, true);
  assert.equal(after(values(365), 1).predicted, false); // the first and the last are 364 days apart
  assert.equal(after(values(366), 1).predicted, true);
});

test('nothing is expected in a season that the history has not seen', () => {
  // Observations in two summers of 90 days, then one in winter and one in summer.
  const timesMs: number[] = [];
  for (const year of [2010, 2011]) {
    for (let day = 0; day < 90; day += 5) timesMs.push(Date.UTC(year, 5, 1) + day * DAY_MS);
  }
  timesMs.push(Date.UTC(2012, 0, 1), Date.UTC(2012, 6, 1));
  const values = timesMs.map((_, i) => ripple(i, 1));
  const climatology = new Climatology(Float64Array.from(timesMs), Float64Array.from(values), MEMORY_MS);
  for (let i = 0; i < values.length - 2; i++) climatology.add(i);
  assert.equal(climatology.enter(values.length - 2), false);
  assert.equal(climatology.enter(values.length - 1), true);
});

test('nothing is expected from a history older than ten years', () => {
  const values = Array.from({ length: 60 }, (_, i) => ripple(i, 1));
  assert.equal(after(values, 30, 8 * YEAR_DAYS).predicted, true);
  assert.equal(after(values, 30, 11 * YEAR_DAYS).predicted, false);
});

test('a season and a trend are separated from noise', () => {
  const truth = (days: number) => season(days) + (0.03 * days) / YEAR_DAYS;
  const values = Array.from({ length: 150 }, (_, i) => truth(i * 16) + ripple(i, 0.01));
  const { climatology, expected, days } = after(values, 16);
  assert.ok(Math.abs(expected - truth(days)) < 0.005, `${expected} is not ${truth(days)}`);
  // The root mean square of a ripple of 0.01 is 0.0091. The uncertainty of the fit makes the scale slightly larger.
  assert.ok(climatology.scale > 0.009 && climatology.scale < 0.0115, `${climatology.scale}`);
});

test('extreme values in a fifth of the history, as a drought in one year of five, move neither level nor scale', () => {
  const clean = Array.from({ length: 115 }, (_, i) => season(i * 16) + ripple(i, 0.02));
  const poisoned = clean.map((value, i) => (i >= 60 && i < 83 ? value - 0.3 : value));
  const a = after(clean, 16);
  const b = after(poisoned, 16);
  assert.ok(Math.abs(a.expected - b.expected) < 0.01, `${a.expected} against ${b.expected}`);
  const [calm, shaken] = [a.climatology.scale, b.climatology.scale];
  assert.ok(Math.abs(shaken / calm - 1) < 0.15, `${calm} against ${shaken}`);
});

test('values in more than a quarter of the history are part of the distribution, not outliers', () => {
  // Every third value is high. If the high values were left out as outliers, the scale would be 0 and each of them an
  // anomaly.
  const values = Array.from({ length: 300 }, (_, i) => (i % 3 === 2 ? 10 : 0));
  const { climatology } = after(values, 7);
  assert.ok(climatology.scale > 4, `${climatology.scale}`);
});

test('a lasting new state becomes the expected one within the window', () => {
  const values = Array.from({ length: 500 }, (_, i) => (i < 150 ? 0.8 : 0.2) + ripple(i, 0.02));
  const { expected } = after(values, 10);
  assert.ok(Math.abs(expected - 0.2) < 0.02, `${expected}`);
});

test('the spread follows the season', () => {
  const values = Array.from({ length: 230 }, (_, i) => {
    const winter = Math.cos((2 * Math.PI * i * 16) / YEAR_DAYS);
    return ripple(i, 0.02 * (1 + 0.6 * winter));
  });
  const scaleIn = (ahead: number) => after(values, 16, ahead).climatology.scale;
  const offset = (229 * 16) % YEAR_DAYS;
  const january = scaleIn(YEAR_DAYS - offset);
  const july = scaleIn(1.5 * YEAR_DAYS - offset);
  assert.ok(january / july > 2 && january / july < 4, `${january} in January, ${july} in July`);
});

test('values without any spread are judged against rounding errors, and zeros are not judged', () => {
  const { climatology, predicted } = after(
    Array.from({ length: 100 }, (_, i) => season(i * 16)),
    16,
  );
  assert.ok(predicted && climatology.scale > 1e-8 && climatology.scale < 1e-5);
  assert.equal(
    after(
      Array.from({ length: 100 }, () => 0),
      16,
    ).predicted,
    false,
  );
});
