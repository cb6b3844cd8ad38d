import assert from 'node:assert/strict';
import type { LookupAddress } from 'node:dns';
import { once } from 'node:events';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { after, test } from 'node:test';
import { SPECIAL_ADDRESSES } from '../../test/fixtures/special-addresses.ts';
import { throwawayCertificate, tlsSink } from '../../test/fixtures/tls-sink.ts';
import { addressBlocks } from './address-guard.ts';
import { guardedClient } from './guarded-client.ts';
import type { GuardedClient } from './guarded-client.ts';
import { AddressRefused, guardedLookup, type Resolve } from './guarded-connect.ts';

const NAME = 'receiver.example';
const certificate = await throwawayCertificate([NAME]);
const LOOPBACK = addressBlocks(['127.0.0.0/8']);
const NOTHING = addressBlocks([]);
const clients: GuardedClient[] = [];
after(() => Promise.all(clients.map((client) => client.close())));

const addresses = (...list: readonly string[]): readonly LookupAddress[] =>
  list.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }));

/** Returns a resolver that gives the next of `answers` at each lookup and counts the lookups. */
function resolver(...answers: readonly (readonly string[])[]): Resolve & { count: number } {
  const resolve = Object.assign(
    ((_hostname, callback) => {
      const answer = answers[Math.min(resolve.count, answers.length - 1)] ?? [];
      resolve.count += 1;
      callback(null, addresses(...answer));
    }) as Resolve,
    { count: 0 },
  );
  return resolve;
}

function client(options: {
  allow?: typeof LOOPBACK;
  resolve?: Resolve;
  extraCa?: string;
  timeoutMs?: number;
}): GuardedClient {
  const made = guardedClient({
    allow: LOOPBACK,
    extraCa: certificate.caPem,
    timeoutMs: 60_000,
    connectionsPerOrigin: 4,
    ...options,
  });
  clients.push(made);
  return made;
}

const post = (to: GuardedClient, url: string) =>
  to.post(url, { 'content-type': 'application/json' }, Buffer.from('{"é":1}'));
const codeIs = (code: string) => (error: NodeJS.ErrnoException) => error.code === code;

test('posts the bytes, verifies the certificate by name, and reuses the connection', async () => {
  await using sink = await tlsSink(certificate, (_, response) => response.end('thanks'));
  const resolve = resolver(['127.0.0.1']);
  const sender = client({ resolve });
  for (let i = 0; i < 10; i++)
    assert.deepEqual(await post(sender, `https://${NAME}:${sink.port}/a/b?c=d`), {
      status: 200,
      excerpt: 'thanks',
    });
  assert.deepEqual(
    sink.received.map(({ path, body, headers }) => [path, body, headers['content-type'], headers.host]),
    Array.from({ length: 10 }, () => ['/a/b?c=d', '{"é":1}', 'application/json', `${NAME}:${sink.port}`]),
  );
  // The pool may open a second connection before it has processed the end of the first response.
  assert.ok(sink.connections() <= 2, String(sink.connections()));
  assert.equal(resolve.count, sink.connections());
});

test('an address in the URL is checked without a lookup', async () => {
  await using sink = await tlsSink(certificate);
  const resolve = resolver(['8.8.8.8']);
  assert.equal((await post(client({ resolve }), `https://127.0.0.1:${sink.port}/`)).status, 200);
  for (const host of ['127.0.0.1', '2130706433', '0x7f.1', '[::ffff:127.0.0.1]', '[::1]'])
    await assert.rejects(
      post(client({ resolve, allow: NOTHING }), `https://${host}:${sink.port}/`),
      AddressRefused,
      host,
    );
  assert.equal(resolve.count, 0);
  assert.equal(sink.connections(), 1);
});

test('a name that resolves to a special address is refused before any connection', async () => {
  await using sink = await tlsSink(certificate);
  for (const found of [
    ['127.0.0.1'],
    ['8.8.8.8', '127.0.0.1'],
    ['127.0.0.1', '8.8.8.8'],
    ['::ffff:7f00:1'],
    ['64:ff9b::7f00:1'],
    [],
  ]) {
    const refused = post(
      client({ allow: NOTHING, resolve: resolver(found) }),
      `https://${NAME}:${sink.port}/`,
    );
    await assert.rejects(refused, (error) => {
      assert.ok(error instanceof AddressRefused);
      assert.deepEqual(error.addresses, found);
      // A tenant chose the name and sees the message, so it must not contain internal addresses.
      assert.equal(error.message, `${NAME} does not stand for a public address`);
      return true;
    });
  }
  assert.equal(sink.connections(), 0);
});

test('DNS rebinding: the connection goes to the address that was checked', async () => {
  // A client that resolves the name again when it connects would get the second answer and reach the sink.
  await using sink = await tlsSink(certificate);
  const resolve = resolver(['127.0.0.2'], ['127.0.0.1']);
  const sender = client({ resolve, allow: addressBlocks(['127.0.0.2']) });
  await assert.rejects(post(sender, `https://${NAME}:${sink.port}/`), /127\.0\.0\.2/); // nothing listens there
  assert.equal(resolve.count, 1);
  await assert.rejects(post(sender, `https://${NAME}:${sink.port}/`), AddressRefused);
  assert.equal(resolve.count, 2);
  assert.equal(sink.connections(), 0);
});

