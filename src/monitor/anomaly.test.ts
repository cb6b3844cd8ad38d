import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { detectAnomalies, episodes, judge, type Judgement } from './anomaly.ts';

const DAY_MS = 86_400_000;
const START_MS = Date.UTC(2000, 0, 1);
const YEAR_DAYS = 365.25;
const NAN = Number.NaN;

/** Standard normal draws: mulberry32 and Box-Muller, from a fixed seed. */
function normalDraws(seed: number): () => number {
  let state = seed;
  const uniform = () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
  };
  return () => Math.sqrt(-2 * Math.log(1 - uniform())) * Math.cos(2 * Math.PI * uniform());
}

function seriesOf(n: number, stepDays: number, value: (days: number, i: number) => number) {
  const timesMs = Float64Array.from({ length: n }, (_, i) => START_MS + i * stepDays * DAY_MS);
  return { timesMs, values: Float64Array.from({ length: n }, (_, i) => value(i * stepDays, i)) };
}

/** Share of judged observations at or below each tail probability, over its nominal value. */
function flaggedOverNominal(judged: readonly Judgement[], limits: readonly number[]): number[] {
  const p = judged.flatMap((j) => [...j.tailProbability].filter((x) => !Number.isNaN(x)));
  return limits.map((limit) => p.filter((x) => x <= limit).length / p.length / limit);
}

const season = (days: number) =>
  0.5 + 0.2 * Math.cos((2 * Math.PI * days) / YEAR_DAYS) + 0.08 * Math.sin((4 * Math.PI * days) / YEAR_DAYS);

function near(ratios: readonly number[], tolerances: readonly number[]): void {
  for (const [k, ratio] of ratios.entries()) {
    assert.ok(Math.abs(ratio - 1) < tolerances[k]!, `${ratio.toFixed(3)} of nominal at limit ${k}`);
  }
}

// Tolerances are two standard errors of the number of draws or more: medium is one observation in a hundred.
test('white noise: the share flagged low and medium is within 10 % of nominal', () => {
  const normal = normalDraws(1);
  const judged = Array.from({ length: 400 }, () => judge(seriesOf(276, 16, () => normal())));
  near(flaggedOverNominal(judged, [0.05, 0.01]), [0.1, 0.1]);
});

test('season, trend and gaps: the share flagged low and medium is within 10 % of nominal', () => {
  const normal = normalDraws(12);
  const judged = Array.from({ length: 500 }, () =>
    judge(
      seriesOf(276, 16, (days, i) =>
        i % 7 === 3 || i % 11 === 0 ? NAN : season(days) + (0.01 * days) / YEAR_DAYS + 0.04 * normal(),
      ),
    ),
  );
  near(flaggedOverNominal(judged, [0.05, 0.01]), [0.1, 0.1]);
});

test('red noise, AR(.7), four years of days: the share flagged low is within 10 % of nominal, medium 25 %', () => {
  const normal = normalDraws(13);
  const judged = Array.from({ length: 40 }, () => {
    let state = normal();
    return judge(
      seriesOf(1461, 1, (days) => {
        state = 0.7 * state + Math.sqrt(1 - 0.7 * 0.7) * normal();
        return 20 * season(days) + state;
      }),
    );
  });
  near(flaggedOverNominal(judged, [0.05, 0.01]), [0.1, 0.25]);
});

test('a planted drought is found with its dates and severity, and nothing grave beside it', () => {
  const normal = normalDraws(4);
  const from = 120;
  const to = 126;
  const series = seriesOf(
    160,
    16,
    (days, i) => season(days) + 0.02 * normal() - (i >= from && i < to ? 0.15 : 0),
  );
  const [feed] = detectAnomalies([series]);
  const grave = feed!.episodes.filter((e) => e.severity === 'high' || e.severity === 'critical');
  assert.equal(grave.length, 1);
  const [drought] = grave;
  assert.equal(drought!.startIndex, from);
  assert.equal(drought!.endIndex, to);
  assert.ok(drought!.peakIndex >= from && drought!.peakIndex < to);
  assert.equal(drought!.severity, 'critical');
  assert.ok(Math.abs(drought!.residual + 0.15) < 0.07, `${drought!.residual}`);
  assert.equal(drought!.value - drought!.expected, drought!.residual);
  assert.equal(drought!.value, series.values[drought!.peakIndex]);
});

