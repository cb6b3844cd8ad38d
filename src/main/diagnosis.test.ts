import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { type CheckFinding, checkInstallation } from '../cli/installation-check.ts';
import { localCertificate } from '../http/tls/local-certificate.ts';
import { diagnosis } from './diagnosis.ts';
import type { DiagnosisDeps } from './diagnosis-deps.ts';

const noDatabase = (): Promise<DiagnosisDeps> => Promise.reject(new Error('none in this test'));

/**
 * Runs the checks with some settings and returns the findings by part. Without `open` the checks of the database
 * fail.
 */
async function found(
  settings: Readonly<Record<string, string>>,
  open: () => Promise<DiagnosisDeps> = noDatabase,
): Promise<ReadonlyMap<string, CheckFinding>> {
  const before = { ...process.env };
  Object.assign(process.env, settings);
  try {
    const parts = new Map<string, CheckFinding>();
    for await (const finding of checkInstallation(diagnosis(open))) parts.set(finding.part, finding);
    return parts;
  } finally {
    for (const name of Object.keys(settings)) delete process.env[name];
    Object.assign(process.env, before);
  }
}

async function inFolder(work: (folder: string) => Promise<void>): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'groundwatch-doctor-'));
  try {
    await work(folder);
  } finally {
    await rm(folder, { recursive: true });
  }
}

test('the doctor names each setting that would stop the service', () =>
  inFolder(async (folder) => {
    const noPem = join(folder, 'authorities');
    await writeFile(noPem, 'not a certificate');
    for (const [name, value, expected] of [
      ['GROUNDWATCH_TRUST_PROXY', 'proxy.local', /^GROUNDWATCH_TRUST_PROXY: expected .*"proxy.local"/],
      ['GROUNDWATCH_SOURCE_ALLOW', '10.0.0.0/99', /^GROUNDWATCH_SOURCE_ALLOW: expected .*99/],
      ['GROUNDWATCH_CA_FILE', join(folder, 'none'), /^GROUNDWATCH_CA_FILE: .*ENOENT/],
      ['GROUNDWATCH_CA_FILE', noPem, /^GROUNDWATCH_CA_FILE: expected PEM certificates/],
    ] as const) {
      const settings = (await found({ GROUNDWATCH_DATA: folder, [name]: value })).get('settings')!;
      assert.equal(settings.status, 'fail', name);
      assert.match(settings.found, expected);
    }
  }));

test('a certificate is checked against its key and against the address that callers use', () =>
  inFolder(async (folder) => {
    const nowMs = Date.now();
    const make = (name: string) => localCertificate({ folder: join(folder, name), hosts: [name], nowMs });
    await make('one.example');
    await make('two.example');
    const certificate = async (cert: string, key: string, base: string) =>
      (
        await found({
          GROUNDWATCH_DATA: folder,
          GROUNDWATCH_TLS_CERT: join(folder, cert, 'server.pem'),
          GROUNDWATCH_TLS_KEY: join(folder, key, 'server-key.pem'),
          GROUNDWATCH_BASE_URL: base,
        })
      ).get('certificate')!;
    assert.equal((await certificate('one.example', 'one.example', 'https://one.example')).status, 'ok');
    const mixed = await certificate('one.example', 'two.example', 'https://one.example');
    assert.deepEqual(
      [mixed.status, /GROUNDWATCH_TLS_KEY: expected the key/.test(mixed.found)],
      ['fail', true],
    );
    const elsewhere = await certificate('one.example', 'one.example', 'https://two.example:8443');
    assert.deepEqual([elsewhere.status, /not for two\.example/.test(elsewhere.found)], ['warn', true]);
    assert.equal((await certificate('one.example', 'one.example', 'https://[::1]')).status, 'ok');
  }));

test('an unreachable Redis server is reported without its password', async () => {
  const limits = (await found({ REDIS_URL: 'redis://:hidden@127.0.0.1:1' })).get('rate limits')!;
  assert.equal(limits.status, 'fail');
  assert.doesNotMatch(JSON.stringify(limits), /hidden/);
});

test('secrets that no key can decrypt are reported', async () => {
  const open = (closed: number) => () =>
    Promise.resolve({
      server: () => Promise.resolve({ nowMs: Date.now(), version: '18', rowSecurityProblem: undefined }),
      secrets: () => Promise.resolve({ all: 3, closed }),
    } as Partial<DiagnosisDeps> as DiagnosisDeps);
  assert.equal((await found({}, open(0))).get('secrets')!.status, 'ok');
  const lost = (await found({}, open(2))).get('secrets')!;
  assert.deepEqual([lost.status, lost.found], ['fail', '2 of 3 at rest do not open under the key there is']);
});
