import assert from 'node:assert/strict';
import { test } from 'node:test';
import { randomStack, resume } from '../../test/oracles/resumed-passes.ts';
import { resumeStrips } from './monitor.ts';
import { StateReader } from './state/state-reader.ts';
import { StateWriter } from './state/state-writer.ts';

test('strips that are followed one after another give the states of one strip', () => {
  const stack = randomStack(3);
  const { spec, metrics } = stack;
  const times = spec.timesMs.length;
  const { followed } = resume(stack, 0, undefined);
  const pixels = spec.width * spec.height;
  const since = Math.floor(times * 0.7);
  const [whole, parts]: [Uint8Array[], Uint8Array[]] = [[], []];
  // Strips of a thread share the memory of one kernel, so each finds in it what the one before has left.
  for (const [found, size] of [
    [whole, pixels],
    [parts, 24],
  ] as const)
    for (let from = 0; from < pixels; from += size) {
      const strips = Object.values(metrics).map((values) => ({
        from,
        values: values.subarray(from * times, (from + size) * times),
      }));
      // The last scenes are hidden first, then continued from the saved state.
      const earlier = strips.map(({ values }) => ({
        from,
        values: values.map((value, i) => (i % times < since ? value : Number.NaN)),
      }));
      const before = new StateWriter();
      resumeStrips(spec, followed, earlier, 0, { kept: before });
      const kept = new StateWriter();
      resumeStrips(spec, followed, strips, since, { left: new StateReader(before.written()), kept });
      found.push(before.written(), kept.written());
    }
  assert.deepEqual(Buffer.concat(parts.filter((_, i) => i % 2 === 0)), Buffer.from(whole[0]!));
  assert.deepEqual(Buffer.concat(parts.filter((_, i) => i % 2 === 1)), Buffer.from(whole[1]!));
});
