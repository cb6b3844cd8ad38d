import assert from 'node:assert/strict';
import { lookup } from 'node:dns';
import { once } from 'node:events';
import { type AddressInfo, createServer as createPlainServer } from 'node:net';
import { after, test } from 'node:test';
import { createServer as createTlsServer } from 'node:tls';
import { throwawayCertificate, tlsSink } from '../../test/fixtures/tls-sink.ts';
import { addressBlocks } from './address-guard.ts';
import { type GuardedReader, guardedReader, ReadFailed } from './guarded-reader.ts';
import { retryAfterMs } from './read-failure.ts';

const certificate = await throwawayCertificate();
const readers: GuardedReader[] = [];
after(() => Promise.all(readers.map((reader) => reader.close())));

function reader(allow = ['127.0.0.0/8', '::1/128']): GuardedReader {
  const made = guardedReader({
    resolve: (host, callback) =>
      host === 'absent.example'
        ? callback(Object.assign(new Error('getaddrinfo ENOTFOUND'), { code: 'ENOTFOUND' }), [])
        : lookup(host, { all: true }, callback),
    allow: addressBlocks(allow),
    extraCa: certificate.caPem,
    timeoutMs: 60_000,
    userAgent: 'Groundwatch/test',
    firstPauseMs: 1,
  });
  readers.push(made);
  return made;
}
const url = (port: number, path = '/'): string => `https://localhost:${port}${path}`;
const get = (port: number, path = '/', maxBytes = 1000) => reader().read({ url: url(port, path), maxBytes });

test('reads a body, sends its user agent, and sends JSON as a POST', async () => {
  await using sink = await tlsSink(certificate, ({ body }, response) => response.end(`got ${body}`));
  const answer = await reader().read({ url: url(sink.port), json: { a: 1 }, maxBytes: 100 });
  assert.equal(answer.bytes.toString(), 'got {"a":1}');
  assert.equal(sink.received[0]!.headers['user-agent'], 'Groundwatch/test');
});

test('retries temporary failures, with four attempts in all, and does not retry others', async () => {
  let calls = 0;
  await using sink = await tlsSink(certificate, ({ path }, response) => {
    calls++;
    if (path === '/gone') response.writeHead(404).end('not here');
    else if (path === '/down' || calls < 3) response.writeHead(503).end();
    else response.end('here');
  });
  assert.equal((await get(sink.port)).bytes.toString(), 'here');
  assert.equal(calls, 3);
  calls = 0;
  await assert.rejects(get(sink.port, '/gone'), /the server answered 404: not here/);
  assert.equal(calls, 1);
  calls = 0;
  await assert.rejects(
    get(sink.port, '/down'),
    (error) => error instanceof ReadFailed && error.status === 503,
  );
  assert.equal(calls, 4);
});

test('follows redirects, but not in circles, to plain HTTP or to forbidden addresses', async () => {
  const to: Record<string, string> = {
    '/a': '/b',
    '/circle': '/circle',
    '/plain': 'http://localhost/',
    '/inside': 'https://10.0.0.1/secret',
  };
  await using sink = await tlsSink(certificate, ({ path }, response) => {
    const location = to[path];
    if (location === undefined) response.end(path);
    else response.writeHead(302, { location }).end();
  });
  const found = await get(sink.port, '/a');
  assert.deepEqual([found.bytes.toString(), found.url], ['/b', url(sink.port, '/b')]);
  await assert.rejects(get(sink.port, '/circle'), /more than 5 redirects/);
  await assert.rejects(get(sink.port, '/plain'), /expected an https URL/);
  await assert.rejects(get(sink.port, '/inside'), /does not stand for a public address/);
});

