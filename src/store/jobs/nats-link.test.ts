import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { NATS_PROGRAM, natsServer, type NatsServer } from '../../../test/fixtures/nats-server.ts';
import { NatsLink } from './nats-link.ts';

describe(
  'the connection to NATS',
  { skip: NATS_PROGRAM === undefined && 'SKIPPED: nats-server is not installed' },
  () => {
    let server: NatsServer;
    let link: NatsLink;
    const told: string[] = [];
    before(async () => {
      server = await natsServer();
      link = new NatsLink({ servers: server.url }, (error) => told.push(String(error)));
      link.start();
    });
    after(async () => {
      await link.close();
      await server.remove();
    });
    const ping = (): Promise<void> => link.ask((connection) => connection.flush());

    test('a question ends when the connection is lost, and the next is asked when it is back', async () => {
      for (let loss = 1; loss <= 3; loss++) {
        await link.up();
        await ping();
        const { lost } = link;
        const waiting = link.ask(() => new Promise<never>(() => undefined));
        const failed = assert.rejects(waiting, /NATS_URL: the connection was lost/);
        await server.kill();
        await failed;
        assert.ok(lost.aborted);
        await assert.rejects(ping(), /NATS_URL: the server does not answer/);
        const back = link.up();
        await server.start();
        await back;
        await ping();
        assert.ok(!link.lost.aborted);
        assert.equal(told.length, loss, 'each loss is told once');
      }
    });

    test('a link that is closed asks nothing and ends what waits', async () => {
      const other = new NatsLink({ servers: server.url }, () => undefined);
      other.start();
      await other.up();
      const asked = Promise.withResolvers<void>();
      const waiting = other.ask(() => {
        asked.resolve();
        return new Promise<never>(() => undefined);
      });
      const failed = assert.rejects(waiting, /the connection was lost/);
      await asked.promise;
      await other.close();
      await failed;
      await assert.rejects(
        other.ask(() => Promise.resolve()),
        /the server does not answer/,
      );
      await other.up();
    });
  },
);
