import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DAY_MS } from '../base/time.ts';
import { firstScenes, resume, type Stack } from '../../test/oracles/resumed-passes.ts';
import {
  becomesCrops,
  becomesPasture,
  CROPS_FROM_MS,
  simulatedPasture,
  simulatedPlanting,
  simulatedSavanna,
  untilDay,
} from '../../test/oracles/simulated-savanna.ts';
import { compareWatched } from '../../test/oracles/watched-pixels.ts';
import { metricTraits } from './metric.ts';
import { monitorMetrics } from './monitor.ts';
import type { ChangeObject } from './object/objects.ts';
import { type EvidenceStep, objectEvidence } from './object/provenance.ts';
import { eventAt, eventCount, isPlainNote, type PixelEvent } from './pixel/pixel-events.ts';

function confirmed({ spec, metrics }: Stack): readonly ChangeObject[] {
  return monitorMetrics(spec, metrics).objects.filter(({ confirmedMs }) => confirmedMs !== null);
}

/** Number of scenes until some days after the change. */
function scenesUntil({ spec }: Stack, days: number): number {
  return spec.timesMs.findIndex((ms) => ms > CROPS_FROM_MS + days * DAY_MS);
}

test('savanna that becomes crops departs on both sides: one change of seasonality, found within 300 days', () => {
  const stack = simulatedSavanna(Number.POSITIVE_INFINITY);
  for (const days of [300, 500, 800]) {
    const [change, ...others] = confirmed(untilDay(stack, days));
    assert.deepEqual(others, [], `${days} days`);
    assert.equal(change?.type, 'conversion');
    assert.equal(change.status, 'confirmed');
    assert.ok(
      change.pixels.every(becomesCrops) && change.pixels.length >= 15,
      `${change.pixels.length} of 25`,
    );
    assert.ok(Math.abs(change.firstAnomalyMs - CROPS_FROM_MS) < 60 * DAY_MS);
  }
});

test('crops that end soon after they were noted have recovered a year later', () => {
  const stack = simulatedSavanna(CROPS_FROM_MS + 208 * DAY_MS);
  const [change, ...others] = confirmed(stack);
  assert.deepEqual(others, []);
  assert.equal(change?.status, 'recovered');
});

/** The evidence of the only confirmed change of a stack. */
function pathOf(stack: Stack): [change: ChangeObject, path: readonly EvidenceStep[]] {
  const { spec, metrics } = stack;
  const { objects, context } = monitorMetrics(spec, metrics);
  const change = objects.find(({ confirmedMs }) => confirmedMs !== null)!;
  const times = spec.timesMs.length;
  const series = metrics['ndvi']!.subarray(change.seed.pixel * times, (change.seed.pixel + 1) * times);
  const observed = new Uint8Array(times).fill(1);
  const followed = [{ traits: metricTraits('ndvi')!, context }];
  return [change, objectEvidence(spec, followed, change, [series], observed).path];
}

test('the evidence of a note is confirmed until the note is over, and ends there', () => {
  const [over, path] = pathOf(simulatedSavanna(CROPS_FROM_MS + 208 * DAY_MS));
  const last = path.at(-1)!;
  assert.deepEqual([last.timeMs, last.state], [over.recoveredMs, 'watching']);
  const since = path.slice(0, -1).filter(({ timeMs }) => timeMs >= over.confirmedMs!);
  assert.ok(since.length > 20 && since.every(({ state }) => state === 'confirmed'), `${since.length} scenes`);

  const [standing, open] = pathOf(simulatedSavanna(Number.POSITIVE_INFINITY));
  assert.equal(standing.status, 'confirmed');
  assert.equal(open.at(-1)!.state, 'confirmed');
});

test('a plain fall of forest is noted within 30 days, stands after a year, and is over where it grew again', () => {
  const pasture = simulatedPasture(Number.POSITIVE_INFINITY);
  for (const days of [30, 330, 480]) {
    const [change, path] = pathOf(untilDay(pasture, days));
    assert.ok(change.seed.early && change.pixels.every(becomesPasture) && change.pixels.length === 4);
    assert.equal(change.status, 'confirmed');
    assert.ok(change.confirmedMs! < CROPS_FROM_MS + 30 * DAY_MS);
    assert.equal(path.at(-1)!.state, 'confirmed', `${days} days`);
  }
  const [over, path] = pathOf(simulatedPasture(CROPS_FROM_MS + 100 * DAY_MS));
  const last = path.at(-1)!;
  assert.deepEqual([over.status, last.timeMs, last.state], ['recovered', over.recoveredMs, 'watching']);
  assert.ok(over.seed.early && over.confirmedMs! < CROPS_FROM_MS + 30 * DAY_MS);
});

