import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DAY_MS } from '../../base/time.ts';
import { uniform } from '../../../test/oracles/simulated-series.ts';
import { PARAMETERS } from '../parameters.ts';
import { CONFIRM_LOG_ODDS, MAX_STEP, PRIOR_LOG_ODDS } from './evidence.ts';
import { randomStack, type Stack } from '../../../test/oracles/resumed-passes.ts';
import { shiftedPlot } from '../../../test/oracles/shifted-plot.ts';
import { compareWatched } from '../../../test/oracles/watched-pixels.ts';

/** The given metrics of a stack. */
function only({ spec, metrics }: Stack, ...keys: string[]): Stack {
  const chosen = Object.fromEntries(keys.map((key) => [key, metrics[key]!]));
  return { spec: { ...spec, metric: keys[0]! }, metrics: chosen };
}

test('the kernel and the engine alone give the same states and events, bit by bit, with any metrics', () => {
  const shares: Record<string, number> = {};
  for (const seed of [1, 2]) {
    const stack = randomStack(seed);
    const stacks = [stack];
    if (seed % 2 === 0) stacks.push(only(stack, 'ndvi'), only(stack, 'nbr', 'ndvi'), only(stack, 'mndwi'));
    for (const each of stacks) {
      const { scenes, of } = compareWatched(each, Math.floor(each.spec.timesMs.length * 0.7), 3);
      shares[`${seed} ${Object.keys(each.metrics).join(' ')}`] = scenes / of;
    }
  }
  // Where the kernel looks at few scenes, the comparison says little.
  for (const [name, share] of Object.entries(shares)) assert.ok(share > 0.25, `${name}: ${share}`);
});

test('what a metric showed in another scene, or at another pixel, decides nothing in a scene without a value of it', () => {
  // With looks that were not passed over, pixels 586 and 1134 were confirmed in other scenes by the engine alone.
  const stack = randomStack(2, 40, 40);
  compareWatched(stack, Math.floor(stack.spec.timesMs.length * 0.7), 2);
});

/** A metric of a stack that other pixels show `shift` pixels further, multiplied by `factor`: its gaps are others. */
function shifted({ spec, metrics }: Stack, key: string, shift: number, factor: number): Float64Array {
  const times = spec.timesMs.length;
  const values = metrics[key]!;
  return values.map((_, i) => Math.round(factor * 1e4 * values[(i + shift * times) % values.length]!) / 1e4);
}

test('three metrics that are joint evidence, one of them oppositely, and a witness between them', () => {
  const stack = randomStack(4, 9, 8);
  const { ndvi, nbr, mndwi } = stack.metrics as Record<'ndvi' | 'nbr' | 'mndwi', Float64Array>;
  const ndbi = shifted(stack, 'ndvi', 1, -0.5);
  const ndmi = shifted(stack, 'nbr', 9, 0.8);
  const times = stack.spec.timesMs.length;
  // Before the kernel followed witnesses, it looked at 37 % of the scenes of the first of these.
  for (const [metrics, least] of [
    [{ ndvi, mndwi, ndbi, nbr }, 0.5],
    [{ ndmi, ndbi, ndvi }, 0.3],
    [{ ndbi, nbr, ndmi, mndwi }, 0.3],
  ] as const) {
    const each = { spec: { ...stack.spec, metric: Object.keys(metrics)[0]! }, metrics };
    const { scenes, of } = compareWatched(each, Math.floor(times * 0.6));
    assert.ok(scenes / of > least, `${Object.keys(metrics).join(' ')}: ${scenes / of}`);
  }
});

test('the kernel finds which values are interpolated, and looks at an observation that the next value shows', () => {
  for (const [seed, step, side] of [
    [7, 0.02, 14],
    [4, 0.05, 12],
    [5, 0.01, 24],
  ] as const) {
    const { spec, metrics } = randomStack(seed, side, side);
    // Values of such steps lie on a line with the two before them in up to a third of all scenes.
    for (const values of Object.values(metrics))
      for (let i = 0; i < values.length; i++) values[i] = Math.round(values[i]! / step) * step;
    const { scenes, of } = compareWatched({ spec, metrics }, Math.floor(spec.timesMs.length * 0.6));
    assert.ok(scenes / of > 0.25, `${seed}: ${scenes / of}`);
  }
});

test('what was noted of an earlier fall is not in the state', () => {
  const next = uniform(1);
  const [side, times] = [12, 100];
  const timesMs = Float64Array.from({ length: times }, (_, t) => Date.UTC(2015, 0, 3) + t * 16 * DAY_MS);
  const ndvi = new Float64Array(side * side * times);
  for (let pixel = 0; pixel < side * side; pixel++) {
    // Every third pixel is low in two scenes.
    const low = pixel % 3 === 0 ? 56 + Math.floor(30 * next()) : times;
    for (let t = 0; t < times; t++) {
      const noise = 0.06 * (next() + next() + next() - 1.5);
      const value = Math.round(1e4 * ((t === low || t === low + 1 ? 0.4 : 0.78) + noise)) / 1e4;
      ndvi[pixel * times + t] = next() < 0.15 ? Number.NaN : value;
    }
  }
  const spec = { width: side, height: side, pixelAreaM2: 900, metric: 'ndvi', timesMs };
  for (const since of [75, 90]) compareWatched({ spec, metrics: { ndvi } }, since);
});

test('the kernel stops where a small rise or fall may be evident to neighbours', () => {
  for (const shift of [0.08, -0.1]) {
    const plot = {
      level: 0.6,
      amplitude: 0.1,
      shift,
      sinceMs: Date.UTC(2017, 4, 20),
      columns: 5,
      noise: 0.04,
    };
    const stack = shiftedPlot(plot);
    compareWatched(stack, Math.floor(stack.spec.timesMs.length * 0.7));
  }
});

test('after the evidence is cleared one scene flags nothing: the kernel cannot go back behind an outgrown history', () => {
  const { cusumClip, cusumSlack, plainCusum, risenCusum, suspectCusum, noteCusum, flagRun } = PARAMETERS;
  assert.ok(cusumClip - PARAMETERS.seasonalSlack <= PARAMETERS.seasonalCusum);
  assert.ok(cusumClip - cusumSlack <= Math.min(plainCusum, risenCusum, suspectCusum));
  // Notes begin where neither the kernel nor the calm pixels go.
  assert.ok(Math.min(...noteCusum) >= Math.min(plainCusum, risenCusum));
  assert.ok(Math.min(flagRun.comparable, flagRun.other) > 1);
  assert.ok(PRIOR_LOG_ODDS + MAX_STEP < CONFIRM_LOG_ODDS);
});
