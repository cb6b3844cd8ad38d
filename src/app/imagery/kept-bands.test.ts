import assert from 'node:assert/strict';
import { test } from 'node:test';
import { KeptBands } from './kept-bands.ts';

test('kept bands are copies; memory that a band shares with others stays as it is', () => {
  const message = new Int16Array([7, 1, 2, 3, 8]);
  const own = Int16Array.of(4, 5, 6);
  const kept = new KeptBands(6);
  kept.keep(0, { samples: message.subarray(1, 4), snow: undefined });
  kept.keep(1, { samples: own, snow: undefined });
  assert.deepEqual([...message], [7, 1, 2, 3, 8]);
  assert.equal(own.length, 0);
  const bands = [0, 1].map((band) => [...kept.get(band)!.samples]);
  assert.deepEqual(bands, [
    [1, 2, 3],
    [4, 5, 6],
  ]);
  kept.free();
  assert.equal(kept.get(0), undefined);
});

test('a band for which there is no room is not kept', () => {
  const kept = new KeptBands(2);
  kept.keep(0, { samples: Float32Array.of(1, 2), snow: undefined });
  kept.keep(1, { samples: Float32Array.of(3, 4), snow: undefined });
  assert.deepEqual([...kept.get(0)!.samples], [1, 2]);
  assert.equal(kept.get(1), undefined);
});
