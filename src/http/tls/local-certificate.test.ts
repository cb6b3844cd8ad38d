import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { createPrivateKey, X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, readFile, readdir, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { createServer, get } from 'node:https';
import type { AddressInfo } from 'node:net';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { localCertificate } from './local-certificate.ts';
import type { LocalCertificate } from './local-certificate.ts';

const DAY_MS = 86_400_000;
const NOW = Date.UTC(2026, 10, 21);
const run = promisify(execFile);

async function folder(): Promise<AsyncDisposable & { readonly path: string }> {
  const path = await mkdtemp(join(tmpdir(), 'groundwatch-tls-'));
  return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true }) };
}

const make = (path: string, nowMs = NOW, hosts: readonly string[] = []): Promise<LocalCertificate> =>
  localCertificate({ folder: path, hosts, nowMs });

/** Reads the contents of the four files. */
async function files(path: string): Promise<Readonly<Record<string, string>>> {
  const names = (await readdir(path)).sort();
  assert.deepEqual(names, ['ca-key.pem', 'ca.pem', 'server-key.pem', 'server.pem']);
  return Object.fromEntries(
    await Promise.all(names.map(async (name) => [name, await readFile(join(path, name), 'utf8')] as const)),
  );
}

test('the certificate belongs to its key, is signed by the authority, and names every host', async () => {
  await using at = await folder();
  const made = await make(at.path, NOW, [
    '0.0.0.0',
    '::',
    'risk.example',
    '192.0.2.7',
    '2001:db8::7',
    'no_name',
    'RISK.example',
  ]);
  const server = new X509Certificate(made.certPem);
  const ca = new X509Certificate(made.caPem);
  assert.equal(made.caPath, join(at.path, 'ca.pem'));
  assert.ok(server.verify(ca.publicKey) && server.checkIssued(ca) && ca.verify(ca.publicKey));
  assert.ok(ca.ca && !server.ca);
  for (const name of ['localhost', 'risk.example', hostname()]) assert.equal(server.checkHost(name), name);
  for (const ip of ['127.0.0.1', '::1', '192.0.2.7', '2001:db8::7']) assert.ok(server.checkIP(ip), ip);
  for (const absent of ['0.0.0.0', '::']) assert.equal(server.checkIP(absent), undefined);
  assert.equal(server.checkHost('other.example'), undefined);
  assert.equal(made.expiresAtMs, server.validToDate.getTime());
  // The lifetime is 397 days. It starts before now, so that clients whose clock is behind accept the certificate.
  assert.equal(server.validToDate.getTime() - server.validFromDate.getTime(), 397 * DAY_MS);
  assert.ok(server.validFromDate.getTime() < NOW);
  assert.ok(ca.validToDate.getTime() > NOW + 3650 * DAY_MS);
});

test(
  'key files are readable by their owner only',
  { skip: process.platform === 'win32' && 'Windows has no file modes' },
  async () => {
    await using at = await folder();
    await make(at.path);
    for (const name of ['ca-key.pem', 'server-key.pem'])
      assert.equal((await stat(join(at.path, name))).mode & 0o777, 0o600);
  },
);

test('OpenSSL accepts the certificate in strict mode', async (t) => {
  await using at = await folder();
  await make(at.path, Date.now());
  const ca = join(at.path, 'ca.pem');
  try {
    await run('openssl', ['version']);
  } catch {
    t.skip('no openssl command here');
    return;
  }
  const verify = ['verify', '-x509_strict', '-purpose', 'sslserver', '-verify_hostname', 'localhost'];
  const { stdout } = await run('openssl', [...verify, '-CAfile', ca, join(at.path, 'server.pem')]);
  assert.match(stdout, /server\.pem: OK/);
  const { stdout: text } = await run('openssl', [
    'x509',
    '-noout',
    '-text',
    '-in',
    join(at.path, 'server.pem'),
  ]);
  for (const part of [
    'Authority Key Identifier',
    'Subject Key Identifier',
    'TLS Web Server Authentication',
    'Digital Signature',
  ])
    assert.ok(text.includes(part), part);
});

