import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { InvalidInput } from '../base/errors.ts';
import { makeDataFolder } from './data-folder.ts';

test('a data folder is made with those above it, by many at once, and is left empty', async () => {
  const above = await mkdtemp(join(tmpdir(), 'groundwatch-data-'));
  try {
    const path = join(above, 'a', 'b', 'c');
    await Promise.all(Array.from({ length: 4 }, () => makeDataFolder(path)));
    await makeDataFolder(path);
    assert.deepEqual(await readdir(path), []);
  } finally {
    await rm(above, { recursive: true });
  }
});

test('what can be no data folder is refused by the name of the setting', async () => {
  const above = await mkdtemp(join(tmpdir(), 'groundwatch-data-'));
  try {
    const file = join(above, 'file');
    await writeFile(file, '');
    // Below /proc a folder is refused with ENOENT, although the one above it is there.
    const inProc = existsSync('/proc/self') ? ['/proc', '/proc/groundwatch/data'] : [];
    for (const path of [file, join(file, 'below'), ...inProc])
      await assert.rejects(makeDataFolder(path), {
        name: InvalidInput.name,
        message: new RegExp(`^GROUNDWATCH_DATA: expected a folder .* got ${path}: `),
        param: 'GROUNDWATCH_DATA',
      });
  } finally {
    await rm(above, { recursive: true });
  }
});
