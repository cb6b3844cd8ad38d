import assert from 'node:assert/strict';
import { test } from 'node:test';
import { uniform } from '../../../test/oracles/simulated-series.ts';
import { LagOne } from './lag-one.ts';

test('an estimate of a history that grew is the same to the bit as one from its beginning', () => {
  const next = uniform(23);
  const kept = new LagOne();
  const told = new Set<number>();
  for (let series = 0; series < 200; series++) {
    kept.clear();
    let last = 0;
    const departures = Float32Array.from({ length: 90 }, () => {
      if (next() < 0.1) return Number.NaN;
      last = 0.6 * last + next() - 0.5;
      return next() < 0.05 ? 5 * last : last;
    });
    const scenes = Array.from({ length: 90 }, (_, t) => t).filter(() => next() < 0.7);
    for (let count = 5; count <= scenes.length; count += 1 + Math.floor(6 * next())) {
      const limit = next() < 0.1 ? 0.3 : 0.9 + 0.4 * next();
      const anew = new LagOne().estimate(departures, scenes, count, limit);
      assert.equal(kept.estimate(departures, scenes, count, limit), anew, `${series}, ${count}`);
      told.add(anew);
    }
  }
  assert.ok(told.size > 1000, `${told.size} estimates`);
});

test('departures that alternate have no autocorrelation, and those that persist have much', () => {
  const scenes = Array.from({ length: 80 }, (_, t) => t);
  const alternating = scenes.map((t) => (t % 2 === 0 ? 1 : -1));
  assert.equal(new LagOne().estimate(alternating, scenes, 80, 3), 0);
  const slow = scenes.map((t) => Math.sin(t / 8));
  const prior = 12 * 0.1;
  const rho = new LagOne().estimate(slow, scenes, 80, 3);
  assert.ok(rho > 0.8 && rho < (prior + 79) / (12 + 79), `${rho}`);
  // A single departure beyond the limit counts as one at the limit.
  const beyond = slow.map((value, t) => (t === 40 ? 90 : value));
  const atLimit = slow.map((value, t) => (t === 40 ? 1.5 : value));
  assert.equal(
    new LagOne().estimate(beyond, scenes, 80, 1.5),
    new LagOne().estimate(atLimit, scenes, 80, 1.5),
  );
});
