import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, type AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { test } from 'node:test';
import type { FastifyRequest } from 'fastify';
import { principal, testApp } from '../../test/fixtures/test-app.ts';
import { bodyReader } from './body-reader.ts';
import { CallShares } from './call-shares.ts';

test('a body whose caller left before it was read is incomplete', async () => {
  const body = new Readable({ read: () => undefined });
  body.destroy();
  await once(body, 'close');
  const request = { principal: principal(), ip: '127.0.0.1', headers: {}, routeOptions: { bodyLimit: 100 } };
  const read = bodyReader(new CallShares({ now: () => Date.now() }));
  await assert.rejects(read(request as unknown as FastifyRequest, body), {
    message: 'the body is incomplete',
    statusCode: 400,
  });
});

test('a call whose caller leaves while its credential is looked up ends', async (t) => {
  const asked = Promise.withResolvers<void>();
  const found = Promise.withResolvers<void>();
  const { app } = await testApp({
    authenticator: {
      authenticate: () => async () => {
        asked.resolve();
        await found.promise;
        return principal();
      },
    },
  });
  t.after(() => app.close());
  const closed = Promise.withResolvers<void>();
  const ended = Promise.withResolvers<void>();
  app.server.on('request', (request, response) => {
    request.once('close', closed.resolve);
    const end = response.end.bind(response);
    response.end = ((...given: Parameters<typeof end>) => (ended.resolve(), end(...given))) as typeof end;
  });
  await app.listen({ port: 0, host: '127.0.0.1' });
  const socket = connect((app.server.address() as AddressInfo).port, '127.0.0.1').on(
    'error',
    () => undefined,
  );
  await once(socket, 'connect');
  socket.write(
    'POST /v1/risk/batch HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer k\r\n' +
      'Content-Type: application/json\r\nContent-Length: 100\r\n\r\n{"half":',
  );
  await asked.promise;
  socket.destroy();
  await closed.promise;
  found.resolve();
  await ended.promise;
});
