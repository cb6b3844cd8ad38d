import assert from 'node:assert/strict';
import { test } from 'node:test';
import { alertAccuracy, alertLags } from './alerts.ts';
import { brierOf, looksAhead, modelForecasts, pairedDifference, statusForecasts } from './evaluation.ts';
import { SMOOTHED_ANOMALY } from './loss-model.ts';
import type { DistPixel } from './sample.ts';

function pixel(
  stratum: string,
  statuses: readonly number[],
  labels: readonly number[],
  more: Partial<DistPixel> = {},
) {
  return {
    id: 0,
    stratum,
    observations: statuses.map((status, i) => ({
      day: 100 + 8 * i,
      sensor: 'S2A',
      vegInd: 80,
      vegHist: 70,
      vegAnom: 10 * status,
      genAnom: 0,
    })),
    statuses,
    labels: Uint8Array.from(labels),
    judgedFrom: 0,
    firstLossDay: null,
    ...more,
  };
}

test('accuracy by area: the observations of each stratum are weighted by the area of the stratum', () => {
  const pixels = [pixel('a', [1, 1, 0, 0], [1, 0, 1, 0]), pixel('b', [1, 0], [1, 1])];
  const alerts = pixels.map(({ statuses }) => statuses.map((status) => status > 0));
  const found = alertAccuracy(
    pixels,
    new Map([
      ['a', 400],
      ['b', 100],
    ]),
    alerts,
  );
  // Stratum a: alerts on an area of 200, loss on 200, both on 100. Stratum b: alerts on 50, loss on 100, both on 50.
  assert.equal(found.users, 150 / 250);
  assert.equal(found.producers, 150 / 300);
  const drawn = alertAccuracy(
    pixels,
    new Map([
      ['a', 400],
      ['b', 100],
    ]),
    alerts,
    Uint32Array.of(0, 2),
  );
  assert.deepEqual([drawn.users, drawn.producers], [1, 0.5]);
});

test('the lag runs from the first labelled loss day to the first correct alert', () => {
  const loss = { firstLossDay: 110 };
  const alerted = pixel('a', [1, 1, 0, 1, 1], [1, 0, 1, 1, 1], loss); // days 100, 108, 116, 124, 132
  const alerts = [alerted].map(({ statuses }) => statuses.map((status) => status > 0));
  assert.deepEqual(alertLags([alerted], alerts), [14]);
  assert.deepEqual(alertLags([pixel('a', [0], [1], loss)], [[false]]), [null]);
  assert.deepEqual(alertLags([pixel('a', [1], [1])], [[true]]), [null]);
});

test('the frequencies by status are learnt without the pixel that they are used for', () => {
  const pixels = [pixel('a', [3, 0], [1, 0]), pixel('a', [3, 0], [0, 0]), pixel('a', [3, 5], [1, 1])];
  const [first, , last] = statusForecasts(pixels);
  assert.deepEqual([...first!], [0.5, 0]); // status 3 occurs twice on the other pixels, once with a loss
  assert.deepEqual([...last!], [0.5, 0.25]); // status 5 occurs on no other pixel: mean over their statuses
});

test('Brier score and paired interval: a perfect forecast beats a forecast of 0.5 everywhere', () => {
  const pixels = [pixel('a', [1, 0], [1, 0]), pixel('a', [0, 1], [0, 1]), pixel('b', [1, 1], [1, 1])];
  const right = pixels.map(({ labels }) => Float64Array.from(labels));
  const even = pixels.map(({ labels }) => new Float64Array(labels.length).fill(0.5));
  assert.equal(brierOf(pixels, right), 0);
  assert.equal(brierOf(pixels, even), 0.25);
  const { low, high } = pairedDifference(pixels, right, even);
  assert.deepEqual([low, high], [-0.25, -0.25]);
});

test('look-ahead of a model is detected; a model without it is calibrated without the judged pixel', () => {
  const pixels = Array.from({ length: 6 }, (_, i) =>
    pixel(
      'a',
      [0, 0, i % 2 === 0 ? 6 : 0, i % 2 === 0 ? 6 : 0],
      [0, 0, i % 2 === 0 ? 1 : 0, i % 2 === 0 ? 1 : 0],
    ),
  );
  assert.equal(looksAhead(SMOOTHED_ANOMALY, pixels), false);
  const peeking = {
    name: 'peeks',
    train: () => (all: DistPixel['observations']) =>
      Float64Array.from(all, () => Math.max(...all.map(({ vegAnom }) => vegAnom))),
  };
  assert.equal(looksAhead(peeking, pixels), true);
  const forecasts = modelForecasts(SMOOTHED_ANOMALY, pixels);
  assert.deepEqual([...forecasts[0]!], [0, 0, 1, 1]);
});
