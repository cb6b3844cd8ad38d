import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdir, mkdtemp, readdir, readFile, rm, stat, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { backupOf, newSigner, noKeys, textEntry } from '../../test/fixtures/backup-archive.ts';
import { restoreFiles } from './restore.ts';
import { SUMS_NAME } from './checksums.ts';
import { endRestore, refuseUnfinishedRestore } from './unfinished-restore.ts';

test('a file that was changed in a backup is named, and sha256sum finds it too', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'groundwatch-damaged-'));
  t.after(() => rm(folder, { recursive: true }));
  const archive = join(folder, 'backup.tar');
  await writeFile(archive, await backupOf(await newSigner(folder)));
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
  await assert.rejects(restoreFiles({ path: archive }, data!, noKeys), {
    name: 'InvalidInput',
    message: `FILE: ${archive} cannot be restored: data/secret-key in it is damaged`,
  });
  await assert.rejects(refuseUnfinishedRestore(data!), /did not end/);
});

test('the folder of an unfinished restore cannot be opened, and the next restore starts again', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'groundwatch-restore-'));
  t.after(() => rm(folder, { recursive: true }));
  const [archive, data] = [join(folder, 'backup.tar'), join(folder, 'data')];
  await writeFile(archive, await backupOf(await newSigner(folder)));
  const cut = join(folder, 'cut.tar');
  await writeFile(cut, await readFile(archive));
  await truncate(cut, (await stat(archive)).size - 4096);
  await mkdir(data);

  await refuseUnfinishedRestore(data);
  await assert.rejects(restoreFiles({ path: cut }, data, noKeys), {
    name: 'InvalidInput',
    message: `FILE: ${cut} cannot be restored: the archive ends too soon`,
  });
  await assert.rejects(refuseUnfinishedRestore(data), /did not end: run groundwatch restore again/);
  await mkdir(join(data, 'postgres'));
  await writeFile(join(data, 'left'), 'over');

  assert.equal((await restoreFiles({ path: archive }, data, noKeys)).files, 2);
  for (const name of ['secret-key', 'cubes/one/log'])
    assert.equal(
      (await stat(join(data, name))).mode & 0o777,
      0o600,
      `${name}: the mode in the archive is not taken`,
    );
  await assert.rejects(refuseUnfinishedRestore(data), /did not end/);
  await endRestore(data);
  await refuseUnfinishedRestore(data);
  assert.deepEqual((await readdir(data)).toSorted(), ['cubes', 'postgres', 'secret-key']);
  assert.equal(await readFile(join(data, 'cubes/one/log'), 'utf8'), 'x'.repeat(2000));
  await assert.rejects(
    restoreFiles({ path: archive }, data, noKeys),
    /expected an empty folder to restore into/,
  );
});

test('a backup of release 1.3.0, which has no signature, is refused with the way to restore it', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'groundwatch-unsigned-'));
  t.after(() => rm(folder, { recursive: true }));
  const [archive, data] = [join(folder, 'backup.tar'), join(folder, 'data')];
  const manifest = { form: 1, version: '1.3.0', created_at: '', migrations: [], tables: [] };
  const entries = [
    textEntry('manifest.json', JSON.stringify(manifest)),
    textEntry('data/secret-key', 'secret'),
  ];
  await writeFile(archive, await backupOf(await newSigner(folder), { entries: () => entries }));
  await mkdir(data);
  await assert.rejects(restoreFiles({ path: archive }, data, noKeys), {
    name: 'InvalidInput',
    message:
      /release 1\.3\.0, which signed none: restore it with that release, then start this one on its data folder/,
  });
});