test('the drought does not raise its own bar: the next is judged as if it were the first', () => {
  const normal = normalDraws(5);
  const noise = Float64Array.from({ length: 200 }, () => 0.02 * normal());
  const dry = (i: number) => i >= 100 && i < 112;
  const judged = judge(seriesOf(200, 16, (days, i) => season(days) + noise[i]! - (dry(i) ? 0.2 : 0)));
  const calm = judge(seriesOf(200, 16, (days, i) => season(days) + noise[i]!));
  for (let i = 112; i < 200; i++) {
    assert.ok(Math.abs(judged.expected[i]! - calm.expected[i]!) < 0.02, `expected at ${i}`);
    assert.ok(judged.scale[i]! / calm.scale[i]! < 1.5, `scale at ${i}`);
  }
});

test('strictly streaming: what comes later changes nothing', () => {
  const normal = normalDraws(6);
  const whole = seriesOf(200, 16, (days) => season(days) + 0.03 * normal());
  const judgedWhole = judge(whole);
  for (const n of [24, 40, 77, 150]) {
    const part = judge({ timesMs: whole.timesMs.slice(0, n), values: whole.values.slice(0, n) });
    assert.deepEqual(part.tailProbability, judgedWhole.tailProbability.slice(0, n));
    assert.deepEqual(part.expected, judgedWhole.expected.slice(0, n));
  }
});

