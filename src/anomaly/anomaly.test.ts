import assert from 'node:assert/strict';
import { test } from 'node:test';
import { episodes } from './anomaly.ts';
import type { Judgement } from './judgement.ts';
import { normalDraws, season, seriesOf } from '../../test/fakes/simulated-metric-series.ts';
import { detectAnomalies } from '../../test/fixtures/detect-anomalies.ts';

const NAN = Number.NaN;

test('a planted drought is found with its dates and severity, and no other high or critical anomaly', () => {
  const normal = normalDraws(4);
  const from = 120;
  const to = 126;
  const series = seriesOf(
    160,
    16,
    (days, i) => season(days) + 0.02 * normal() - (i >= from && i < to ? 0.15 : 0),
  );
  const [found] = detectAnomalies([series]);
  const grave = found!.episodes.filter((e) => e.severity === 'high' || e.severity === 'critical');
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

/** A judgement written by hand: the expected value is 0, the standard deviation is 1, so each value equals its `z`. */
function byHand(rows: readonly (readonly [z: number, p: number])[]) {
  const values = Float64Array.from(rows, ([z]) => z);
  const judged: Judgement = {
    expected: new Float64Array(rows.length),
    departure: values,
    freedom: new Float64Array(rows.length).fill(50),
    tailProbability: Float64Array.from(rows, ([, p]) => p),
  };
  const series = { timesMs: Float64Array.from(rows, (_, i) => i), values };
  const spans = (accepted: Uint8Array) =>
    episodes(series, judged, accepted).map((e) => [e.startIndex, e.peakIndex, e.endIndex, e.severity]);
  return { spans, all: new Uint8Array(rows.length).fill(1) };
}

test('hysteresis: an anomaly starts at .05, lasts while below .2, and ends at the first observation from .2 on', () => {
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

test('a change of side ends an anomaly, and another one starts there if the observation is itself anomalous', () => {
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

test('observations rejected by false-discovery control start no anomaly and are no peak', () => {
  const { spans } = byHand([
    [2.1, 0.04],
    [2.7, 0.008],
    [3.5, 0.0006],
    [0, 1],
  ]);
  assert.deepEqual(spans(Uint8Array.of(0, 1, 0, 0)), [[1, 1, 3, 'medium']]);
  assert.deepEqual(spans(new Uint8Array(4)), []);
});

test('where probabilities underflow, the larger departure is the peak', () => {
  const { spans, all } = byHand([
    [50, 0],
    [90, 0],
    [70, 0],
  ]);
  assert.deepEqual(spans(all), [[0, 1, null, 'critical']]);
});

test('a series among many quiet ones needs stronger evidence than alone', () => {
  const normal = normalDraws(8);
  const seriesList = Array.from({ length: 50 }, () =>
    seriesOf(150, 16, (days) => season(days) + 0.03 * normal()),
  );
  const together = detectAnomalies(seriesList).reduce((sum, { episodes: found }) => sum + found.length, 0);
  const alone = seriesList.reduce((sum, series) => sum + detectAnomalies([series])[0]!.episodes.length, 0);
  // 50 series x 126 judged dates of pure noise. Tested alone, a series has an anomaly on one date in 20. With control
  // over all series, at most one date in 20 has an anomaly in any series.
  assert.ok(alone > 200, `${alone}`);
  assert.ok(together <= 15, `${together}`);
});
