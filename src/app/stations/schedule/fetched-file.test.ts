import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { providerServer } from '../../../../test/fixtures/provider-server.ts';
import { fileDownloads } from '../../../sources/layers/file-downloads.ts';
import { withFile } from './fetched-file.ts';

test('an address is fetched for the work, and deleted whether the work succeeds or fails', async (t) => {
  const server = await providerServer();
  const downloadFolder = mkdtempSync(join(tmpdir(), 'groundwatch-fetched-'));
  t.after(async () => {
    await server[Symbol.asyncDispose]();
    rmSync(downloadFolder, { recursive: true });
  });
  const deps = { downloads: fileDownloads(() => server.reader, String), downloadFolder };
  const address = `${server.base}/gps_timeseries/tenv3/IGS14/P123.tenv3?x=../../y`;
  server.answer = () => ({ bytes: Buffer.from('content'), isMade: true });
  assert.equal(
    await withFile(deps, address, async (path) => {
      assert.match(path, /P123\.tenv3$/);
      return readFileSync(path, 'utf8');
    }),
    'content',
  );
  await assert.rejects(
    withFile(deps, address, async () => assert.fail('the work')),
    /the work/,
  );
  assert.deepEqual(readdirSync(downloadFolder), []);
  // Each call asks again: the answer of yesterday has not the values of today.
  assert.equal(server.asked.length, 2);
  server.answer = () => 404;
  await assert.rejects(
    withFile(deps, address, async () => 'nothing'),
    { name: 'NotFound' },
  );
  await assert.rejects(
    withFile(deps, 'http://example.com/a.csv', async () => 'nothing'),
    /expected an https URL/,
  );
  assert.equal(await withFile(deps, '/tmp/a.csv', async (path) => path), '/tmp/a.csv');
});