test('Node and, if installed, curl connect with the authority, and refuse without it', async (t) => {
  await using at = await folder();
  const made = await make(at.path, Date.now());
  const server = createServer({ cert: made.certPem, key: made.keyPem }, (_, response) =>
    response.end('hello'),
  );
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  try {
    for (const host of ['localhost', '127.0.0.1']) {
      const [response] = await once(get({ host, port, ca: made.caPem, family: 4, agent: false }), 'response');
      response.resume();
    }
    await assert.rejects(once(get({ host: '127.0.0.1', port, agent: false }), 'response'), /verify/);
    try {
      const { stdout } = await run('curl', [
        '-sS',
        '--max-time',
        '5',
        '--cacert',
        made.caPath,
        `https://localhost:${port}/`,
      ]);
      assert.equal(stdout, 'hello');
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
      t.diagnostic('no curl command here: tried with Node only');
    }
  } finally {
    server.closeAllConnections();
    server.close();
  }
});

test('processes that start at once on an empty folder serve certificates of the same authority', async () => {
  await using at = await folder();
  const made = await Promise.all(Array.from({ length: 4 }, () => make(at.path)));
  const kept = new X509Certificate((await files(at.path))['ca.pem']!);
  for (const { certPem, keyPem } of made) {
    const server = new X509Certificate(certPem);
    assert.ok(server.checkIssued(kept) && server.verify(kept.publicKey));
    assert.ok(server.checkPrivateKey(createPrivateKey(keyPem)));
  }
});

test('a key file that is a dangling link is an error, and is not retried forever', async () => {
  await using at = await folder();
  await symlink(join(at.path, 'nowhere'), join(at.path, 'ca-key.pem'));
  await assert.rejects(make(at.path), /ca-key\.pem can neither be read nor made/);
});

test('a later start changes no file', async () => {
  await using at = await folder();
  await make(at.path, NOW, ['risk.example']);
  const before = await files(at.path);
  await make(at.path, NOW + 366 * DAY_MS, ['risk.example']);
  await make(at.path, NOW + 366 * DAY_MS); // not renewed: the certificate is valid for more hosts than requested
  assert.deepEqual(await files(at.path), before);
});

test('the server certificate is renewed within 30 days of its end or for a new name, the authority is not', async () => {
  await using at = await folder();
  await make(at.path);
  const first = await files(at.path);
  const renewed = await make(at.path, NOW + 368 * DAY_MS);
  assert.ok(renewed.expiresAtMs > NOW + 764 * DAY_MS);
  const second = await files(at.path);
  const named = await make(at.path, NOW + 368 * DAY_MS, ['new.example']);
  assert.equal(new X509Certificate(named.certPem).checkHost('new.example'), 'new.example');
  const third = await files(at.path);
  for (const later of [second, third]) {
    assert.equal(later['ca.pem'], first['ca.pem']);
    assert.notEqual(later['server.pem'], first['server.pem']);
    assert.ok(
      new X509Certificate(later['server.pem']!).verify(new X509Certificate(first['ca.pem']!).publicKey),
    );
  }
});

test('an authority near its end is renewed with the same key, so certificates that it signed stay valid', async () => {
  await using at = await folder();
  const first = await make(at.path);
  const renewed = await make(at.path, NOW + 3300 * DAY_MS);
  assert.notEqual(renewed.caPem, first.caPem);
  assert.ok(new X509Certificate(renewed.caPem).validToDate.getTime() > NOW + 6900 * DAY_MS);
  assert.ok(new X509Certificate(renewed.certPem).verify(new X509Certificate(first.caPem).publicKey));
});

test('missing, damaged or foreign files are replaced at the next start', async () => {
  await using whole = await folder();
  await make(whole.path);
  const good = await files(whole.path);
  await using other = await folder();
  await make(other.path);
  const strange = await files(other.path);
  for (const name of Object.keys(good))
    for (const damage of [undefined, '', good[name]!.slice(0, 90), 'garbage', strange[name]]) {
      await using at = await folder();
      for (const [each, text] of Object.entries(good))
        if (each !== name) await writeFile(join(at.path, each), text);
      if (damage !== undefined) await writeFile(join(at.path, name), damage);
      const made = await make(at.path);
      const server = new X509Certificate(made.certPem);
      const now = await files(at.path);
      assert.equal(now['server.pem'], made.certPem);
      assert.ok(server.verify(new X509Certificate(now['ca.pem']!).publicKey), name);
      assert.ok(server.checkIssued(new X509Certificate(now['ca.pem']!)), name);
      createServer({ cert: made.certPem, key: made.keyPem }); // throws when the key does not belong to the certificate
    }
});
