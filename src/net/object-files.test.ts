import assert from 'node:assert/strict';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { noObjectServer, ObjectServer } from '../../test/fixtures/object-server.ts';
import { ObjectFiles } from './object-files.ts';
import { DamagedObject } from './object-store.ts';
import { S3Objects } from './s3-objects.ts';

const LARGE = Buffer.alloc(9 * 1024 * 1024, 'groundwatch'); // two parts

describe('files in objects', { skip: noObjectServer }, () => {
  let [folder, server, objects]: [string?, ObjectServer?, S3Objects?] = [];
  const path = (name: string): string => join(folder!, name);

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'groundwatch-object-files-'));
    server = await ObjectServer.start(path('server'));
    objects = new S3Objects(server.place);
  });
  after(async () => {
    await objects?.close();
    await server?.stop();
    await rm(folder!, { recursive: true, force: true, maxRetries: 5 });
  });

  test('a file of several parts and an empty one come back as they were', async () => {
    const files = new ObjectFiles(objects!, 'round/');
    for (const [name, content] of [
      ['large', LARGE],
      ['empty', Buffer.alloc(0)],
    ] as const) {
      await writeFile(path(name), content);
      await files.keep(name, path(name));
      await files.keep(name, path(name)); // it is there already
      assert.equal(await files.sizeOf(name), content.byteLength);
      assert.equal(await files.fetch(name, path(`back/${name}`)), true);
      assert.ok(content.equals(await readFile(path(`back/${name}`))));
    }
    assert.deepEqual([...(await files.names())].toSorted(), ['empty', 'large']);
    const parts: string[] = [];
    for await (const { name } of objects!.list('round/large/')) parts.push(name);
    assert.equal(parts.length, 3, 'kept once: two parts and the head');
  });

  test('a file that is not there, or is dropped, is told and leaves nothing', async () => {
    const files = new ObjectFiles(objects!, 'drop/');
    assert.equal(await files.fetch('a', path('none')), false);
    await writeFile(path('a'), 'some bytes');
    for (const name of ['a', 'ab', 'b']) await files.keep(name, path('a'));
    await files.drop(({ name }) => name === 'a', 'a/');
    assert.equal(await files.fetch('a', path('none')), false);
    assert.deepEqual(await files.names(), ['ab', 'b']);
    await files.drop(({ ageMs }) => ageMs > 3_600_000);
    assert.deepEqual(await files.names(), ['ab', 'b'], 'young files stay');
  });

  test('a part that is missing or has other bytes is an error that names it, and no file is made', async () => {
    const files = new ObjectFiles(objects!, 'damage/');
    await writeFile(path('a'), 'some bytes');
    for (const name of ['other', 'lost']) await files.keep(name, path('a'));
    for await (const { name } of objects!.list('damage/')) {
      if (name.endsWith('head.json')) continue;
      await objects!.delete(name);
      if (name.includes('other')) await objects!.put(name, Buffer.from('same bytes'), 'absent');
    }
    const reason = (pattern: RegExp) => (error: Error) =>
      error instanceof DamagedObject && pattern.test(error.message);
    await assert.rejects(files.fetch('other', path('made/x')), reason(/^damage\/other\/\S+ is damaged/));
    await assert.rejects(files.fetch('lost', path('made/x')), reason(/^damage\/lost\/\S+ is missing$/));
    assert.deepEqual(await readdir(path('made')), []);
  });
});
