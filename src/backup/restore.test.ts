import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { createWriteStream } from 'node:fs';
import { mkdir, mkdtemp, readdir, readFile, rm, stat, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { BACKUP_FORM } from './backup.ts';
import { restoreFiles } from './restore.ts';
import { Checksums, SUMS_NAME } from './checksums.ts';
import { type TarEntry, TarWriter } from './tar.ts';
import { endRestore, refuseUnfinishedRestore } from './unfinished-restore.ts';

/** Writes a backup of two files. */
async function writeBackup(path: string): Promise<void> {
  const manifest = { form: BACKUP_FORM, version: '1.3.0', created_at: '', migrations: [], tables: [] };
  const sums = new Checksums();
  const tar = new TarWriter(createWriteStream(path));
  const entryOf = (name: string, text: string): TarEntry => {
    const content = (async function* () {
      yield Buffer.from(text);
    })();
    return { name, size: text.length, mode: 0o600, content };
  };
  await tar.add(sums.take(entryOf('manifest.json', JSON.stringify(manifest))));
  await tar.add(sums.take(entryOf('data/secret-key', 'secret')));
  await tar.add(sums.take(entryOf('data/cubes/one/log', 'x'.repeat(2000))));
  await tar.add(entryOf(SUMS_NAME, sums.text()));
  await tar.end();
}

test('a file that was changed in a backup is named, and sha256sum finds it too', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'groundwatch-damaged-'));
  t.after(() => rm(folder, { recursive: true }));
  const archive = join(folder, 'backup.tar');
  await writeBackup(archive);
  const unpack = (into: string) => {
    execFileSync('tar', ['-xf', archive, '-C', into]);
    return () => execFileSync('sha256sum', ['--quiet', '-c', SUMS_NAME], { cwd: into, stdio: 'pipe' });
  };
  const [before, after, data] = ['before', 'after', 'data'].map((name) => join(folder, name));
  for (const made of [before!, after!, data!]) await mkdir(made);
  unpack(before!)();
  const bytes = await readFile(archive);
  bytes[bytes.indexOf('secret', bytes.indexOf('data/secret-key') + 100)] = 'S'.charCodeAt(0);
  await writeFile(archive, bytes);
  assert.throws(unpack(after!));
  await assert.rejects(restoreFiles(archive, data!), {
    name: 'InvalidInput',
    message: `FILE: ${archive} cannot be restored: data/secret-key in it is damaged`,
  });
  await assert.rejects(refuseUnfinishedRestore(data!), /did not end/);
});

test('the folder of an unfinished restore cannot be opened, and the next restore starts again', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'groundwatch-restore-'));
  t.after(() => rm(folder, { recursive: true }));
  const [archive, data] = [join(folder, 'backup.tar'), join(folder, 'data')];
  await writeBackup(archive);
  const cut = join(folder, 'cut.tar');
  await writeFile(cut, await readFile(archive));
  await truncate(cut, (await stat(archive)).size - 4096);
  await mkdir(data);

  await refuseUnfinishedRestore(data);
  await assert.rejects(restoreFiles(cut, data), {
    name: 'InvalidInput',
    message: `FILE: ${cut} cannot be restored: the archive ends too soon`,
  });
  await assert.rejects(refuseUnfinishedRestore(data), /did not end: run groundwatch restore again/);
  await mkdir(join(data, 'postgres'));
  await writeFile(join(data, 'left'), 'over');

  assert.equal(await restoreFiles(archive, data), 2);
  await assert.rejects(refuseUnfinishedRestore(data), /did not end/);
  await endRestore(data);
  await refuseUnfinishedRestore(data);
  assert.deepEqual((await readdir(data)).toSorted(), ['cubes', 'postgres', 'secret-key']);
  assert.equal(await readFile(join(data, 'cubes/one/log'), 'utf8'), 'x'.repeat(2000));
  await assert.rejects(restoreFiles(archive, data), /expected an empty folder to restore into/);
});
