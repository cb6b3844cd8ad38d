import assert from 'node:assert/strict';
import { test } from 'node:test';
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
