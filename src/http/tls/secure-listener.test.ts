// Long file: all tests of the listener share the functions below, which open and read sockets.
import assert from 'node:assert/strict';
import Fastify from 'fastify';
import { once } from 'node:events';
import { request } from 'node:https';
import type { Server } from 'node:https';
import { connect } from 'node:net';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { connect as connectTls } from 'node:tls';
import type { ConnectionOptions, TLSSocket } from 'node:tls';
import { throwawayCertificate } from '../../../test/fixtures/tls-sink.ts';
import { answerClientError, replaceCertificate, secureListener } from './secure-listener.ts';

const certificate = await throwawayCertificate();

interface Listening extends AsyncDisposable {
  readonly server: Server;
  readonly port: number;
  /** Requests that reached the request handler. */
  readonly handled: string[];
  readonly exposed: (readonly [string, string])[];
}

async function listening(headTimeoutMs = 20_000): Promise<Listening> {
  const handled: string[] = [];
  const exposed: (readonly [string, string])[] = [];
  const server = secureListener(
    (incoming, response) => {
      handled.push(`${incoming.method} ${incoming.url}`);
      incoming.resume().on('end', () => response.end('hello'));
    },
    { certificate, headTimeoutMs, onExposedCredential: (...seen) => exposed.push(seen) },
  );
  server.on('clientError', answerClientError);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    server,
    handled,
    exposed,
    port: (server.address() as AddressInfo).port,
    async [Symbol.asyncDispose]() {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

/** Sends bytes over a plain connection, and returns everything received until it is closed. */
async function plain(port: number, ...parts: readonly (string | Buffer)[]): Promise<string> {
  const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true, noDelay: true });
  let answer = '';
  socket.on('data', (chunk: Buffer) => (answer += chunk.toString())).on('error', () => {});
  for (const part of parts) {
    socket.write(part);
    await delay(10);
  }
  if (socket.readableEnded) socket.end();
  else socket.once('end', () => socket.end());
  // events.once is not used, because it rejects on an error. Sending to a closed connection causes such an error.
  if (!socket.closed) await new Promise((resolve) => socket.once('close', resolve));
  return answer;
}

async function tls(port: number, options: ConnectionOptions = {}): Promise<TLSSocket> {
  const socket = connectTls({
    port,
    host: '127.0.0.1',
    servername: 'localhost',
    ca: certificate.caPem,
    ...options,
  });
  await once(socket, 'secureConnect');
  return socket;
}

/** Sends text over a TLS connection, and returns everything received until it is closed. */
async function secure(port: number, text: string): Promise<string> {
  const socket = await tls(port);
  let answer = '';
  socket.on('data', (chunk: Buffer) => (answer += chunk.toString())).on('error', () => {});
  socket.write(text);
  await once(socket, 'close');
  return answer;
}

/** Asserts that an answer is one error in the form of the contract. Returns its message. */
function errorOf(answer: string, status: string, code: string): string {
  const [head = '', body = ''] = answer.split('\r\n\r\n');
  const [statusLine, ...lines] = head.split('\r\n');
  assert.equal(statusLine, `HTTP/1.1 ${status}`);
  const headers = new Map(lines.map((line) => line.split(': ') as [string, string]));
  const { error, ...rest } = JSON.parse(body) as { error: Record<string, string> };
  assert.deepEqual(rest, {});
  assert.deepEqual(Object.keys(error), ['code', 'message', 'request_id']);
  assert.equal(error['code'], code);
  assert.match(error['request_id']!, /^req_[0-9a-z]{26}$/);
  assert.equal(headers.get('X-Request-Id'), error['request_id']);
  assert.equal(headers.get('Content-Type'), 'application/json; charset=utf-8');
  assert.equal(headers.get('Content-Length'), String(Buffer.byteLength(body)));
  assert.match(headers.get('Strict-Transport-Security') ?? '', /^max-age=\d{8}/);
  assert.equal(headers.get('Connection'), 'close');
  return error['message']!;
}

