import assert from 'node:assert/strict';
import { mkdir, mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { replaceFile } from './durable-file.ts';

test('a file is replaced atomically; a failure leaves the old content and no temporary file', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'groundwatch-durable-'));
  try {
    const path = join(folder, 'file');
    await replaceFile(path, 'old', 0o600);
    await replaceFile(path, 'new', 0o600);
    assert.equal(await readFile(path, 'utf8'), 'new');
    if (process.platform !== 'win32') assert.equal((await stat(path)).mode & 0o777, 0o600);
    const taken = join(folder, 'taken');
    await mkdir(join(taken, 'by-a-folder'), { recursive: true });
    await assert.rejects(replaceFile(taken, 'new'), Error);
    assert.deepEqual((await readdir(folder)).toSorted(), ['file', 'taken']);
  } finally {
    await rm(folder, { recursive: true });
  }
});
