import assert from 'node:assert/strict';
import { test } from 'node:test';
import { InvalidInput, NotFound } from '../../base/errors.ts';
import { readTile } from './tile-address.ts';

test('a tile is three whole numbers within its zoom', () => {
  assert.deepEqual(readTile({ z: '0', x: '0', y: '0' }), { z: 0, x: 0, y: 0 });
  assert.deepEqual(readTile({ z: '22', x: '4194303', y: '1' }), { z: 22, x: 4_194_303, y: 1 });
});

test('what is no tile is refused by the name of its part', () => {
  for (const [z, x, y, param] of [
    ['23', '0', '0', 'z'],
    ['-1', '0', '0', 'z'],
    ['1e1', '0', '0', 'z'],
    ['', '0', '0', 'z'],
    ['3', '01', '0', 'x'],
    ['22', '4194304', '0', 'x'],
    ['3', '0', '1.png', 'y'],
    ['3', '0', '99999999999', 'y'],
  ] as const)
    assert.throws(
      () => readTile({ z, x, y }),
      (error) => error instanceof InvalidInput && error.param === param,
      `${z}/${x}/${y}`,
    );
});

test('a column or row that the zoom does not have is not found', () => {
  for (const [z, x, y] of [
    ['3', '8', '0'],
    ['3', '0', '8'],
    ['0', '1', '0'],
    ['13', '4194303', '0'],
  ] as const)
    assert.throws(() => readTile({ z, x, y }), NotFound, `${z}/${x}/${y}`);
});
