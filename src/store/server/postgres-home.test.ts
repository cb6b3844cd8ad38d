import assert from 'node:assert/strict';
import { chmod, chown, mkdir, mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { findPostgresHome } from './postgres-home.ts';

const NOBODY = 65_534;
const skip = process.getuid?.() === 0 ? false : 'only root can act for another user';

test('a command that root runs leaves the database of another user to that user', { skip }, async (t) => {
  const data = await mkdtemp(join(tmpdir(), 'gw-home-'));
  t.after(() => rm(data, { recursive: true }));
  const folder = join(data, 'postgres');
  await mkdir(join(folder, 'server', 'cluster'), { recursive: true });
  for (const path of [data, folder, join(folder, 'server'), join(folder, 'server', 'cluster')]) {
    await chmod(path, 0o700);
    await chown(path, NOBODY, NOBODY);
  }
  const home = await findPostgresHome(data);
  assert.deepEqual([home.folder, home.user], [folder, { uid: NOBODY, gid: NOBODY }]);
  for (const path of [data, folder]) {
    const { uid, gid, mode } = await stat(path);
    assert.deepEqual([uid, gid, mode & 0o777], [NOBODY, NOBODY, 0o700]);
  }
});
