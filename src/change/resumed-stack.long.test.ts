import assert from 'node:assert/strict';
import { test } from 'node:test';
import { uniform } from '../../test/oracles/simulated-series.ts';
import { firstScenes, type Left, randomStack, resume } from '../../test/oracles/resumed-passes.ts';
import { monitorMetrics } from './monitor.ts';
import { eventAt, eventCount, type PixelEvents } from './pixel/pixel-events.ts';
import { NONE } from './stack.ts';

/**
 * Returns after how many scenes each run ends: with seed 1 after every scene, else after random numbers of scenes. The
 * last two runs end at the same scene, so the last run has no new scenes.
 */
function cutsOf(seed: number, times: number): number[] {
  if (seed === 1) return [...Array.from({ length: times }, (_, t) => t + 1), times];
  const next = uniform(100 + seed);
  const cuts = [times, times];
  for (let cut = times; cut > 1;) {
    cut = Math.max(1, cut - 1 - Math.floor(next() * 25));
    cuts.unshift(cut);
  }
  return cuts;
}

/**
 * Lists the departures that were confirmed before a given scene, with the scenes of first anomaly, flag and
 * confirmation. Suspicions are not compared: while they wait for their season they are not reported.
 */
function confirmedBefore(events: PixelEvents, scene: number): string[] {
  return Array.from({ length: eventCount(events) }, (_, i) => eventAt(events, i))
    .filter(({ confirmed }) => confirmed !== NONE && confirmed < scene)
    .map((event) => `${event.pixel}: ${event.firstAnomaly}, ${event.flagged}, ${event.confirmed}`)
    .toSorted();
}

test('a stack processed in parts gives the same events, objects and neighbourhoods as one run, bit by bit, and no confirmation earlier or later', () => {
  const statuses = new Map<string, number>();
  for (let seed = 1; seed <= 6; seed++) {
    const stack = randomStack(seed);
    const times = stack.spec.timesMs.length;
    const whole = monitorMetrics(stack.spec, stack.metrics);
    for (let i = 0; i < eventCount(whole.events); i++) {
      const { status } = eventAt(whole.events, i);
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
    }
    let before: Left | undefined;
    let since = 0;
    for (const cut of cutsOf(seed, times)) {
      const { left, events, objects } = resume(firstScenes(stack, cut), since, before);
      [before, since] = [left, cut];
      assert.deepEqual(
        confirmedBefore(events, cut),
        confirmedBefore(whole.events, cut),
        `stack ${seed} at ${cut}`,
      );
      if (cut < times) continue;
      assert.deepEqual(events, whole.events, `stack ${seed}`);
      assert.deepEqual(objects, whole.objects, `stack ${seed}`);
      assert.deepEqual(left.contexts[0], whole.context, `stack ${seed}`);
    }
  }
  // Every status occurs in the stacks.
  assert.deepEqual([...statuses.keys()].toSorted(), ['confirmed', 'recovered', 'rejected', 'suspected']);
});