test('none of 200 special addresses is reached: literal, behind a name, with a public one, or after a second lookup', async () => {
  // 127.0.0.x is left out, since one of these addresses is allowed below.
  const table = SPECIAL_ADDRESSES.filter((address) => !address.startsWith('127.0.0.'));
  const nowhere = '127.0.0.2'; // an allowed address on which nothing listens
  const answers = new Map<string, string[][]>();
  const resolve: Resolve = (name, callback) => callback(null, addresses(...answers.get(name)!.shift()!));
  const sender = client({ allow: addressBlocks([nowhere]), resolve });
  for (const [i, address] of table.entries()) {
    const literal = address.includes(':') ? `[${address}]` : address;
    if (!address.includes('%')) await assert.rejects(post(sender, `https://${literal}:9/`), AddressRefused);
    answers.set(`n${i}.example`, [[address], ['8.8.8.8', address], [nowhere], [address]]);
    const url = `https://n${i}.example:9/`;
    await assert.rejects(post(sender, url), AddressRefused, `${address} behind a name`);
    await assert.rejects(post(sender, url), AddressRefused, `${address} beside a public one`);
    await assert.rejects(post(sender, url), codeIs('ECONNREFUSED'));
    await assert.rejects(post(sender, url), AddressRefused, `${address} after a harmless one`);
    assert.deepEqual(answers.get(`n${i}.example`), [], 'one look-up for each connection');
  }
});

test('the lookup returns only allowed addresses to sockets', async () => {
  const look = (found: readonly string[], all: boolean) =>
    new Promise<unknown>((resolve, reject) => {
      guardedLookup(resolver(found), addressBlocks(['10.0.0.7']))(NAME, { all }, (error, address, family) =>
        error === null ? resolve(all ? address : [address, family]) : reject(error),
      );
    });
  assert.deepEqual(await look(['2606:4700::1', '8.8.8.8'], true), addresses('2606:4700::1', '8.8.8.8'));
  assert.deepEqual(await look(['8.8.8.8', '1.1.1.1'], false), ['8.8.8.8', 4]);
  assert.deepEqual(await look(['::1', '10.0.0.7', '10.0.0.8'], true), addresses('10.0.0.7'));
  await assert.rejects(look(['10.0.0.8'], true), AddressRefused);
});

test('certificates of another authority or for another name are refused', async () => {
  await using stranger = await tlsSink(await throwawayCertificate([NAME]));
  await using sink = await tlsSink(certificate);
  const resolve = resolver(['127.0.0.1']);
  await assert.rejects(
    post(client({ resolve }), `https://${NAME}:${stranger.port}/`),
    codeIs('UNABLE_TO_VERIFY_LEAF_SIGNATURE'),
  );
  await assert.rejects(
    post(client({ resolve }), `https://other.example:${sink.port}/`),
    codeIs('ERR_TLS_CERT_ALTNAME_INVALID'),
  );
  assert.equal(stranger.received.length + sink.received.length, 0);
});

test('redirects are returned and not followed', async () => {
  await using sink = await tlsSink(certificate, (_, response) =>
    response.writeHead(307, { location: '/elsewhere' }).end(),
  );
  assert.equal((await post(client({}), `https://127.0.0.1:${sink.port}/`)).status, 307);
  assert.deepEqual(
    sink.received.map(({ path }) => path),
    ['/'],
  );
});

test('the time limit applies to a hanging handshake, a hanging response and a slow body', async () => {
  await using hanging = await tlsSink(certificate, () => {});
  await using dripping = await tlsSink(certificate, (_, response) => {
    response.write('a');
    const drip = setInterval(() => response.write('a'), 20);
    response.on('close', () => clearInterval(drip));
  });
  const deaf = createServer((socket) => socket.on('error', () => {})).listen(0, '127.0.0.1');
  const sender = client({ timeoutMs: 250 });
  try {
    await once(deaf, 'listening');
    for (const port of [hanging.port, dripping.port, (deaf.address() as AddressInfo).port])
      await assert.rejects(post(sender, `https://127.0.0.1:${port}/`), { name: /^(Connect)?TimeoutError$/ });
  } finally {
    await sender.close();
    deaf.close();
  }
});

test('the first kilobyte of a response is kept, with NUL and invalid UTF-8 replaced; an endless one is cut off', async () => {
  let sent = 0;
  await using sink = await tlsSink(certificate, ({ path }, response) => {
    if (path === '/long') response.end('é'.repeat(10_000));
    else if (path === '/bytes') response.end(Buffer.from([0x61, 0x00, 0xff, 0x62]));
    else {
      const more = (): void => {
        while (!response.destroyed && response.write(Buffer.alloc(65_536, 0x78))) sent += 65_536;
      };
      response.on('drain', more);
      more();
    }
  });
  const sender = client({});
  assert.equal((await post(sender, `https://127.0.0.1:${sink.port}/long`)).excerpt, 'é'.repeat(512));
  assert.equal((await post(sender, `https://127.0.0.1:${sink.port}/bytes`)).excerpt, 'a\ufffd\ufffdb');
  assert.equal((await post(sender, `https://127.0.0.1:${sink.port}/endless`)).excerpt, 'x'.repeat(1024));
  assert.ok(sent < 50_000_000, String(sent));
});

test('an invalid response and a connection that closes during the response are errors', async () => {
  await using garbage = await tlsSink(certificate, (_, response) =>
    response.socket?.end('SSH-2.0-OpenSSH_9.9\r\n'),
  );
  await using closing = await tlsSink(certificate, (_, response) => {
    response.writeHead(200, { 'content-length': 100 });
    response.write('half');
    setImmediate(() => response.destroy());
  });
  for (const { port } of [garbage, closing])
    await assert.rejects(post(client({}), `https://127.0.0.1:${port}/`));
});

test('only HTTPS is supported', async () => {
  await assert.rejects(post(client({}), 'http://127.0.0.1:9/'), RangeError);
});
