import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DAY_MS } from '../../base/time.ts';
import { detectChanges } from '../detect-changes.ts';
import { eventAt, eventCount, type PixelEvent } from '../pixel/pixel-events.ts';
import { ALERT_PARAMETERS, lossProbability, meanLossAt, updateMeanLoss } from './alert-model.ts';
import { alertEvents, type AlertStep, followAlerts } from './alert-monitor.ts';

const { suspectedFrom, confirmedFrom } = ALERT_PARAMETERS;
const START_MS = Date.UTC(2023, 0, 1);

const specOf = (scenes: number, stepDays = 5, pixels = 1) => ({
  width: pixels,
  height: 1,
  pixelAreaM2: 900,
  metric: 'veg_anom',
  timesMs: Float64Array.from({ length: scenes }, (_, i) => START_MS + i * stepDays * DAY_MS),
});
const times = (value: number, count: number): number[] => Array.from({ length: count }, () => value);

function follow(losses: readonly number[], stepDays?: number) {
  const events: PixelEvent[] = [];
  const steps: AlertStep[] = [];
  followAlerts(
    specOf(losses.length, stepDays),
    0,
    Float64Array.from(losses),
    (event) => events.push(event),
    (step) => steps.push(step),
  );
  return { events, steps };
}

test('the probability by the moving average, computed by hand', () => {
  // Losses of 0, 50 and 50: 0, then .2 * 50 = 10, then 10 + .2 * 40 = 18.
  const means = [updateMeanLoss(0, 0), updateMeanLoss(0, 50), updateMeanLoss(10, 50)];
  assert.deepEqual(means, [0, 10, 18]);
  const { intercept, slope } = ALERT_PARAMETERS;
  const odds = Math.exp(intercept) * 19 ** slope;
  assert.ok(Math.abs(lossProbability(18) - odds / (1 + odds)) < 1e-12);
  assert.ok(Math.abs(meanLossAt(lossProbability(18)) - 18) < 1e-9);
});

test('a lasting loss is suspected, then confirmed, and its dates are those of the observations', () => {
  const { events, steps } = follow([0, 0, 0, 30, Number.NaN, 30, 30, 30, 30, 30]);
  assert.equal(events.length, 1);
  const [event] = events as [PixelEvent];
  assert.equal(event.status, 'confirmed');
  assert.deepEqual([event.firstAnomaly, event.direction, event.magnitude], [3, 1, 30]);
  const byScene = new Map(steps.map((step) => [step.scene, step]));
  assert.ok(byScene.get(event.flagged)!.probability >= suspectedFrom);
  assert.ok(steps.findLast(({ scene }) => scene < event.flagged)!.probability < suspectedFrom);
  assert.ok(byScene.get(event.confirmed)!.probability >= confirmedFrom);
  assert.ok(event.confirmed > event.flagged);
  assert.equal(byScene.has(4), false);
  assert.ok(event.posterior >= confirmedFrom && event.posterior < 1);
});

test('the first anomaly is not the small loss before it, nor a high loss before a low one', () => {
  const [lasting] = follow([0, 2, 1, 3, 30, 30, 30, 30, 30]).events;
  assert.equal(lasting!.firstAnomaly, 4);
  const [broken] = follow([0, 0, 20, 2, 60, 60]).events;
  assert.deepEqual([broken!.firstAnomaly, broken!.flagged], [4, 4]);
});

test('one total loss is only suspected, the second in a row is confirmed', () => {
  assert.ok(lossProbability(updateMeanLoss(0, 100)) > confirmedFrom);
  assert.equal(follow([0, 0, 100]).events[0]!.status, 'suspected');
  assert.equal(follow([0, 0, 100, 0, 100]).events[0]!.status, 'suspected');
  const [event] = follow([0, 0, 100, 100]).events;
  assert.deepEqual([event!.status, event!.confirmed], ['confirmed', 3]);
});

test('one high value is only suspected, and the suspicion is rejected', () => {
  const { events } = follow([0, 0, 60, ...times(0, 12)]);
  assert.deepEqual(
    events.map(({ status, firstAnomaly, confirmed }) => [status, firstAnomaly, confirmed]),
    [['rejected', 2, -1]],
  );
  assert.ok(events[0]!.rejected > events[0]!.flagged);
});

test('small losses and missing observations give no event', () => {
  assert.deepEqual(follow([0, 3, 0, 2, 0, 4, 0, 0]).events, []);
  assert.deepEqual(follow(times(Number.NaN, 5)).events, []);
});

test('the cover is back within the year: recovered; the loss is in the history of the provider: it stands', () => {
  const back = follow([0, 0, ...times(40, 10), ...times(0, 12)]).events;
  assert.deepEqual(
    back.map(({ status }) => status),
    ['recovered'],
  );
  assert.ok(back[0]!.recovered > 11);
  // 73 observations of 5 days are a year.
  const stands = follow([0, 0, ...times(40, 73), ...times(0, 12)]).events;
  assert.deepEqual(
    stands.map(({ status, recovered }) => [status, recovered]),
    [['confirmed', -1]],
  );
});

test('the state at a scene does not depend on later scenes', () => {
  const losses = [0, 10, 0, 30, 40, 35, 0, 0, 0, 0, 0, 0, 0, 0, 0, 50, 50, 50];
  const { steps } = follow(losses);
  for (let end = 1; end < losses.length; end++)
    assert.deepEqual(follow(losses.slice(0, end)).steps, steps.slice(0, end));
});

test('the events of a strip have the numbers of its pixels', () => {
  const spec = specOf(8, 5, 5);
  const values = Float64Array.from([...times(0, 8), ...times(50, 8), ...times(0, 8)]);
  const events = alertEvents(spec, { from: 2, values });
  assert.equal(eventCount(events), 1);
  assert.equal(eventAt(events, 0).pixel, 3);
  assert.deepEqual(eventAt(events, 0).moves, [{ residual: 50, value: 50 }]);
});

test('neighbouring losses make one change, whose confidence is the mean probability', () => {
  const spec = { ...specOf(12, 5, 5), height: 2 };
  const cleared = new Set([1, 2, 3, 6, 7]);
  const series = (pixel: number) => [0, 0, 0, ...times(cleared.has(pixel) ? 60 : 0, 9)];
  const values = Float64Array.from(Array.from({ length: 10 }, (_, pixel) => series(pixel)).flat());
  const [change, ...more] = detectChanges({ ...spec, values });
  assert.deepEqual(more, []);
  assert.deepEqual([...change!.pixels], [...cleared]);
  assert.deepEqual(
    [change!.type, change!.status, change!.metric, change!.magnitude],
    ['vegetation_loss', 'confirmed', 'veg_anom', 60],
  );
  assert.equal(change!.seedAnomalyMs, spec.timesMs[3]);
  const { events } = follow(series(1));
  assert.ok(Math.abs(change!.confidence - events[0]!.posterior) < 1e-12);
});

test('the alert metric cannot be followed together with other metrics of the monitor', () => {
  const values = Float64Array.from(times(0, 4));
  const together = /followed without other metrics/;
  assert.throws(() => detectChanges({ ...specOf(4), values, others: { ndvi: values } }), together);
  const spec = { ...specOf(4), metric: 'ndvi' };
  assert.throws(() => detectChanges({ ...spec, values, others: { veg_anom: values } }), together);
});
