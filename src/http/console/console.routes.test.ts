import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { brotliCompressSync, brotliDecompressSync } from 'node:zlib';
import Fastify from 'fastify';
import { CONSOLE_CSP, consoleRoutes } from './console.routes.ts';
import { AnswerMetrics } from '../answer/answer-metrics.ts';
import { answerWriter } from '../answer/answer.ts';
import { CallShares } from '../call-shares.ts';
import { errorAnswerer } from '../error-handler.ts';
import { openLog } from '../answer/log.ts';

const folder = mkdtempSync(join(tmpdir(), 'groundwatch-console-'));
after(() => rmSync(folder, { recursive: true, force: true }));
const dist = join(folder, 'dist');
writeFileSync(join(folder, 'secret.txt'), 'not of the build');

async function application() {
  const app = Fastify();
  const log = openLog('silent', () => undefined);
  after(() => log.close());
  app.setErrorHandler(
    errorAnswerer(answerWriter(log, new AnswerMetrics()), log, new CallShares({ now: Date.now })),
  );
  consoleRoutes(app, { folder: dist });
  await app.ready();
  return app;
}

function writeBuild(script: string, page: string, seconds: number): void {
  rmSync(dist, { recursive: true, force: true });
  mkdirSync(join(dist, 'assets'), { recursive: true });
  writeFileSync(join(dist, 'index.html'), page);
  writeFileSync(join(dist, 'favicon.svg'), '<svg/>');
  writeFileSync(join(dist, `assets/${script}`), 'run()');
  writeFileSync(join(dist, `assets/${script}.br`), brotliCompressSync('run()'));
  utimesSync(join(dist, 'index.html'), seconds, seconds);
}

test('without a build a page says so, loads nothing from other origins, and is replaced once there is a build', async () => {
  const app = await application();
  const before = await app.inject('/');
  assert.equal(before.statusCode, 200);
  assert.match(before.body, /npm run build/);
  assert.match(before.body, /href="docs"/);
  assert.match(String(before.headers['content-security-policy']), /^default-src 'none'; style-src 'sha256-/);
  assert.equal((await app.inject('/assets/a.js')).statusCode, 404);

  writeBuild('a-1.js', '<p>first</p>', 1_000);
  assert.equal((await app.inject('/')).body, '<p>first</p>');
  assert.equal((await app.inject('/assets/a-1.js')).statusCode, 200);
  writeBuild('a-2.js', '<p>second</p>', 2_000);
  assert.equal((await app.inject('/')).body, '<p>second</p>');
  assert.equal((await app.inject('/assets/a-1.js')).statusCode, 404);
  assert.equal((await app.inject('/assets/a-2.js')).statusCode, 200);
});

test('the page is revalidated on each request; hashed files are cached forever', async () => {
  writeBuild('a-3.js', '<p>third</p>', 3_000);
  const app = await application();
  const page = await app.inject('/');
  assert.equal(page.headers['cache-control'], 'no-cache');
  assert.equal(page.headers['content-type'], 'text/html; charset=utf-8');
  assert.equal(page.headers['content-security-policy'], CONSOLE_CSP);
  assert.doesNotMatch(CONSOLE_CSP, /unsafe/);
  const script = await app.inject('/assets/a-3.js');
  assert.equal(script.headers['cache-control'], 'public, max-age=31536000, immutable');
  assert.equal(script.headers['content-type'], 'text/javascript; charset=utf-8');
  assert.equal((await app.inject('/favicon.svg')).headers['content-type'], 'image/svg+xml');
});

test('a file is sent compressed if the caller accepts it', async () => {
  writeBuild('a-4.js', '<p>fourth</p>', 4_000);
  const app = await application();
  const ask = (encoding: string) =>
    app.inject({ url: '/assets/a-4.js', headers: { 'accept-encoding': encoding } });
  const packed = await ask('gzip, br;q=0.9');
  assert.equal(packed.headers['content-encoding'], 'br');
  assert.equal(packed.headers['vary'], 'Accept-Encoding');
  assert.equal(brotliDecompressSync(packed.rawPayload).toString(), 'run()');
  for (const encoding of ['gzip', 'br;q=0', 'brx', '']) {
    const plain = await ask(encoding);
    assert.equal(plain.headers['content-encoding'], undefined, encoding);
    assert.equal(plain.body, 'run()', encoding);
  }
});

test('only files of the build are served', async () => {
  writeBuild('a-5.js', '<p>fifth</p>', 5_000);
  const app = await application();
  for (const url of [
    '/assets/../../secret.txt',
    '/assets/..%2f..%2fsecret.txt',
    '/assets/%2e%2e/index.html',
    '/assets/..%2findex.html',
    '/assets/a-5.js%00',
    '/assets/',
    '/secret.txt',
    '/index.html',
  ])
    assert.equal((await app.inject(url)).statusCode, 404, url);
});
