import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { providerServer, type ProviderServer } from '../../../test/fixtures/provider-server.ts';
import { fileDownloads } from './file-downloads.ts';

const PIECE = 1 << 22;
const CONTENT = Buffer.alloc(2.5 * PIECE, 'groundwatch');
const sha = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex');

async function bench(t: TestContext) {
  const server: ProviderServer = await providerServer();
  const folder = mkdtempSync(join(tmpdir(), 'downloads-'));
  t.after(async () => {
    await server[Symbol.asyncDispose]();
    rmSync(folder, { recursive: true });
  });
  const downloads = fileDownloads(
    () => server.reader,
    (text) => text.replaceAll('s3cret', '{key}'),
  );
  const path = join(folder, 'file.bin');
  const fetch = () => downloads.fetch(`${server.base}/s3cret/file.bin`, path, () => undefined);
  return { server, downloads, folder, path, fetch };
}

test('a broken download continues where it broke, with If-Range, and its content is whole', async (t) => {
  const { server, downloads, folder, path, fetch } = await bench(t);
  server.answer = () => ({ bytes: CONTENT, etag: '"one"', modified: 'Tue, 03 Nov 2026 10:00:00 GMT' });
  assert.deepEqual(await downloads.size(`${server.base}/s3cret/file.bin`), {
    bytes: CONTENT.length,
    modified: 'Tue, 03 Nov 2026 10:00:00 GMT',
  });
  server.breaksAfter = 1;
  await assert.rejects(fetch(), (error: Error) => {
    assert.equal(error.name, 'UpstreamUnavailable');
    assert.ok(!error.message.includes('s3cret'), error.message);
    return true;
  });
  assert.equal(statSync(`${path}.part`).size, PIECE);
  assert.ok(!existsSync(path));
  server.breaksAfter = Infinity;
  server.asked.length = 0;
  const done = await fetch();
  assert.deepEqual([done.bytes, done.sha256], [CONTENT.length, sha(CONTENT)]);
  assert.deepEqual(server.asked[0], {
    url: '/s3cret/file.bin',
    range: `bytes=${PIECE}-${2 * PIECE - 1}`,
    ifRange: '"one"',
  });
  assert.equal(sha(readFileSync(path)), sha(CONTENT));
  assert.deepEqual(readdirSync(folder), ['file.bin']);
});

test('a file that changed on the server meanwhile is begun again, and never a mixture', async (t) => {
  const { server, path, fetch } = await bench(t);
  for (const [old, fresh] of [
    ['"one"', '"two"'],
    ['W/"one"', 'W/"two"'],
  ] as const) {
    rmSync(path, { force: true });
    const other = Buffer.alloc(CONTENT.length, 'changed');
    server.answer = () => ({ bytes: CONTENT, etag: old });
    server.breaksAfter = 1;
    await assert.rejects(fetch());
    server.breaksAfter = Infinity;
    server.answer = () => ({ bytes: other, etag: fresh });
    assert.equal((await fetch()).sha256, sha(other));
  }
});

test('a missing file, an answer without ranges and an error are told by their names', async (t) => {
  const { server, downloads, path, fetch } = await bench(t);
  assert.equal(await downloads.size(`${server.base}/x`), null);
  await assert.rejects(fetch(), { name: 'NotFound' });
  server.answer = () => 403;
  await assert.rejects(fetch(), { name: 'UpstreamUnavailable', message: /\{key\}.*answered 403/ });
  server.answer = () => ({ bytes: Buffer.from('made'), isMade: true });
  assert.deepEqual(await downloads.fetchMade(`${server.base}/made`, path), {
    bytes: 4,
    sha256: sha(Buffer.from('made')),
    modified: null,
  });
  const before = server.asked.length;
  await downloads.fetchMade(`${server.base}/made`, path);
  assert.equal(server.asked.length, before, 'a finished answer is not asked for again');
});
