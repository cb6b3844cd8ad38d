import assert from 'node:assert/strict';
import { chmod, mkdir, mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';

import { canTraverse, unprivilegedUser } from './postgres-user.ts';

test('prefers a database user to `nobody` and never chooses root', () => {
  const debian =
    'root:x:0:0:root:/root:/bin/bash\nnobody:x:65534:65534:nobody:/nonexistent:/usr/sbin/nologin\n';
  assert.deepEqual(unprivilegedUser(debian), { uid: 65_534, gid: 65_534 });
  assert.deepEqual(unprivilegedUser(`${debian}postgres:x:101:104::/var/lib/postgresql:/bin/bash\n`), {
    uid: 101,
    gid: 104,
  });
  assert.deepEqual(unprivilegedUser('nobody:*:-2:-2:Unprivileged User:/var/empty:/usr/bin/false\n'), {
    uid: 4_294_967_294,
    gid: 4_294_967_294,
  });
  assert.deepEqual(unprivilegedUser('postgres:x:0:0::/:/bin/sh\n'), { uid: 65_534, gid: 65_534 });
  assert.deepEqual(unprivilegedUser(''), { uid: 65_534, gid: 65_534 });
});

test('a user can reach a folder when they may traverse all its parents', async (t) => {
  const top = await realpath(await mkdtemp(join(tmpdir(), 'gw-user-')));
  t.after(() => rm(top, { recursive: true }));
  const folder = join(top, 'inner');
  await mkdir(folder);
  const stranger = { uid: 54_321, gid: 54_321 };
  const ourselves = { uid: process.getuid?.() ?? 0, gid: 54_321 };
  await chmod(folder, 0o755);
  await chmod(top, 0o755);
  assert.equal(await canTraverse(folder, stranger), true);
  await chmod(top, 0o766);
  assert.equal(await canTraverse(folder, stranger), false);
  assert.equal(await canTraverse(folder, ourselves), true);
  await chmod(top, 0o755);
  await chmod(folder, 0o700);
  assert.equal(await canTraverse(folder, stranger), false);
  await chmod(folder, 0o677);
  assert.equal(
    await canTraverse(folder, ourselves),
    false,
    'the owner’s own bits count, not those of others',
  );
});