const badRequest = (answer: string): string => errorOf(answer, '400 Bad Request', 'bad_request');

test('a client that offers HTTP/1.0 only is answered', async () => {
  await using at = await listening();
  const socket = await tls(at.port, { ALPNProtocols: ['http/1.0'] });
  assert.equal(socket.alpnProtocol, 'http/1.0');
  socket.destroy();
});

test('TLS requests pass, several on one connection', async () => {
  await using at = await listening();
  const socket = await tls(at.port, { ALPNProtocols: ['h2', 'http/1.1'] });
  assert.equal(socket.alpnProtocol, 'http/1.1');
  for (let i = 0; i < 3; i++) {
    socket.write(`GET /${i} HTTP/1.1\r\nHost: localhost\r\n\r\n`);
    const [chunk] = (await once(socket, 'data')) as [Buffer];
    assert.match(chunk.toString(), /^HTTP\/1\.1 200 OK[^]*hello/);
  }
  socket.destroy();
  assert.deepEqual(at.handled, ['GET /0', 'GET /1', 'GET /2']);
});

test('a TLS handshake that arrives byte by byte passes as well', async () => {
  await using at = await listening();
  const raw = connect(at.port, '127.0.0.1').setNoDelay(true);
  await once(raw, 'connect');
  const dripping = new (await import('node:stream')).Duplex({
    read() {},
    write(chunk: Buffer, _encoding, done) {
      raw.write(chunk.subarray(0, 1));
      setTimeout(() => raw.write(chunk.subarray(1), () => done()), 15);
    },
  });
  raw.on('data', (chunk: Buffer) => dripping.push(chunk));
  const socket = connectTls({ socket: dripping, servername: 'localhost', ca: certificate.caPem });
  await once(socket, 'secureConnect');
  socket.write('GET / HTTP/1.1\r\nHost: localhost\r\n\r\n');
  const [chunk] = (await once(socket, 'data')) as [Buffer];
  assert.match(chunk.toString(), /^HTTP\/1\.1 200 OK/);
  socket.destroy();
  raw.destroy();
});

test('plain HTTP is refused at once and its credential reported', async () => {
  await using at = await listening();
  const message = badRequest(
    await plain(
      at.port,
      'GET /v1/risk HTTP/1.1\r\nHost: localhost\r\nauthorization:  Bearer gw_sandbox_k1_s  \r\nA: b\r\n\r\n',
    ),
  );
  assert.equal(message, 'expected HTTPS on this port, got plain HTTP');
  assert.deepEqual(at.exposed, [['Bearer gw_sandbox_k1_s', '127.0.0.1']]);
  assert.deepEqual(at.handled, []);
});

test('plain HTTP is refused before its head is whole, and the credential is still found', async () => {
  await using at = await listening();
  badRequest(
    await plain(at.port, 'G', 'ET / HTTP/1.1\r\nAuthoriz', 'ation: Bearer split', '-key\r\n', '\r\n'),
  );
  assert.deepEqual(at.exposed, [['Bearer split-key', '127.0.0.1']]);
  // If the head never ends, the credential is reported when the connection closes, unless its line is incomplete.
  badRequest(await plain(at.port, 'GET / HTTP/1.1\r\nAuthorization: Bearer headless\r\n'));
  badRequest(await plain(at.port, 'GET / HTTP/1.1\r\nAuthorization: Bearer cut-o'));
  assert.deepEqual(at.exposed.slice(1), [['Bearer headless', '127.0.0.1']]);
});

test('an Authorization line in a body is not reported as a credential', async () => {
  await using at = await listening();
  badRequest(
    await plain(
      at.port,
      'POST / HTTP/1.1\r\nContent-Length: 40\r\n\r\n\r\nAuthorization: Bearer body\r\n\r\n',
    ),
  );
  assert.deepEqual(at.exposed, []);
});

