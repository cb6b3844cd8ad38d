import assert from 'node:assert/strict';
import { test } from 'node:test';
import { firstScenes, randomStack, resume, type Stack } from '../../../test/oracles/resumed-passes.ts';
import { uniform } from '../../../test/oracles/simulated-series.ts';
import { eventAt, eventCount, type PixelEvent, type PixelEvents } from '../pixel/pixel-events.ts';
import { StateReader } from '../state/state-reader.ts';
import { PixelMonitor } from '../pixel/pixel-monitor.ts';
import { CalmPixels } from './calm-pixels.ts';

/** Numbers of scenes since the state after which a stack is searched. */
const SCENES_MORE = [0, 1, 3, 5, 8];

const ignored = (): void => undefined;

function listed(events: PixelEvents): readonly PixelEvent[] {
  return Array.from({ length: eventCount(events) }, (_, i) => eventAt(events, i));
}

/**
 * Moves half of the pixels from some scene on, three scenes before `since` at the earliest, and a quarter of them in
 * single scenes, so that departures begin, are flagged and end in these scenes.
 */
function disturbed({ spec, metrics }: Stack, since: number, seed: number): Stack {
  const next = uniform(seed);
  const times = spec.timesMs.length;
  const moved = Object.entries(metrics).map(([key, values]) => [key, values.slice()] as const);
  for (let pixel = 0; pixel < spec.width * spec.height; pixel++) {
    const kind = next();
    const begin = since - 3 + Math.floor(next() * (times - since + 3));
    const size = (next() < 0.7 ? -1 : 1) * (0.05 + 0.35 * next());
    for (let t = since - 3; t < times; t++) {
      const isMoved = kind < 0.5 ? t >= begin : kind < 0.75 && next() < 0.4;
      if (isMoved) for (const [, values] of moved) values[pixel * times + t]! += size;
    }
  }
  return { spec, metrics: Object.fromEntries(moved) };
}

test('a search that passes over calm pixels has the events of one that follows each pixel, bit by bit', () => {
  const calmAfter = new Map<number, number>();
  let open = 0;
  let steps = 0;
  // A bank of like pixels needs some hundred pixels, most of which are not in it.
  for (const [seed, width, height] of [
    [1, 14, 12],
    [2, 26, 24],
  ] as const) {
    const still = randomStack(seed, width, height);
    const times = still.spec.timesMs.length;
    for (const since of [Math.floor(times / 2), times - 8]) {
      const stack = disturbed(firstScenes(still, since + 8), since, seed);
      const { left } = resume(firstScenes(stack, since), 0, undefined);
      for (const more of SCENES_MORE) {
        const known = firstScenes(stack, since + more);
        const oracle = resume(known, since, left);
        const events = resume(known, since, left, false);
        assert.deepEqual(events.own, oracle.own, `stack ${seed}, ${more} scenes after ${since}`);
        assert.deepEqual(events.objects, oracle.objects, `stack ${seed}, ${more} scenes after ${since}`);

        const pixels = new CalmPixels(known.spec, oracle.followed, since);
        const monitor = new PixelMonitor(known.spec, oracle.followed);
        const reader = new StateReader(left.follow);
        const series = Object.values(known.metrics);
        const strips = series.map((values) => ({ from: 0, values }));
        const all = listed(oracle.own);
        for (let pixel = 0; pixel < width * height; pixel++) {
          const its: PixelEvent[] = [];
          if (pixels.passOver(pixel, strips, pixel, reader, its)) {
            calmAfter.set(more, (calmAfter.get(more) ?? 0) + 1);
            assert.deepEqual(
              its,
              all.filter((event) => event.pixel === pixel),
            );
            if (more === 5) {
              const { rise, fall } = pixels.statistics;
              monitor.follow(pixel, series, pixel * (since + more), ignored, (step) => {
                if (step.scene < since) return;
                for (const [bound, odds, cusum, sign] of [
                  [fall, step.fallOdds, step.like?.cusum[0], -1],
                  [rise, step.riseOdds, step.like?.cusum[1], 1],
                ] as const) {
                  const seen = [odds, cusum ?? 0, sign * step.ewma, sign * step.run];
                  const most = [bound.odds, bound.cusum, bound.ewma, bound.run];
                  assert.ok(
                    seen.every((value, i) => value <= most[i]! + 1e-9),
                    `pixel ${pixel} at ${step.scene} in stack ${seed} from ${since}: ${seen.join()}, at most ${most.join()}`,
                  );
                }
                steps += 1;
              });
            }
          } else {
            reader.skipRecord();
            if (all.some((event) => event.pixel === pixel && event.recovered < 0 && event.rejected < 0))
              open += 1;
          }
        }
      }
    }
  }
  // Both kinds occur: most pixels are calm after one scene, and some departures are open.
  const looked = 2 * (14 * 12 + 26 * 24);
  assert.ok(
    calmAfter.get(1)! > looked / 2,
    `${calmAfter.get(1)} of ${looked} pixels are calm after one scene`,
  );
  assert.ok(
    calmAfter.get(5)! > looked / 20,
    `${calmAfter.get(5)} of ${looked} pixels are calm after five scenes`,
  );
  assert.ok(open > 50);
  assert.ok(steps > 100, `${steps} steps are within their bounds`);
});
