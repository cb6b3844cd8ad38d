import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Ajv } from 'ajv';
import { getHistorical } from '../../contract/historical.ts';
import { seriesText } from './series-text.ts';

const isSeries = new Ajv({ strict: false, formats: { date: /^\d{4}-\d{2}-\d{2}$/ } }).compile(
  getHistorical.answers[0].body,
);

test('the text of a series is the JSON of its schema', () => {
  const timesMs = Float64Array.of(-1, Date.UTC(2024, 1, 29), Date.UTC(2024, 1, 29, 23, 59));
  const values = Float64Array.of(-0, 0.1 + 0.2, 5e-324);
  const series = [
    { t: '1969-12-31', v: 0 },
    { t: '2024-02-29', v: 0.1 + 0.2 },
    { t: '2024-02-29', v: 5e-324 },
  ];
  const whole: unknown = JSON.parse(seriesText({ timesMs, values }, {}));
  assert.deepEqual(whole, { series });
  const page: unknown = JSON.parse(seriesText({ timesMs, values }, { next_cursor: 'a"b' }));
  assert.deepEqual(page, { series, next_cursor: 'a"b' });
  const none: unknown = JSON.parse(
    seriesText({ timesMs: new Float64Array(0), values: new Float64Array(0) }, {}),
  );
  assert.deepEqual(none, { series: [] });
  for (const body of [whole, page, none]) assert.ok(isSeries(body));
});

test('NaN and infinity are refused', () => {
  for (const value of [NaN, Infinity])
    assert.throws(
      () => seriesText({ timesMs: Float64Array.of(0), values: Float64Array.of(value) }, {}),
      RangeError,
    );
});

test('numbers and days are written as JSON and Date write them', () => {
  let state = 7;
  // Linear congruential generator of "Numerical Recipes".
  const random = (): number => (state = (Math.imul(state, 1664525) + 1013904223) >>> 0) / 2 ** 32;
  const count = 4000;
  const values = Float64Array.from({ length: count }, () => {
    const size = 10 ** Math.floor(random() * 24 - 9);
    const value = (random() - 0.5) * size;
    return random() < 0.5 ? value : Number(value.toFixed(Math.floor(random() * 9)));
  });
  values.set([0, -0, 1e-6, 1e-7, 0.000_000_5, 999_999_999.999_999, 1e9, 2 ** 31, -1e21, 123.45, -0.1, 100]);
  const timesMs = Float64Array.from(values, () => Math.floor((random() - 0.5) * 4e14));
  timesMs.set([
    -1,
    0,
    Date.UTC(2024, 1, 29),
    Date.UTC(2024, 2, 1) - 1,
    -62_135_596_800_001,
    253_402_300_800_000,
  ]);
  const expected = Array.from(values, (v, i) => ({ t: new Date(timesMs[i]!).toISOString().slice(0, 10), v }));
  assert.equal(seriesText({ timesMs, values }, {}), JSON.stringify({ series: expected }));
});