test('the answer reaches a client that keeps sending, and the connection is then closed', async () => {
  await using at = await listening();
  const answer = await plain(
    at.port,
    `POST / HTTP/1.1\r\nAuthorization: Bearer big\r\nContent-Length: 10000000\r\n\r\n`,
    Buffer.alloc(200_000, 0x61),
    Buffer.alloc(9_800_000, 0x61),
  );
  badRequest(answer);
  assert.deepEqual(at.exposed, [['Bearer big', '127.0.0.1']]);
});

test('HEAD over plain HTTP gets the headers alone', async () => {
  await using at = await listening();
  const answer = await plain(at.port, 'HEAD / HTTP/1.1\r\nHost: localhost\r\n\r\n');
  assert.match(answer, /^HTTP\/1\.1 400 Bad Request\r\n[^]*\r\n\r\n$/);
});

test('a connection that speaks neither HTTP nor TLS is refused in the same way', async () => {
  await using at = await listening();
  for (const bytes of ['hello\n', '\0\0\0\0', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', Buffer.alloc(20_000, 0x80)])
    badRequest(await plain(at.port, bytes));
  assert.equal(
    await plain(at.port, Buffer.from([0x16, 3, 1, 0, 5, 1, 2, 3, 4, 5])).then((text) =>
      text.includes('HTTP'),
    ),
    false,
  );
  assert.match(
    await secure(at.port, 'GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n'),
    /^HTTP\/1\.1 200/,
  );
});

test('silent connections are closed: before TLS, during its handshake, and within a request head', async () => {
  await using hasty = await listening(200);
  assert.equal(await plain(hasty.port), '');
  assert.equal((await plain(hasty.port, Buffer.from([0x16, 3, 1]))).includes('HTTP'), false);
  await using at = await listening(3_000); // time for a handshake, on a busy machine too
  const [half, silent] = await Promise.all([
    secure(at.port, 'GET / HTTP/1.1\r\nHost: a\r\n'),
    secure(at.port, ''),
  ]);
  assert.equal(badRequest(half), 'the request did not arrive in time');
  assert.equal(silent, '', 'opened in advance, as browsers do');
});

test("requests that the HTTP parser refuses are answered in the contract's form", async () => {
  await using at = await listening();
  const notFound = (answer: string): string => errorOf(answer, '404 Not Found', 'not_found');
  assert.match(
    badRequest(await secure(at.port, 'GET / HTTP/1.1\r\nbroken header\r\n\r\n')),
    /^expected an HTTP\/1\.1 request \(HPE_/,
  );
  assert.match(
    badRequest(await secure(at.port, 'GET  HTTP/1.1\r\n\r\n')),
    /^expected an HTTP\/1\.1 request \(HPE_/,
  );
  assert.match(
    badRequest(await secure(at.port, `GET / HTTP/1.1\r\nHost: a\r\nX: ${'x'.repeat(17_000)}\r\n\r\n`)),
    /at most 16384 bytes/,
  );
  assert.equal(badRequest(await secure(at.port, 'GET / HTTP/1.1\r\n\r\n')), 'expected a Host header');
  for (const name of ['Host', 'Authorization', 'Content-Type']) {
    const twice = `GET / HTTP/1.1\r\nHost: a\r\n${name === 'Host' ? '' : `${name}: a\r\n`}${name.toLowerCase()}: b\r\n\r\n`;
    assert.equal(badRequest(await secure(at.port, twice)), `expected one ${name} header, got 2`);
  }
  notFound(await secure(at.port, 'BREW /pot HTTP/1.1\r\nHost: a\r\n\r\n'));
  notFound(await secure(at.port, 'CONNECT a:443 HTTP/1.1\r\nHost: a\r\n\r\n'));
  assert.deepEqual(at.handled, []);
});

test('a body without a length, which the parser takes for a request, is refused as such', async (t) => {
  const server = secureListener(() => {}, { certificate, onExposedCredential: () => {} }); // answers slowly
  server.on('clientError', answerClientError);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => {
    server.close();
    server.closeAllConnections();
  });
  const { port } = server.address() as AddressInfo;
  for (const method of ['POST', 'PUT', 'PATCH'])
    assert.equal(
      badRequest(await secure(port, `${method} / HTTP/1.1\r\nHost: a\r\n\r\n{"name": 1}`)),
      'expected Content-Length or Transfer-Encoding: chunked with a body, got a body without either',
    );
  const unknown = await secure(port, 'GET / HTTP/1.1\r\nHost: a\r\n\r\nBREW / HTTP/1.1\r\n\r\n');
  errorOf(unknown, '404 Not Found', 'not_found');
});

test('an unknown expectation is ignored', async () => {
  await using at = await listening();
  assert.match(
    await secure(at.port, 'GET / HTTP/1.1\r\nHost: a\r\nExpect: tea\r\nConnection: close\r\n\r\n'),
    /^HTTP\/1\.1 200/,
  );
});

test('TLS below 1.2 is refused; 1.2 and 1.3 use forward secrecy', async () => {
  await using at = await listening();
  await assert.rejects(
    tls(at.port, { minVersion: 'TLSv1', maxVersion: 'TLSv1.1', ciphers: 'ALL:@SECLEVEL=0' }),
    /protocol version/,
  );
  await assert.rejects(tls(at.port, { maxVersion: 'TLSv1.2', ciphers: 'AES128-SHA' }));
  for (const version of ['TLSv1.2', 'TLSv1.3'] as const) {
    const socket = await tls(at.port, { minVersion: version, maxVersion: version });
    assert.equal(socket.getProtocol(), version);
    assert.match(socket.getCipher().name, /GCM|CHACHA20/);
    socket.destroy();
  }
});

test('a replaced certificate is served without a restart, and TLS below 1.2 is still refused', async () => {
  await using at = await listening();
  const before = await tls(at.port);
  const other = await throwawayCertificate(['new.example']);
  replaceCertificate(at.server, other);
  const after = await tls(at.port, { ca: other.caPem, servername: 'new.example' });
  await assert.rejects(tls(at.port), /verify|certificate/);
  await assert.rejects(
    tls(at.port, { minVersion: 'TLSv1', maxVersion: 'TLSv1.1', ciphers: 'ALL:@SECLEVEL=0' }),
    /protocol version/,
  );
  before.write('GET /old HTTP/1.1\r\nHost: a\r\n\r\n');
  assert.match(String((await once(before, 'data'))[0]), /^HTTP\/1\.1 200/);
  before.destroy();
  after.destroy();
});

test('close does not wait for silent or idle connections', async () => {
  const at = await listening(20_000);
  const silent = connect(at.port, '127.0.0.1');
  await once(silent, 'connect');
  const idle = await tls(at.port);
  idle.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n');
  await once(idle, 'data');
  await delay(20); // so that the server has accepted both connections
  const ended = Promise.all([once(silent, 'close'), once(idle, 'close')]);
  at.server.close();
  await once(at.server, 'close');
  await ended;
});

test('Fastify listens, answers and closes on the listener', async () => {
  const app = Fastify({
    clientErrorHandler: (error, socket) => answerClientError(error, socket),
    serverFactory: (handler) => secureListener(handler, { certificate, onExposedCredential: () => {} }),
  });
  app.post('/echo', (incoming) => ({ got: incoming.body }));
  await app.listen({ port: 0, host: '127.0.0.1' });
  const { port } = app.server.address() as AddressInfo;
  const sent = request({
    port,
    host: '127.0.0.1',
    path: '/echo',
    method: 'POST',
    ca: certificate.caPem,
    headers: { 'content-type': 'application/json' },
  });
  sent.end('{"a":1}');
  const [response] = await once(sent, 'response');
  assert.equal(String((await once(response, 'data'))[0]), '{"got":{"a":1}}');
  badRequest(await plain(port, 'GET /echo HTTP/1.1\r\nHost: a\r\n\r\n'));
  badRequest(await secure(port, 'GET /echo HTTP/1.1\r\nbroken header\r\n\r\n'));
  await app.close();
  assert.equal(app.server.listening, false);
});
