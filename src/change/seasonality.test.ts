import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DAY_MS } from '../base/time.ts';
import { firstScenes, type Stack } from '../../test/oracles/resumed-passes.ts';
import {
  becomesCrops,
  becomesPasture,
  CROPS_FROM_MS,
  simulatedPasture,
  simulatedSavanna,
} from '../../test/oracles/simulated-savanna.ts';
import { compareWatched } from '../../test/oracles/watched-pixels.ts';
import { metricTraits } from './metric.ts';
import { monitorMetrics } from './monitor.ts';
import type { ChangeObject } from './object/objects.ts';
import { type EvidenceStep, objectEvidence } from './object/provenance.ts';

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
    const [change, ...others] = confirmed(firstScenes(stack, scenesUntil(stack, days)));
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
    const [change, path] = pathOf(firstScenes(pasture, scenesUntil(pasture, days)));
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
