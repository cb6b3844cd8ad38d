import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { test } from 'node:test';
import { oneByOne } from './one-by-one.ts';

/** A server whose answers the test gives, and a connection to it. */
async function connected() {
  const begun: { readonly url: string; readonly response: ServerResponse }[] = [];
  const server = createServer(oneByOne(({ url }, response) => void begun.push({ url: url!, response })));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
  await once(socket, 'connect');
  socket.on('error', () => undefined);
  const until = async (isTrue: () => boolean): Promise<void> => {
    while (!isTrue()) await delay(1);
  };
  return {
    begun,
    socket,
    until,
    send: (count: number) =>
      socket.write(Array.from({ length: count }, (_, i) => `GET /${i} HTTP/1.1\r\nHost: a\r\n\r\n`).join('')),
    /** Waits until what was sent has been handled: a later request of another connection was. */
    async settled(): Promise<void> {
      const other = connect((server.address() as AddressInfo).port, '127.0.0.1');
      other.write('GET /other HTTP/1.1\r\nHost: a\r\n\r\n');
      const all = begun.length;
      await until(() => begun.slice(all).some(({ url }) => url === '/other'));
      other.destroy();
      begun.splice(
        begun.findIndex(({ url }) => url === '/other'),
        1,
      );
    },
    async [Symbol.asyncDispose]() {
      socket.destroy();
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

test('pipelined requests begin one after the other, each after the answer to the one before', async () => {
  await using at = await connected();
  let text = '';
  at.socket.on('data', (chunk: Buffer) => (text += chunk.toString()));
  at.send(33);
  for (let i = 0; i < 33; i++) {
    await at.until(() => at.begun.length > i);
    await at.settled();
    assert.deepEqual([at.begun.length, at.begun[i]!.url], [i + 1, `/${i}`]);
    at.begun[i]!.response.end(`answer ${i};`);
  }
  await at.until(() => text.includes('answer 32;'));
  const answers = [...text.matchAll(/answer (\d+);/g)].map(([, i]) => Number(i));
  assert.deepEqual(
    answers,
    Array.from({ length: 33 }, (_, i) => i),
  );
});

test('nothing is computed for a connection that was closed, or ahead of a caller that does not read', async () => {
  await using at = await connected();
  at.socket.pause();
  at.send(10);
  await at.until(() => at.begun.length > 0);
  at.begun[0]!.response.end('x'.repeat(64 * 1024 * 1024)); // more than the operating system buffers
  await at.settled();
  assert.equal(at.begun.length, 1);
  at.socket.destroy();
  await once(at.begun[0]!.response, 'close');
  await at.settled();
  assert.equal(at.begun.length, 1);
});

test('a connection on which more than 32 requests wait is closed', async () => {
  await using at = await connected();
  const closed = once(at.socket, 'close');
  at.send(34);
  await closed;
  assert.equal(at.begun.length, 1);
});
