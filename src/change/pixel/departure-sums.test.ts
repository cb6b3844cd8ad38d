import assert from 'node:assert/strict';
import { test } from 'node:test';
import { StateReader } from '../state/state-reader.ts';
import { StateWriter } from '../state/state-writer.ts';
import { DepartureSums } from './departure-sums.ts';

test('after clearing, nothing of the pixel before is left', () => {
  const used = new DepartureSums();
  for (let scene = 0; scene < 6; scene++) used.update(scene, -6, -6, false, false);
  used.clear();
  const fresh = new DepartureSums();
  for (const sums of [used, fresh]) sums.update(0, -3, -2, false, false);
  assert.equal(fresh.isLow(-1), true);
  assert.equal(used.isLow(-1), true, 'the fall of the pixel before was larger');
  assert.deepEqual(used.values, fresh.values);
});

test('the saved state has the open note of a fall and that of a rise, and no note of an earlier one', () => {
  const saved = (sums: DepartureSums): Uint8Array<ArrayBuffer> => {
    const writer = new StateWriter();
    sums.fields(writer);
    return writer.written();
  };
  for (const open of [[], [0], [1], [0, 1]])
    for (const z of [0, 3]) {
      const sums = new DepartureSums();
      for (let scene = 4; scene < 8; scene++) sums.update(scene, z, z, false, false);
      sums.plainNoted[0] = 6;
      sums.plainNoted[1] = 6;
      for (const side of open) {
        sums.notes[side as 0 | 1].open(6 + side, 4 + side);
        sums.notes[side as 0 | 1].see(side === 0);
      }
      const loaded = new DepartureSums();
      for (const note of loaded.notes) note.open(1, 1);
      loaded.fields(new StateReader(saved(sums)));
      assert.deepEqual(saved(loaded), saved(sums));
      assert.deepEqual(
        loaded.notes.map((note) => [note.scene, note.firstAnomaly, note.isBack(8)]),
        sums.notes.map((note) => [note.scene, note.firstAnomaly, note.isBack(8)]),
      );
      assert.deepEqual([...loaded.plainNoted], [-1, z === 0 ? -1 : 6], 'the fall is over');
    }
});
