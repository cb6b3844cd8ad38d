import assert from 'node:assert/strict';
import { mock } from 'node:test';
import type { Emit, PixelEvent } from '../../src/change/pixel/pixel-events.ts';
import { PixelMonitor } from '../../src/change/pixel/pixel-monitor.ts';
import { StateReader } from '../../src/change/state/state-reader.ts';
import { StateWriter } from '../../src/change/state/state-writer.ts';
import { WatchKernel } from '../../src/change/kernel/watch-kernel.ts';
import { firstScenes, resume, type Stack } from './resumed-passes.ts';

/** Scenes that the kernel has looked at, and all that pixels were followed through. */
export interface Watched {
  readonly scenes: number;
  readonly of: number;
}

interface Followed {
  readonly state: Uint8Array<ArrayBuffer>;
  readonly events: readonly PixelEvent[];
}

/**
 * Follows pixels of a stack with the kernel and with the engine alone, from the first scene to a cut and from there to
 * the end, and at once, and compares events and states.
 * @param every step between the pixels that are followed
 * @throws AssertionError where a byte or an event differs
 */
export function compareWatched(stack: Stack, cut: number, every = 1): Watched {
  const { width, height } = stack.spec;
  const [early, whole] = [pairOf(firstScenes(stack, cut)), pairOf(stack)];
  const watch = mock.method(WatchKernel.prototype, 'watch');
  let of = 0;
  try {
    for (let p = 0; p < width * height; p += every) {
      const [a, b] = early.map((follow) => follow(p, 0, undefined)) as [Followed, Followed];
      assert.deepEqual(a, b, `pixel ${p} up to scene ${cut}`);
      const [c, d] = whole.map((follow) => follow(p, cut, a.state)) as [Followed, Followed];
      assert.deepEqual(c, d, `pixel ${p} from scene ${cut} on`);
      const [e, f] = whole.map((follow) => follow(p, 0, undefined)) as [Followed, Followed];
      assert.deepEqual(e, f, `pixel ${p}`);
      const rest = e.events.slice(e.events.length - c.events.length);
      assert.deepEqual(c, { state: e.state, events: rest }, `pixel ${p} in two parts and at once`);
      of += 2 * stack.spec.timesMs.length;
    }
  } finally {
    watch.mock.restore();
  }
  const scenes = watch.mock.calls.reduce((sum, call) => sum + call.result! - call.arguments[0], 0);
  return { scenes, of };
}

type Follow = (pixel: number, from: number, left: Uint8Array<ArrayBuffer> | undefined) => Followed;

/** Functions that follow a pixel with the kernel and without it. */
function pairOf(stack: Stack): readonly Follow[] {
  const { spec } = stack;
  const { followed } = resume(stack, 0, undefined);
  const series = Object.values(stack.metrics);
  const times = spec.timesMs.length;
  return [true, false].map((watches) => {
    const monitor = new PixelMonitor(spec, followed, watches);
    return (pixel, from, left) => {
      const kept = new StateWriter();
      const events: PixelEvent[] = [];
      const emit: Emit = (event) => void events.push(event);
      const state = { left: left && new StateReader(left), kept };
      monitor.resume(pixel, series, pixel * times, from, state, emit, emit);
      return { state: kept.written(), events };
    };
  });
}
