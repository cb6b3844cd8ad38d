import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isId, newId } from './ids.ts';

test('an id is its prefix and a UUIDv7 in Crockford base32, ordered by time', () => {
  const ids = [1, 2, 1_700_000_000_000, 1_800_000_000_000].map((ms) => newId('change', ms));
  assert.deepEqual(ids.toSorted(), ids);
  for (const id of ids) assert.match(id, /^chg_[0-7][0-9a-hjkmnp-tv-z]{25}$/);
  // RFC 9562 section 5.7: the time in the first 48 bits, version 7 in bits 48-51, variant 10 in bits 64-65.
  const body = newId('change', 0x017f22e279b0).slice(4);
  let value = 0n;
  for (const c of body) value = value * 32n + BigInt('0123456789abcdefghjkmnpqrstvwxyz'.indexOf(c));
  assert.equal(value >> 80n, 0x017f22e279b0n);
  assert.equal((value >> 76n) & 15n, 7n);
  assert.equal((value >> 62n) & 3n, 2n);
});

test('ids of one millisecond sort in the order in which they were made', () => {
  const ids = Array.from({ length: 20_000 }, () => newId('event', 1_800_000_000_000));
  assert.deepEqual(ids.toSorted(), ids);
  assert.equal(new Set(ids.map((id) => id.slice(-12))).size, ids.length, 'the rest is random');
});

test('only an id of the right kind and alphabet is accepted', () => {
  assert.ok(isId('aoi', newId('aoi')));
  assert.ok(!isId('aoi', newId('change')));
  for (const bad of [
    '',
    'aoi_',
    'aoi_x',
    `${newId('aoi')}0`,
    newId('aoi').toUpperCase(),
    'aoi_i0000000000000000000000000',
  ])
    assert.ok(!isId('aoi', bad), bad);
});
