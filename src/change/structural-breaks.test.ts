import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DAY_MS } from '../base/time.ts';
import { uniform } from '../../test/oracles/simulated-series.ts';
import { StructuralBreaks } from './structural-breaks.ts';

const timesMs = Array.from({ length: 120 }, (_, t) => Date.UTC(2010, 0, 1) + t * 16 * DAY_MS);
const BREAK = 90;

/** Series of three pixels with seasons and noise: one pixel falls, one does not change, one has few observations. */
function series(scale = 1): Float32Array {
  const next = uniform(7);
  return Float32Array.from({ length: 3 * timesMs.length }, (_, i) => {
    const [pixel, t] = [Math.floor(i / timesMs.length), i % timesMs.length];
    const season = 0.1 * Math.sin((2 * Math.PI * t * 16) / 365.25);
    const value = 0.6 + season + 0.04 * (next() - 0.5) - (pixel === 0 && t >= BREAK ? 0.2 : 0);
    return pixel === 2 && t > 2 ? Number.NaN : Math.fround(scale * value);
  });
}

test('a break is dated by the scene at which the moving sum crosses its boundary, in any unit', () => {
  const breaks = new StructuralBreaks(timesMs, timesMs[70]!, 3);
  const found = Array.from(breaks.of(series()));
  assert.ok(found[0]! >= timesMs[BREAK]! && found[0]! <= timesMs[BREAK + 5]!, `${found[0]}`);
  assert.deepEqual(found.slice(1), [Number.NaN, Number.NaN]);
  assert.deepEqual(Array.from(breaks.of(series(1e4))), found);
});

test('everything before monitoring is history; without history, and after the record, no break is found', () => {
  const nothing = [Number.NaN, Number.NaN, Number.NaN];
  for (const fromMs of [timesMs[0]! - DAY_MS, timesMs[2]!, timesMs.at(-1)! + DAY_MS])
    assert.deepEqual(Array.from(new StructuralBreaks(timesMs, fromMs, 3).of(series())), nothing);
  const late = Array.from(new StructuralBreaks(timesMs, timesMs[BREAK + 20]!, 3).of(series()));
  assert.deepEqual(late.slice(1), nothing.slice(1));
});
