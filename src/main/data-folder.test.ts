import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { InvalidInput } from '../base/errors.ts';
import { makeDataFolder } from './data-folder.ts';

test('a data folder is created with its parents, also by several processes at once, and is left empty', async () => {
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

test('a data folder with a line break in its path is refused before anything is made', async () => {
  const above = await mkdtemp(join(tmpdir(), 'groundwatch-data-'));
  try {
    await assert.rejects(makeDataFolder(join(above, 'new\nline')), /without line breaks, got ".*new\\nline"/);
    assert.deepEqual(await readdir(above), []);
  } finally {
    await rm(above, { recursive: true });
  }
});

test('an unusable data folder is refused with the name of the setting', async () => {
  const above = await mkdtemp(join(tmpdir(), 'groundwatch-data-'));
  try {
    const file = join(above, 'file');
    await writeFile(file, '');
    // Creating a folder in /proc fails with ENOENT, although /proc exists.
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