test('what no attempt can mend is told by the address and the reason, at once', async () => {
  const answers: Record<string, string> = {
    '/length': 'HTTP/1.1 200 OK\r\ncontent-length: -5\r\n\r\n',
    '/text': 'HELLO\r\n\r\n',
    '/heads': `HTTP/1.1 200 OK\r\nx: ${'a'.repeat(100_000)}\r\n\r\n`,
    '/no-url': 'HTTP/1.1 302 Found\r\nlocation: https://[::bad\r\n\r\n',
  };
  const secure = createTlsServer({ key: certificate.keyPem, cert: certificate.certPem }, (socket) => {
    socket.on('error', () => undefined);
    socket.once('data', (head) => socket.end(answers[String(head).split(' ')[1]!]!));
  });
  const plain = createPlainServer((socket) => socket.on('error', () => undefined).end('not TLS\n'));
  await using _ = { [Symbol.asyncDispose]: async () => void (secure.close(), plain.close()) };
  const portOf = async (server: typeof plain): Promise<number> => {
    await once(server.listen(0, '127.0.0.1'), 'listening');
    return (server.address() as AddressInfo).port;
  };
  const port = await portOf(secure);
  const plainPort = await portOf(plain);
  const cases: [string, RegExp][] = [
    [url(port, '/length'), /\/length: .*Content-Length/],
    [url(port, '/text'), /\/text: .*HTTP\/1\.1/],
    [url(port, '/heads'), /\/heads: Headers Overflow/],
    [url(port, '/no-url'), /\/no-url: the server redirects to an address that is no URL/],
    [url(plainPort), /\/: no TLS connection: wrong version number \(ERR_SSL_WRONG_VERSION_NUMBER\)$/],
    ['https://absent.example/x', /^https:\/\/absent\.example\/x: getaddrinfo ENOTFOUND$/],
  ];
  for (const [address, message] of cases)
    await assert.rejects(reader().read({ url: address, maxBytes: 1000 }), (error) => {
      assert.ok(error instanceof ReadFailed, `${address}: ${String(error)}`);
      assert.match(error.message, message);
      return true;
    });
  for (const address of ['https://localhost:99999/', 'https://', 'x'])
    await assert.rejects(reader().read({ url: address, maxBytes: 1000 }), {
      name: 'RangeError',
      message: `${address}: expected an https URL`,
    });
});

test('refuses private addresses, and bodies that are too long', async () => {
  await using sink = await tlsSink(certificate, (_, response) => response.end('x'.repeat(2000)));
  await assert.rejects(reader([]).read({ url: url(sink.port), maxBytes: 10 }), /does not stand for a public/);
  assert.equal(sink.connections(), 0);
  await assert.rejects(get(sink.port), /the answer is longer than 1000 bytes/);
});

test('reads ranges of a file, and fails at a server that does not support them', async () => {
  await using sink = await tlsSink(certificate, ({ path, headers }, response) => {
    if (path === '/whole') response.end('0123456789');
    else {
      const [from, to] = /(\d+)-(\d+)/.exec(headers.range!)!.slice(1).map(Number) as [number, number];
      response.writeHead(206, { 'content-range': `bytes ${from}-${Math.min(to, 9)}/10`, etag: '"v1"' });
      response.end('0123456789'.slice(from, to + 1));
    }
  });
  const piece = await reader().readPiece(url(sink.port), 3, 6);
  assert.deepEqual([piece.bytes.toString(), piece.size, piece.version], ['345', 10, '"v1"']);
  assert.equal((await reader().readPiece(url(sink.port), 8, 20)).bytes.toString(), '89');
  await assert.rejects(reader().readPiece(url(sink.port, '/whole'), 0, 20), /does not give pieces of a file/);
});

test('a piece that ends early is asked for again, and another piece than was asked for is refused', async () => {
  let calls = 0;
  await using sink = await tlsSink(certificate, ({ path }, response) => {
    calls++;
    const [place, body] = path === '/other' ? ['0-3/10', '0123'] : ['3-6/10', calls < 3 ? '34' : '3456'];
    response.writeHead(206, { 'content-range': `bytes ${place}` }).end(body);
  });
  assert.equal((await reader().readPiece(url(sink.port), 3, 7)).bytes.toString(), '3456');
  assert.equal(calls, 3);
  await assert.rejects(reader().readPiece(url(sink.port, '/other'), 3, 7), /does not give pieces of a file/);
  calls = -10;
  await assert.rejects(reader().readPiece(url(sink.port), 3, 7), /: the piece ended after 2 of 4 bytes$/);
});

test('waits as long as a server asks for, in seconds or until a date', () => {
  const now = Date.UTC(2026, 0, 1);
  for (const [header, ms] of [
    ['7', 7000],
    ['Thu, 01 Jan 2026 00:00:09 GMT', 9000],
    [undefined, Number.NaN],
    ['soon', Number.NaN],
  ] as const)
    assert.equal(retryAfterMs(header, now), ms);
});
