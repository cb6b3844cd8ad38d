import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { diskShortage, writtenFolders } from './database.ts';

test('a full disk is named before a write fails, and a folder that says nothing of its disk is not full', async () => {
  const free: Record<string, number> = { '/data': 5e9, '/pg': 15 * 2 ** 20, '/small': 0 };
  const look = async (path: string) => {
    const bytes = free[path];
    if (bytes === undefined) throw new Error('ENOENT');
    return { bavail: bytes / 4096, bsize: 4096, blocks: 1e6 };
  };
  const data = { path: '/data', called: 'the data folder' };
  assert.equal(await diskShortage([data, { path: '/gone', called: 'the database' }], look), undefined);
  assert.equal(
    await diskShortage([data, { path: '/pg', called: 'the database' }], look),
    'the disk of the database is full: calls and commands that write may fail',
  );
  assert.match(
    (await diskShortage(
      [
        { ...data, path: '/small' },
        { path: '/pg', called: 'the database' },
      ],
      look,
    ))!,
    /^the disk of the data folder and of the database is full/,
  );
  const sizeless = async () => ({ bavail: 0, bsize: 0, blocks: 0 });
  assert.equal(await diskShortage([data], sizeless), undefined);
});

test('the database of a service is looked at where it lies, one of DATABASE_URL is not', async (t) => {
  const dataFolder = await mkdtemp(join(tmpdir(), 'groundwatch-folders-'));
  t.after(() => rm(dataFolder, { recursive: true, force: true }));
  const paths = async (databaseUrl?: string): Promise<string[]> =>
    (await writtenFolders({ databaseUrl, dataFolder })).map(({ path }) => path);
  assert.deepEqual(await paths(), [dataFolder, join(dataFolder, 'postgres')]);
  assert.deepEqual(await paths('postgres://elsewhere/x'), [dataFolder]);
  await writeFile(join(dataFolder, 'postgres-location'), '/var/lib/groundwatch/x\n');
  assert.deepEqual(await paths(), [dataFolder, '/var/lib/groundwatch/x']);
});
