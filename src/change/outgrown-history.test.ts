import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DAY_MS } from '../base/time.ts';
import { monitorMetrics } from './monitor.ts';
import { eventAt, eventCount } from './pixel/pixel-events.ts';
import type { StackSpec } from './stack.ts';

const EDGE = 32;
const TIMES = 140;

/** Reproducible normal random numbers from a linear congruential generator (Numerical Recipes). */
function noise(seed: number): () => number {
  let state = seed;
  const uniform = (): number => (state = (Math.imul(1_664_525, state) + 1_013_904_223) >>> 0) / 2 ** 32;
  return () => (uniform() + uniform() + uniform() + uniform() - 2) * Math.sqrt(3);
}

function isCleared(pixel: number): boolean {
  return Math.floor(pixel / EDGE) % 8 < 3 && (pixel % EDGE) % 8 < 3;
}

test('a history that begins in winter is outgrown by spring, and no pixel is left unjudged', () => {
  const spec: StackSpec = {
    width: EDGE,
    height: EDGE,
    pixelAreaM2: 900,
    metric: 'ndvi',
    timesMs: Float64Array.from({ length: TIMES }, (_, t) => Date.UTC(2012, 0, 3) + t * 16 * DAY_MS),
  };
  const next = noise(5);
  const values = new Float32Array(EDGE * EDGE * TIMES);
  for (let p = 0; p < EDGE * EDGE; p++) {
    for (let t = 0; t < TIMES; t++) {
      const years = (t * 16) / 365.25;
      const green = 0.65 - 0.12 * Math.cos(2 * Math.PI * years) - (isCleared(p) && years >= 4.45 ? 0.3 : 0);
      values[p * TIMES + t] = (t * 7 + p * 3) % 10 < 3 ? Number.NaN : green + 0.03 * next();
    }
  }
  const { events } = monitorMetrics(spec, { ndvi: values });
  const confirmed = new Set<number>();
  for (let i = 0; i < eventCount(events); i++) {
    const event = eventAt(events, i);
    if (event.confirmed >= 0 && event.direction < 0) confirmed.add(event.pixel);
  }
  const cleared = Array.from({ length: EDGE * EDGE }, (_, p) => p).filter(isCleared);
  const found = cleared.filter((p) => confirmed.has(p)).length;
  assert.ok(found >= 0.97 * cleared.length, `${found} of ${cleared.length} cleared pixels were found`);
});