test('no judgement before 15 observations and 365 days, nor of a gap; gaps change nothing else', () => {
  const normal = normalDraws(7);
  const dense = seriesOf(120, 16, (days) => season(days) + 0.03 * normal());
  const judged = judge(dense);
  // 16 * 23 = 368 days: the 25th observation is the first with 24 before it that span 365 days.
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

test('broken input is refused', () => {
  assert.throws(() => judge({ timesMs: Float64Array.of(1, 2), values: Float64Array.of(1) }), RangeError);
  assert.throws(
    () => judge({ timesMs: Float64Array.of(2, 1), values: Float64Array.of(1, 1) }),
    /observation 1/,
  );
  assert.throws(() => judge({ timesMs: Float64Array.of(1, NAN), values: Float64Array.of(1, 1) }), RangeError);
  assert.deepEqual(judge({ timesMs: new Float64Array(0), values: new Float64Array(0) }).expected.length, 0);
  assert.deepEqual(detectAnomalies([]), []);
});

/** A judgement by hand: value less expected is `z`, scale 1. */
function byHand(rows: readonly (readonly [z: number, p: number])[]) {
  const values = Float64Array.from(rows, ([z]) => z);
  const judged: Judgement = {
    expected: new Float64Array(rows.length),
    scale: new Float64Array(rows.length).fill(1),
    tailProbability: Float64Array.from(rows, ([, p]) => p),
  };
  const series = { timesMs: Float64Array.from(rows, (_, i) => i), values };
  const spans = (accepted: Uint8Array) =>
    episodes(series, judged, accepted).map((e) => [e.startIndex, e.peakIndex, e.endIndex, e.severity]);
  return { spans, all: new Uint8Array(rows.length).fill(1) };
}

test('hysteresis: starts at .05, lasts while below .2, ends at the first observation from .2 on', () => {
  const { spans, all } = byHand([
    [1.5, 0.13],
    [2.1, 0.04],
    [1.4, 0.19],
    [3.5, 0.0006],
    [1.3, 0.1999],
    [1.28, 0.2],
    [1.9, 0.06],
  ]);
  assert.deepEqual(spans(all), [[1, 3, 5, 'high']]);
});

test('a gap neither starts nor ends an anomaly, and one that lasts has no end', () => {
  const { spans, all } = byHand([
    [NAN, NAN],
    [-2.1, 0.04],
    [NAN, NAN],
    [NAN, NAN],
    [-2.7, 0.008],
    [NAN, NAN],
  ]);
  assert.deepEqual(spans(all), [[1, 4, null, 'medium']]);
});

test('a change of side ends one; another starts there if it is itself anomalous', () => {
  const jump = byHand([
    [-4, 0.00005],
    [4.5, 0.00001],
    [0.1, 0.9],
  ]);
  assert.deepEqual(jump.spans(jump.all), [
    [0, 0, 1, 'critical'],
    [1, 1, 2, 'critical'],
  ]);
  const weak = byHand([
    [-4, 0.00005],
    [1.5, 0.13],
    [-2.2, 0.03],
  ]);
  assert.deepEqual(weak.spans(weak.all), [
    [0, 0, 1, 'critical'],
    [2, 2, null, 'low'],
  ]);
});

test('what false-discovery control refuses starts nothing and is no peak', () => {
  const { spans } = byHand([
    [2.1, 0.04],
    [2.7, 0.008],
    [3.5, 0.0006],
    [0, 1],
  ]);
  assert.deepEqual(spans(Uint8Array.of(0, 1, 0, 0)), [[1, 1, 3, 'medium']]);
  assert.deepEqual(spans(new Uint8Array(4)), []);
});

test('where probabilities underflow the larger departure is the peak', () => {
  const { spans, all } = byHand([
    [50, 0],
    [90, 0],
    [70, 0],
  ]);
  assert.deepEqual(spans(all), [[0, 1, null, 'critical']]);
});

test('a feed among many quiet ones needs stronger evidence than alone', () => {
  const normal = normalDraws(8);
  const feeds = Array.from({ length: 50 }, () => seriesOf(150, 16, (days) => season(days) + 0.03 * normal()));
  const together = detectAnomalies(feeds).reduce((sum, feed) => sum + feed.episodes.length, 0);
  const alone = feeds.reduce((sum, feed) => sum + detectAnomalies([feed])[0]!.episodes.length, 0);
  // 50 feeds x 126 judged dates, all of pure noise: alone one in 20 is flagged; together at most one date in 20.
  assert.ok(alone > 200, `${alone}`);
  assert.ok(together <= 15, `${together}`);
});

const SHARED = fileURLToPath(new URL('../../../shared/data/', import.meta.url));
const skip = existsSync(SHARED) ? false : 'the real samples in ../shared/data are not there';

/** Rows of a CSV without its header. */
function csvRows(path: string): string[][] {
  const lines = readFileSync(`${SHARED}${path}`, 'utf8').trim().split('\n').slice(1);
  return lines.map((line) => line.trim().split(','));
}

function realSeries(rows: readonly (readonly string[])[], date: number, value: number) {
  return {
    timesMs: Float64Array.from(rows, (row) => Date.parse(row[date]!)),
    values: Float64Array.from(rows, (row) => (row[value] === '' ? NAN : Number(row[value]))),
  };
}

test(
  'Horn of Africa drought, late 2010 (bfast-ndvi-series: Verbesselt et al. 2012): a negative anomaly',
  { skip },
  () => {
    const series = realSeries(csvRows('bfast-ndvi-series/somalia_a.csv'), 1, 2);
    const found = detectAnomalies([series])[0]!.episodes.filter((e) => {
      const start = series.timesMs[e.startIndex]!;
      return start >= Date.UTC(2010, 9, 1) && start < Date.UTC(2011, 2, 1);
    });
    assert.ok(found.length > 0 && found.every((e) => e.residual < 0));
  },
);

test(
  'Irish storms of 1965-01-17 and 1966-12-01 (ireland-daily-wind: Haslett & Raftery 1989): grave at inland stations',
  { skip },
  () => {
    const rows = csvRows('ireland-daily-wind/daily_mean_wind_knots.csv').slice(0, 2200); // to 1967-01-08
    const days = ['1965-01-17', '1966-12-01'].map((day) => rows.findIndex((row) => row[0] === day));
    for (const column of [4, 5, 7]) {
      // Shannon, Birr, Claremorris
      const judged = judge(realSeries(rows, 0, column));
      for (const i of days) assert.ok(judged.tailProbability[i]! <= 0.001, `column ${column}, day ${i}`);
    }
  },
);
