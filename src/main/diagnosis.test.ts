import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { type CheckFinding, checkInstallation } from '../cli/installation-check.ts';
import { localCertificate } from '../http/tls/local-certificate.ts';
import { diagnosis } from './diagnosis.ts';
import type { DiagnosisDeps } from './diagnosis-deps.ts';
import { askService, offerAbout } from './service-socket.ts';

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

test('a running service is asked for its settings, which are checked in place of those of the shell', () =>
  inFolder(async (folder) => {
    const settings = {
      GROUNDWATCH_DATA: folder,
      GROUNDWATCH_WEBHOOK_ALLOW: '10.0.0.0/8',
      REDIS_URL: 'redis://:hidden@127.0.0.1:1',
    };
    const about = { pid: 7, version: '1.2.3', startedAt: '2026-11-24T00:00:00.000Z', settings };
    const shell = { GROUNDWATCH_DATA: folder, GROUNDWATCH_WEBHOOK_ALLOW: 'nonsense' };
    assert.match(
      (await found(shell)).get('service')!.found,
      /^none that can be asked runs on .*; the settings of this shell/,
    );
    assert.equal((await found(shell)).get('settings')!.status, 'fail');

    const end = await offerAbout(folder, about);
    const asked = await found(shell);
    assert.match(
      asked.get('service')!.found,
      /^1\.2\.3 runs since .* \(process 7\); .*; this shell has others: REDIS_URL, GROUNDWATCH_WEBHOOK_ALLOW$/,
    );
    assert.equal(asked.get('settings')!.status, 'ok');
    assert.match(asked.get('webhooks')!.found, /called: 10\.0\.0\.0\/8$/);
    assert.equal(asked.get('rate limits')!.status, 'fail');
    assert.doesNotMatch(JSON.stringify([...asked]), /hidden/);
    assert.equal((await stat(join(folder, 'service.sock'))).mode & 0o777, 0o600);

    // A second service on the folder leaves the first one's offer, and a killed one's socket is replaced.
    const endSecond = await offerAbout(folder, { ...about, pid: 8 });
    await endSecond();
    assert.equal((await askService(folder))?.pid, 7);
    await end();
    assert.equal(await askService(folder), undefined);
  }));

test('the socket of a service that was killed is replaced', () =>
  inFolder(async (folder) => {
    const about = { pid: 7, version: '1.2.3', startedAt: '2026-11-24T00:00:00.000Z', settings: {} };
    const program = `require('node:net').createServer().listen(${JSON.stringify(join(folder, 'service.sock'))}, () => process.kill(process.pid, 'SIGKILL'))`;
    await once(spawn(process.execPath, ['-e', program]), 'exit');
    assert.ok(existsSync(join(folder, 'service.sock')));
    assert.equal(await askService(folder), undefined);
    const end = await offerAbout(folder, about);
    assert.equal((await askService(folder))?.pid, 7);
    await end();
  }));

test('an unreachable Redis server is reported without its password', async () => {
  const limits = (await found({ REDIS_URL: 'redis://:hidden@127.0.0.1:1' })).get('rate limits')!;
  assert.equal(limits.status, 'fail');
  assert.doesNotMatch(JSON.stringify(limits), /hidden/);
});

test('an unreachable NATS server is reported without its password, and jobs that wait for long are a warning', async () => {
  const open = (overdueS: number) => () =>
    Promise.resolve({
      server: () => Promise.resolve({ nowMs: Date.now(), version: '18', rowSecurityProblem: undefined }),
      deps: {
        storage: {
          jobs: {
            counts: () => Promise.resolve([{ name: 'a', waiting: 2, running: 1, failed: 0, overdueS }]),
          },
        },
      },
    } as unknown as DiagnosisDeps);
  const jobs = (await found({ NATS_URL: 'nats://jobs:hidden@127.0.0.1:1' }, open(0))).get('jobs')!;
  assert.equal(jobs.status, 'fail');
  assert.doesNotMatch(JSON.stringify(jobs), /hidden/);
  const idle = (await found({}, open(5))).get('jobs')!;
  assert.deepEqual(
    [idle.status, idle.found],
    ['ok', '2 wait, the oldest for 5 s, 1 run, 0 were given up, in the database'],
  );
  assert.equal((await found({}, open(3_000))).get('jobs')!.status, 'warn');
});

test('secrets that no key can decrypt are reported', async () => {
  const open = (closed: number) => () =>
    Promise.resolve({
      server: () =>
        Promise.resolve({ nowMs: Date.now(), version: '18', rowSecurityProblem: undefined, isPooled: false }),
      secrets: () => Promise.resolve({ all: 3, closed }),
    } as Partial<DiagnosisDeps> as DiagnosisDeps);
  assert.equal((await found({}, open(0))).get('secrets')!.status, 'ok');
  const lost = (await found({}, open(2))).get('secrets')!;
  assert.deepEqual([lost.status, lost.found], ['fail', '2 of 3 at rest do not open under the key there is']);
});
