import assert from 'node:assert/strict';
import { test } from 'node:test';
import { NO_CHANGE, type BacktestLabel } from './labels.ts';
import { excursionOutcome } from './reference-method.ts';
import type { Excursion } from '../../../change/structural-breaks.ts';

const GRACE = 10;

function label(kind: string, fromMs: number | null, toMs: number | null = null): BacktestLabel {
  return { id: 'x', place: { kind: 'point', position: [0, 0] }, fromMs, toMs, label: kind };
}

const over = (startMs: number, endMs: number | null = null): Excursion => ({ startMs, endMs });

test('a place is changed when half of its pixels crossed in the window and are over the boundary at the end', () => {
  const pixels = [[over(100)], [over(105)], [over(90, 95)], []];
  const found = excursionOutcome(label('burn', 98), pixels, GRACE);
  assert.deepEqual([found.mapped, found.probability, found.lagMs], ['any change', 1, 7]);
  assert.equal(found.withdrawn, null);
  // One more pixel, and those that stand are fewer than half.
  const fewer = excursionOutcome(label('burn', 98), [...pixels, []], GRACE);
  assert.deepEqual([fewer.mapped, fewer.lagMs, fewer.withdrawn], [NO_CHANGE, null, null]);
});

test('an excursion that ended is withdrawn; the next one that stands counts from the first within the window', () => {
  const passed = excursionOutcome(label('burn', 98), [[over(100, 130)]], GRACE);
  assert.deepEqual([passed.mapped, passed.probability, passed.lagMs], [NO_CHANGE, 0, null]);
  assert.deepEqual(passed.withdrawn, { detectedMs: 100, recoveredMs: null });
  const again = excursionOutcome(label('burn', 98), [[over(100, 130), over(150)]], GRACE);
  assert.deepEqual([again.mapped, again.lagMs], ['any change', 2]);
});

test('an excursion before the window is skipped unless it lasts into the window; none outside the grace period counts', () => {
  const lag = (pixel: readonly Excursion[], toMs: number | null = null) =>
    excursionOutcome(label('burn', 98, toMs), [pixel], GRACE).lagMs;
  assert.equal(lag([over(90, 97), over(110)]), 12);
  assert.equal(lag([over(90, 120), over(150)]), -8);
  assert.equal(lag([over(80)]), null);
  assert.equal(excursionOutcome(label('burn', 98), [[over(80)]], GRACE).isOutsideWindow, true);
  assert.equal(excursionOutcome(label('burn', 98), [[over(90)]], GRACE).isOutsideWindow, false);
  assert.equal(lag([over(130)], 120), null);
  assert.equal(lag([over(129)], 120), 31);
  const unchanged = excursionOutcome(label(NO_CHANGE, null), [[over(5)]], GRACE);
  assert.deepEqual([unchanged.mapped, unchanged.lagMs], ['any change', null]);
});
