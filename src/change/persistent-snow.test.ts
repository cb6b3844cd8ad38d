import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { isPersistentSnow } from './persistent-snow.ts';

const PIXELS = fileURLToPath(new URL('../../../shared/data/landsat-ccdc-pixels/', import.meta.url));

test('snow is persistent from three quarters of the clear and snowy looks on', () => {
  assert.equal(isPersistentSnow(25, 75), true);
  assert.equal(isPersistentSnow(26, 75), false);
  assert.equal(isPersistentSnow(0, 1), true);
  assert.equal(isPersistentSnow(0, 0), false);
  assert.equal(isPersistentSnow(40, 0), false);
});

test(
  'of the pixels of lcmap-pyccd, the one that it calls persistent snow is refused, and no other',
  { skip: existsSync(PIXELS) ? false : '../shared/data/landsat-ccdc-pixels is not here' },
  () => {
    const refused = [
      'wa_row9_col2267_persistent_snow',
      'wa_row999_col1_stable',
      'h03v09_two_breaks',
      'h04v03_insufficient_clear',
      'sample_short_landsat8',
    ].filter((name) => {
      const lines = readFileSync(`${PIXELS}${name}.csv`, 'utf8').trim().split('\n').slice(1);
      const classes = lines.map((line) => line.split(',').at(-1)!.trim());
      const count = (...names: string[]) => classes.filter((each) => names.includes(each)).length;
      return isPersistentSnow(count('clear', 'water'), count('snow'));
    });
    assert.deepEqual(refused, ['wa_row9_col2267_persistent_snow']);
  },
);
