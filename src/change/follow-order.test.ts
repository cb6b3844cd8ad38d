import assert from 'node:assert/strict';
import { test } from 'node:test';
import { randomStack, resume } from '../../test/oracles/resumed-passes.ts';
import { followOrder } from './follow-order.ts';
import { resumeStrips } from './monitor.ts';
import type { PixelEvents } from './pixel/pixel-events.ts';
import { StateWriter } from './state/state-writer.ts';

test('columns are followed in groups through all rows of a strip, which may begin within a row', () => {
  // Pixels 38 to 80 of a grid of 20 columns: rows 1 (two pixels), 2, 3 and 4 (one pixel).
  const order = [...followOrder(20, 38, 43)].map((p) => p + 38);
  const columns = (first: number, last: number): readonly number[] =>
    Array.from({ length: 43 }, (_, p) => p + 38).filter((p) => p % 20 >= first && p % 20 <= last);
  assert.deepEqual(order, [...columns(0, 15), ...columns(16, 19)]);
});

test('each pixel is followed once', () => {
  for (const [width, from, pixels] of [
    [1, 0, 5],
    [7, 3, 30],
    [512, 4096, 4096],
    [5000, 4096, 4096],
    [5000, 8192, 100],
  ] as const) {
    const order = followOrder(width, from, pixels).toSorted();
    assert.deepEqual(
      order,
      Int32Array.from({ length: pixels }, (_, p) => p),
      `${width}`,
    );
  }
});

test('a strip has the states and the events of its rows, each followed alone', () => {
  const [width, height] = [37, 12];
  const { spec, metrics } = randomStack(2, width, height);
  const { followed } = resume({ spec, metrics }, 0, undefined);
  const rowValues = width * spec.timesMs.length;
  const follow = (first: number, last: number): { state: Uint8Array; events: PixelEvents } => {
    const kept = new StateWriter();
    const strips = Object.values(metrics).map((values) => ({
      from: first * width,
      values: values.subarray(first * rowValues, last * rowValues),
    }));
    const events = resumeStrips(spec, followed, strips, 0, { kept });
    return { state: kept.written(), events };
  };
  const whole = follow(0, height);
  const rows = Array.from({ length: height }, (_, row) => follow(row, row + 1));
  assert.ok(whole.events.scenes.length > 0);
  assert.deepEqual(
    [...whole.events.scenes],
    rows.flatMap(({ events }) => [...events.scenes]),
  );
  assert.ok(Buffer.concat(rows.map(({ state }) => state)).equals(whole.state));
});