test('the kernel stops where a change of seasonality may be noted', () => {
  const stack = simulatedSavanna(CROPS_FROM_MS + 330 * DAY_MS);
  compareWatched(stack, scenesUntil(stack, 250), 5);
});

test('the kernel stops where a note of a plain fall is open', () => {
  const stack = simulatedPasture(CROPS_FROM_MS + 100 * DAY_MS);
  compareWatched(stack, scenesUntil(stack, 40), 5);
});

/** Days after the planting of a forest until which it is noted. */
const NOTED_DAYS = 150;

test('a plain rise of fields that become forest is noted, stands after a year, and is over where they are fields again', () => {
  const forest = simulatedPlanting(Number.POSITIVE_INFINITY);
  for (const days of [NOTED_DAYS, 480, 540]) {
    const [change, path] = pathOf(untilDay(forest, days));
    assert.ok(change.seed.early && change.seed.direction === 1);
    assert.ok(change.pixels.every(becomesPasture) && change.pixels.length >= 3);
    assert.equal(change.status, 'confirmed');
    assert.ok(change.confirmedMs! < CROPS_FROM_MS + NOTED_DAYS * DAY_MS);
    assert.equal(path.at(-1)!.state, 'confirmed', `${days} days`);
  }
  const fields = simulatedPlanting(CROPS_FROM_MS + 200 * DAY_MS);
  const [over, path] = pathOf(fields);
  const last = path.at(-1)!;
  // The evidence is that of one pixel, which recovers before most of the others.
  const overMs = fields.spec.timesMs[over.seed.recovered]!;
  assert.deepEqual([over.status, last.timeMs, last.state], ['recovered', overMs, 'watching']);
  assert.ok(overMs < over.recoveredMs!);
  assert.ok(over.seed.early && over.confirmedMs! < CROPS_FROM_MS + NOTED_DAYS * DAY_MS);
});

/** The notes of rises among the events of the pixels themselves. */
function risesNoted(stack: Stack): readonly PixelEvent[] {
  const { own } = resume(stack, 0, undefined);
  const events = Array.from({ length: eventCount(own) }, (_, i) => eventAt(own, i));
  return events.filter((event) => isPlainNote(event) && event.direction > 0);
}

test('rises of water, backscatter, motion and built-up ground are not noted', () => {
  const { spec, metrics } = simulatedPlanting(Number.POSITIVE_INFINITY);
  const ndvi = metrics['ndvi']!;
  const as = (metric: string, scale: number): number =>
    risesNoted({ spec: { ...spec, metric }, metrics: { [metric]: ndvi.map((v) => scale * (v - 0.5)) } })
      .length;
  assert.ok(risesNoted({ spec, metrics }).length >= 3);
  assert.ok(as('nbr', 1) >= 3);
  for (const metric of ['mndwi', 'ndwi', 'ndbi']) assert.equal(as(metric, 1), 0, metric);
  // 3.2 noise floors as above: .08 of a normalised difference, 2.56 dB, 9.6 mm.
  for (const metric of ['vh', 'vv', 'vh_orbit_98']) assert.equal(as(metric, 32), 0, metric);
  assert.equal(as('displacement', 120), 0);
});

test('a search that goes on while a note of a rise is open has the events and the state of an undisturbed one', () => {
  const stack = simulatedPlanting(CROPS_FROM_MS + 200 * DAY_MS);
  const whole = resume(stack, 0, undefined);
  for (const days of [NOTED_DAYS, 300]) {
    const since = scenesUntil(stack, days);
    const { left, own } = resume(firstScenes(stack, since), 0, undefined);
    const isOpen = Array.from({ length: eventCount(own) }, (_, i) => eventAt(own, i)).some(isPlainNote);
    assert.ok(isOpen, `a note is open after ${days} days`);
    const gone = resume(stack, since, left);
    assert.deepEqual(gone.own, whole.own);
    assert.deepEqual(gone.objects, whole.objects);
    assert.deepEqual(gone.left.follow, whole.left.follow);
    assert.deepEqual(
      resume(stack, since, left, false).own,
      whole.own,
      'no pixel with a note is taken for calm',
    );
  }
});

test('the kernel stops where a note of a plain rise is open', () => {
  const stack = simulatedPlanting(CROPS_FROM_MS + 200 * DAY_MS);
  compareWatched(stack, scenesUntil(stack, NOTED_DAYS), 5);
  compareWatched(stack, scenesUntil(stack, 300), 7);
});
