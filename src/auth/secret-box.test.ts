import assert from 'node:assert/strict';
import { mkdtemp, readdir, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { renewSecretKeyFile, secretBox, secretFileBox, secretKeyFile } from './secret-box.ts';

test('a sealed text opens again, and sealing it twice gives different boxes', () => {
  const box = secretBox(Buffer.alloc(32, 7));
  const [a, b] = [box.seal('whsec_é'), box.seal('whsec_é')];
  assert.equal(box.open(a), 'whsec_é');
  assert.notDeepEqual(a, b);
});

test('NIST GCM test case 13: the empty text under a zero key and nonce has the published tag', () => {
  const box = Buffer.concat([Buffer.alloc(12), Buffer.from('530f8afbc74536b9a963b4f1c4cb738b', 'hex')]);
  assert.equal(secretBox(Buffer.alloc(32)).open(box), '');
});

test('a box does not open under another key or with a flipped bit', () => {
  const sealed = secretBox(Buffer.alloc(32, 7)).seal('secret');
  assert.throws(() => secretBox(Buffer.alloc(32, 8)).open(sealed));
  for (let i = 0; i < sealed.length; i++) {
    const altered = Buffer.from(sealed);
    altered[i]! ^= 1;
    assert.throws(() => secretBox(Buffer.alloc(32, 7)).open(altered));
  }
});

test('concurrent calls create a key file once, readable by its owner only', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'groundwatch-'));
  try {
    const path = join(folder, 'secret-key');
    const keys = await Promise.all([secretKeyFile(path), secretKeyFile(path), secretKeyFile(path)]);
    assert.equal(new Set(keys.map((key) => key.toString('hex'))).size, 1);
    assert.equal((await stat(path)).mode & 0o777, 0o600);
    assert.deepEqual(await readdir(folder), ['secret-key']);
  } finally {
    await rm(folder, { recursive: true });
  }
});

test('the first key seals, and every key opens the boxes that it sealed', () => {
  const [old, fresh] = [Buffer.alloc(32, 7), Buffer.alloc(32, 8)];
  const sealed = secretBox(old).seal('secret');
  const both = secretBox(fresh, old);
  assert.equal(both.open(sealed), 'secret');
  assert.equal(secretBox(fresh).open(both.seal('other')), 'other');
  assert.throws(() => secretBox());
});

test('another process uses a renewed key at once, and older keys are removed on request', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'groundwatch-'));
  try {
    const path = join(folder, 'secret-key');
    const box = await secretFileBox(path);
    const first = box.seal('first');
    await renewSecretKeyFile(path);
    assert.equal((await stat(path)).mode & 0o777, 0o600);
    const other = await secretFileBox(path);
    const second = other.seal('second');
    assert.deepEqual([box.open(first), box.open(second)], ['first', 'second']);
    assert.equal(other.open(box.seal('third')), 'third');
    const dropOlder = await renewSecretKeyFile(path);
    const third = box.seal('third');
    assert.deepEqual(
      [first, second, third].map((sealed) => box.open(sealed)),
      ['first', 'second', 'third'],
    );
    await renewSecretKeyFile(path); // like another process that is killed before it removes the older keys
    await dropOlder();
    await dropOlder();
    assert.deepEqual(
      [second, third].map((sealed) => other.open(sealed)),
      ['second', 'third'],
    );
    assert.throws(() => box.open(first));
    assert.equal((await stat(path)).mode & 0o777, 0o600);
    assert.deepEqual(await readdir(folder), ['secret-key']);
  } finally {
    await rm(folder, { recursive: true });
  }
});
