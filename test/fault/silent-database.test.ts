import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { test } from 'node:test';
import { dropDatabase, migratedDatabase } from '../fixtures/database.ts';
import { startService } from '../fixtures/service.ts';

/** A stop without a database takes 8 s on quiet cores; one that waits for it never ends. */
const STOP_MS = 180_000;

/** A way to a database that can be closed in two forms. */
async function wayTo(url: string) {
  const way = new URL(url);
  const folder = way.searchParams.get('host'); // of a Unix socket
  const [host, port] = [way.hostname, way.port];
  const toServer = (): Socket =>
    folder === null ? connect(Number(port), host) : connect(join(folder, `.s.PGSQL.${port}`));
  let isSilent = false;
  const sockets = new Set<Socket>();
  const server = createServer((near) => {
    const ends = isSilent ? [near] : [near, toServer()];
    for (const [i, end] of ends.entries()) {
      sockets.add(end);
      end.on('error', () => undefined);
      end.on('close', () => {
        sockets.delete(end);
        ends[1 - i]?.destroy();
      });
    }
    if (ends[1] !== undefined) near.pipe(ends[1]).pipe(near);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  way.searchParams.delete('host');
  way.host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url: way.href,
    /** Connections stay, and new ones are accepted, but no byte comes back. */
    silence(): void {
      isSilent = true;
      for (const socket of sockets) socket.unpipe().pause();
    },
    /** Connections end, and new ones are refused. */
    close(): void {
      server.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}

for (const how of ['silence', 'close'] as const)
  test(`a node stops although its database is gone by ${how}`, async (t) => {
    const url = await migratedDatabase();
    const way = await wayTo(url);
    t.after(async () => {
      way.close();
      await dropDatabase(url);
    });
    const node = await startService({ DATABASE_URL: way.url, GROUNDWATCH_LOG_LEVEL: 'info' });
    t.after(async () => {
      if (isThere(node.pid)) process.kill(node.pid, 'SIGKILL');
      await node.stop();
    });
    assert.equal((await node.call('/readyz')).status, 200);
    way[how]();
    await sleep(2_000); // background work asks, and waits
    process.kill(node.pid, 'SIGTERM');
    const deadline = performance.now() + STOP_MS;
    while (isThere(node.pid)) {
      assert.ok(performance.now() < deadline, `the node runs: ${node.log()}`);
      await sleep(100);
    }
    assert.match(node.log(), /Stopping: SIGTERM/);
    if (how === 'silence')
      assert.match(node.log(), /The stop does not wait for the database: [^"]*does not answer in 5 s/);
  });

function isThere(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
