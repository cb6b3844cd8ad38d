import assert from 'node:assert/strict';
import { test } from 'node:test';
import { crc32 } from 'node:zlib';
import { readPart, sealed, unsealed } from './saved-part.ts';

test('a part is the bytes it was made of, and smaller where they repeat', () => {
  for (const length of [0, 1, 5_000, 3_000_000]) {
    const bytes = Uint8Array.from({ length }, (_, i) => (i * i) % 251);
    const part = sealed(bytes);
    assert.deepEqual(Uint8Array.from(unsealed(part)!), bytes);
    if (length > 1_000) assert.ok(part.byteLength < length / 2);
  }
});

test('a part with any bit changed, a short one and one that is not compressed are damaged', async () => {
  const part = sealed(Uint8Array.from({ length: 100 }, (_, i) => i));
  for (let at = 0; at < part.byteLength; at++) {
    const changed = part.slice();
    changed[at]! ^= 1;
    assert.equal(unsealed(changed), undefined, `byte ${at}`);
  }
  for (const length of [0, 3, 7, part.byteLength - 1])
    assert.equal(unsealed(part.slice(0, length)), undefined);
  // As an earlier version wrote it: the bytes and their checksum.
  const plain = new Uint8Array(104).fill(7);
  new DataView(plain.buffer).setUint32(100, crc32(plain.subarray(0, 100)), true);
  assert.equal(unsealed(plain), undefined);
  const state = { heading: '', part: async () => plain, close: async () => undefined };
  await assert.rejects(readPart(state, 'follow 0'), {
    name: 'RangeError',
    message: 'the saved state is damaged: follow 0 fails its checksum',
  });
});
