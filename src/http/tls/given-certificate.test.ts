import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { InvalidInput } from '../../base/errors.ts';
import { givenCertificate } from './given-certificate.ts';
import { localCertificate } from './local-certificate.ts';

const DAY_MS = 86_400_000;
const NOW = Date.UTC(2026, 10, 21);
const folder = await mkdtemp(join(tmpdir(), 'groundwatch-given-'));
after(() => rm(folder, { recursive: true }));
const made = await localCertificate({ folder: join(folder, 'a'), hosts: [], nowMs: NOW });
const other = await localCertificate({ folder: join(folder, 'b'), hosts: [], nowMs: NOW });

async function file(name: string, text: string): Promise<string> {
  const path = join(folder, name);
  await writeFile(path, text);
  return path;
}
const chain = await file('chain.pem', made.certPem + made.caPem);
const key = await file('key.pem', made.keyPem);

test('a chain and its key are returned unchanged', async () => {
  assert.deepEqual(await givenCertificate(chain, key, NOW), {
    certPem: made.certPem + made.caPem,
    keyPem: made.keyPem,
    expiresAtMs: made.expiresAtMs,
  });
});

test('each error names the setting of the file at fault', async () => {
  const missing = join(folder, 'missing.pem');
  const garbage = await file('garbage.pem', 'garbage');
  const stranger = await file('stranger.pem', other.keyPem);
  const cases: readonly (readonly [string, string, number, string, RegExp])[] = [
    [missing, key, NOW, 'GROUNDWATCH_TLS_CERT', /cannot read .*missing\.pem: ENOENT/],
    [chain, missing, NOW, 'GROUNDWATCH_TLS_KEY', /cannot read .*missing\.pem: ENOENT/],
    [folder, key, NOW, 'GROUNDWATCH_TLS_CERT', /cannot read .*EISDIR/],
    [garbage, key, NOW, 'GROUNDWATCH_TLS_CERT', /expected a PEM certificate in .*garbage\.pem/],
    [key, key, NOW, 'GROUNDWATCH_TLS_CERT', /expected a PEM certificate in .*key\.pem/],
    [chain, garbage, NOW, 'GROUNDWATCH_TLS_KEY', /expected a PEM private key .* in .*garbage\.pem/],
    [chain, chain, NOW, 'GROUNDWATCH_TLS_KEY', /expected a PEM private key/],
    [
      chain,
      stranger,
      NOW,
      'GROUNDWATCH_TLS_KEY',
      /expected the key of the first certificate in .*chain\.pem, got another/,
    ],
    [chain, key, NOW + 398 * DAY_MS, 'GROUNDWATCH_TLS_CERT', /chain\.pem expired on 2027-12-2/],
    [chain, key, NOW - DAY_MS, 'GROUNDWATCH_TLS_CERT', /chain\.pem is valid only from 2026-11-20T23:00:00/],
  ];
  for (const [certPath, keyPath, nowMs, setting, message] of cases)
    await assert.rejects(givenCertificate(certPath, keyPath, nowMs), (error) => {
      assert.ok(error instanceof InvalidInput);
      assert.equal(error.param, setting);
      assert.ok(error.message.startsWith(`${setting}: `));
      assert.match(error.message, message);
      return true;
    });
});
