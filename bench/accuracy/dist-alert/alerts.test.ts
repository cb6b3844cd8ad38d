import assert from 'node:assert/strict';
import { test } from 'node:test';
import { alertAccuracy, alertLags, bestThreshold } from './alerts.ts';
import { AVERAGES, LEARNT } from './candidates.ts';
import { brierOf, pairedDifference, statusForecasts, statusFrequencies } from './evaluation.ts';
import { halvesOf } from './halves.ts';
import { followed } from './states.ts';
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

test('frequencies by status, and over all for a status that is not in the table', () => {
  const known = statusFrequencies([pixel('a', [3, 0], [1, 0]), pixel('a', [3, 0], [0, 0])]);
  assert.deepEqual(statusForecasts([pixel('a', [3, 0, 5], [0, 0, 0])], known), [
    Float64Array.of(0.5, 0, 0.25),
  ]);
});

test('the states are those of the service, at the judged observations, and last over missing values', () => {
  const observed = pixel('a', [0, 9, 9, 9, 0], [0, 1, 1, 1, 1], { judgedFrom: 1 });
  const gap = observed.observations.map((each, i) => (i === 3 ? { ...each, vegAnom: Number.NaN } : each));
  const { suspected, confirmed, events } = followed([{ ...observed, observations: gap }]);
  assert.deepEqual(suspected, [[true, true, true, true]]);
  assert.deepEqual(confirmed, [[false, true, true, true]]);
  assert.deepEqual(
    events[0]!.map(({ firstAnomaly, confirmed: at }) => [firstAnomaly, at]),
    [[1, 2]],
  );
});

test('the best threshold has the highest F1 score by area', () => {
  const pixels = [pixel('a', [0, 0, 0, 0], [0, 1, 0, 1])];
  const forecasts = [Float64Array.of(0.1, 0.3, 0.29, 0.9)];
  const found = bestThreshold(pixels, new Map([['a', 1]]), forecasts);
  assert.ok(found > 0.29 && found <= 0.3);
});

test('halves share no pixel, hold the same number of pixels with a loss, and depend on the split', () => {
  const pixels = Array.from({ length: 40 }, (_, id) => pixel('a', [0], [id % 4 === 0 ? 1 : 0], { id }));
  const ids = (part: readonly DistPixel[]) => part.map(({ id }) => id);
  const { fit, report } = halvesOf(pixels, 1);
  assert.deepEqual(
    [...ids(fit), ...ids(report)].toSorted((x, y) => x - y),
    ids(pixels),
  );
  assert.equal(fit.filter(({ labels }) => labels[0] === 1).length, 5);
  assert.deepEqual(ids(halvesOf(pixels.toReversed(), 1).fit), ids(fit));
  assert.notDeepEqual(ids(halvesOf(pixels, 2).fit), ids(fit));
});

test('the features of every candidate at an observation do not depend on later observations', () => {
  const { observations } = pixel('a', [0, 2, 6, 3, 0, 0, 5, 1], [0, 0, 0, 0, 0, 0, 0, 0]);
  for (const { name, features } of [...AVERAGES, ...LEARNT])
    for (const feature of features)
      assert.deepEqual(feature(observations).slice(0, 4), feature(observations.slice(0, 4)), name);
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
