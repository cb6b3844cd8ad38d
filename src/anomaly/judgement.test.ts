import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DAY_MS } from '../base/time.ts';
import { judge, tailOf } from './judgement.ts';
import { metricLaw } from './metric-law.ts';
import {
  normalDraws,
  season,
  seriesOf,
  uniformDraws,
  YEAR_DAYS,
} from '../../test/fakes/simulated-metric-series.ts';
import { detectAnomalies } from '../../test/fixtures/detect-anomalies.ts';

const NAN = Number.NaN;

test('a drought does not widen its own limits: the next one is judged like the first', () => {
  const normal = normalDraws(5);
  const noise = Float64Array.from({ length: 200 }, () => 0.02 * normal());
  const dry = (i: number) => i >= 100 && i < 112;
  const series = seriesOf(200, 16, (days, i) => season(days) + noise[i]! - (dry(i) ? 0.2 : 0));
  const judged = judge(series);
  const calm = judge(seriesOf(200, 16, (days, i) => season(days) + noise[i]!));
  const scale = (of: typeof judged, i: number) => (series.values[i]! - of.expected[i]!) / of.departure[i]!;
  for (let i = 112; i < 200; i++) {
    assert.ok(Math.abs(judged.expected[i]! - calm.expected[i]!) < 0.02, `expected at ${i}`);
    assert.ok(scale(judged, i) / scale(calm, i) < 1.5, `scale at ${i}`);
  }
});

test('strictly streaming: later observations change nothing', () => {
  const normal = normalDraws(6);
  const whole = seriesOf(200, 16, (days) => season(days) + 0.03 * normal());
  const judgedWhole = judge(whole);
  for (const n of [24, 40, 77, 150]) {
    const part = judge({ timesMs: whole.timesMs.slice(0, n), values: whole.values.slice(0, n) });
    assert.deepEqual(part.tailProbability, judgedWhole.tailProbability.slice(0, n));
    assert.deepEqual(part.expected, judgedWhole.expected.slice(0, n));
  }
});

test('no judgement before 15 observations and 365 days, or in a gap; gaps change nothing else', () => {
  const normal = normalDraws(7);
  const dense = seriesOf(120, 16, (days) => season(days) + 0.03 * normal());
  const judged = judge(dense);
  // The first 24 observations span 16 * 23 = 368 days, 23 span only 352: the 25th is the first that can be judged.
  assert.equal(
    judged.tailProbability.findIndex((p) => !Number.isNaN(p)),
    24,
  );
  const timesMs: number[] = [];
  const values: number[] = [];
  for (let i = 0; i < 120; i++) {
    timesMs.push(dense.timesMs[i]!, dense.timesMs[i]! + DAY_MS);
    values.push(dense.values[i]!, i % 2 === 0 ? NAN : Number.POSITIVE_INFINITY);
  }
  const gappy = judge({ timesMs: Float64Array.from(timesMs), values: Float64Array.from(values) });
  for (let i = 0; i < 120; i++) {
    assert.equal(gappy.tailProbability[2 * i], judged.tailProbability[i]);
    assert.ok(Number.isNaN(gappy.tailProbability[2 * i + 1]!) && Number.isNaN(gappy.expected[2 * i + 1]!));
  }
});

test('arrays of different lengths and descending times are refused', () => {
  assert.throws(() => judge({ timesMs: Float64Array.of(1, 2), values: Float64Array.of(1) }), RangeError);
  assert.throws(
    () => judge({ timesMs: Float64Array.of(2, 1), values: Float64Array.of(1, 1) }),
    /observation 1/,
  );
  assert.throws(() => judge({ timesMs: Float64Array.of(1, NAN), values: Float64Array.of(1, 1) }), RangeError);
  assert.deepEqual(judge({ timesMs: new Float64Array(0), values: new Float64Array(0) }).expected.length, 0);
  assert.deepEqual(detectAnomalies([]), []);
});

test('a tail probability reported as 1 is not small, and its exact value is available', () => {
  const normal = normalDraws(21);
  const judged = judge(seriesOf(150, 16, (days) => season(days) + 0.03 * normal()));
  for (const [i, p] of judged.tailProbability.entries()) {
    if (Number.isNaN(p)) continue;
    if (p === 1) assert.ok(tailOf(judged, i) >= 0.2, `${i}`);
    else assert.ok(Math.abs(tailOf(judged, i) / p - 1) < (p > 0.05 ? 0.01 : 1e-8), `${i}: ${p}`);
  }
});

