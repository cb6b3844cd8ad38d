import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import fastify from 'fastify';
import { listen } from './api.ts';
import { offerAbout } from './service-socket.ts';

test('a port that is taken: the service of the data folder is named when it is that one', async (t) => {
  const dataFolder = await mkdtemp(join(tmpdir(), 'gw-port-'));
  const taken = createServer().listen(0, '127.0.0.1');
  await once(taken, 'listening');
  const { port } = taken.address() as AddressInfo;
  const app = fastify();
  t.after(async () => {
    taken.close();
    await app.close();
    await rm(dataFolder, { recursive: true });
  });
  const start = () => listen(app, { host: '127.0.0.1', port, dataFolder });
  const other = /cannot listen on 127\.0\.0\.1, port \d+: another program listens there$/;
  await assert.rejects(start(), other);

  const about = { pid: 7, version: '1.2.3', startedAt: '2026-11-24T00:00:00.000Z', settings: {} };
  const address = `https://localhost:${port}`;
  const end = await offerAbout(dataFolder, { ...about, address, port: port + 1 });
  await assert.rejects(start(), other);
  await end();
  const endSame = await offerAbout(dataFolder, { ...about, address, port });
  t.after(endSame);
  await assert.rejects(start(), {
    message: new RegExp(
      `: Groundwatch of this data folder listens there: process 7 at ${address} \\(release 1\\.2\\.3, since 2026-11-24T.*\\)\\. To start it again, stop that process first$`,
    ),
  });
});