test('a lasting new state of the ground is one anomaly that ends after a year, and then it is the expected state', () => {
  const normal = normalDraws(22);
  const cleared = 1500; // day of the change, counted from the first observation
  const series = seriesOf(250, 16, (days) => (days < cleared ? season(days) : 0.15) + 0.02 * normal());
  const [{ episodes }] = detectAnomalies([series]) as [ReturnType<typeof detectAnomalies>[number]];
  const grave = episodes.filter(({ severity }) => severity === 'critical');
  const [first, ...more] = grave;
  const day = (i: number | null) => (series.timesMs[i!]! - series.timesMs[0]!) / DAY_MS;
  assert.ok(Math.abs(day(first!.startIndex) - cleared) <= 16 && first!.residual < 0);
  const lasted = day(first!.endIndex) - day(first!.startIndex);
  assert.ok(lasted > 365 && lasted < 420, `${lasted} days`);
  assert.deepEqual(more, []);
});

test('a step of a level is critical on its day and over within the window, and other metrics are not affected', () => {
  const normal = normalDraws(23);
  const law = metricLaw('displacement');
  const series = seriesOf(3000, 1, (days) => (days < 1200 ? 0 : 40) + 0.01 * days + 2 * normal(), law);
  const [{ episodes }] = detectAnomalies([series]) as [ReturnType<typeof detectAnomalies>[number]];
  const critical = episodes.filter(({ severity }) => severity === 'critical');
  assert.equal(critical.length, 1);
  assert.equal(critical[0]!.startIndex, 1200);
  assert.ok(
    critical[0]!.endIndex! - 1200 > 10 && critical[0]!.endIndex! - 1200 < 25,
    `${critical[0]!.endIndex}`,
  );
});

test('a level that slowly follows its trend is no anomaly', () => {
  const normal = normalDraws(24);
  const series = seriesOf(
    400,
    12,
    (days) => (30 * days) / YEAR_DAYS + 3 * Math.cos(days / 58.1) + 2 * normal(),
    metricLaw('displacement'),
  );
  const [{ episodes }] = detectAnomalies([series]) as [ReturnType<typeof detectAnomalies>[number]];
  assert.ok(episodes.filter(({ severity }) => severity === 'high' || severity === 'critical').length <= 1);
});

test('dry days in a climate with wet and dry days are no anomaly, and a cloudburst is', () => {
  const uniform = uniformDraws(25);
  const rain = (i: number) => (i === 1700 ? 150 : uniform() < 0.6 ? 0 : -8 * Math.log(1 - uniform()));
  const judged = judge(seriesOf(1800, 1, (_, i) => rain(i), metricLaw('precipitation')));
  for (let i = 400; i < 1700; i++) assert.ok(judged.tailProbability[i]! > 1e-5, `${i}`);
  assert.ok(judged.tailProbability[1700]! < 1e-4 && judged.departure[1700]! > 0);
  const series = seriesOf(1800, 1, () => 0, metricLaw('precipitation'));
  assert.ok(
    judge(series).tailProbability.every((p) => Number.isNaN(p)),
    'never any rain: nothing to judge by',
  );
});

test('the expected value is in the unit of the metric', () => {
  const normal = normalDraws(26);
  const judged = judge(seriesOf(1200, 1, () => Math.exp(1 + 0.3 * normal()), metricLaw('river_flow')));
  assert.ok(Math.abs(judged.expected[1199]! - Math.E) < 0.2, `${judged.expected[1199]}`);
});

test('the first month without rain in a climate that never had one is an anomaly', () => {
  const normal = normalDraws(27);
  const series = seriesOf(
    3652,
    1,
    (days) => (days < 3600 ? 60 + 10 * normal() : 0),
    metricLaw('precipitation_30d'),
  );
  const judged = judge(series);
  assert.ok(
    judged.tailProbability[3600]! < 1e-4 && judged.departure[3600]! < -4,
    `${judged.departure[3600]}`,
  );
});
