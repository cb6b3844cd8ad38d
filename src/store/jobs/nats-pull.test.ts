import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { AckPolicy, jetstream, jetstreamManager, RetentionPolicy } from '@nats-io/jetstream';
import { connect, nanos, type NatsConnection } from '@nats-io/transport-node';
import { NATS_PROGRAM, natsServer, type NatsServer } from '../../../test/fixtures/nats-server.ts';
import { testStorage } from '../../../test/fixtures/storage.ts';
import { NatsEngine } from './nats-engine.ts';
import { pullMessage } from './nats-pull.ts';

const LONG_MS = 60_000; // longer than any test takes
const NEVER = new AbortController().signal;

describe(
  'messages of NATS are waited for',
  { skip: NATS_PROGRAM === undefined && 'SKIPPED: nats-server is not installed' },
  () => {
    let server: NatsServer;
    let connection: NatsConnection;
    const asked: string[] = [];
    before(async () => {
      server = await natsServer();
      connection = await connect({ servers: server.url });
      const manager = await jetstreamManager(connection);
      await manager.streams.add({ name: 's', subjects: ['s.>'], retention: RetentionPolicy.Workqueue });
      for (const name of ['a', 'b'])
        await manager.consumers.add('s', {
          durable_name: name,
          filter_subject: `s.${name}`,
          ack_policy: AckPolicy.Explicit,
          ack_wait: nanos(10 * LONG_MS),
        });
    });
    after(async () => {
      await connection?.close();
      await server?.remove();
    });
    const pull = (waitMs: number, signal = NEVER) => pullMessage(connection, 's', ['a', 'b'], waitMs, signal);

    test('of two that come at once, the second goes back to the server', async () => {
      for (let round = 0; round < 20; round++) {
        const first = pull(LONG_MS);
        await connection.flush();
        const stream = jetstream(connection);
        await Promise.all([stream.publish('s.a', 'a'), stream.publish('s.b', 'b')]);
        const message = await first;
        const second = await pull(LONG_MS);
        assert.deepEqual(new Set([message?.string(), second?.string()]), new Set(['a', 'b']));
        for (const one of [message, second]) one!.respond('+ACK');
      }
    });

    test('a consumer that is deleted meanwhile is told', async () => {
      const { consumers } = await jetstreamManager(connection);
      await consumers.add('s', { durable_name: 'c', filter_subject: 's.c', ack_policy: AckPolicy.Explicit });
      const waiting = pullMessage(connection, 's', ['a', 'c'], LONG_MS, NEVER);
      const told = assert.rejects(waiting, /NATS: 409/);
      // The server notes a question a moment after it came. It would not tell one that it notes after the deletion.
      while ((await consumers.info('s', 'c')).num_waiting === 0) await sleep(5);
      await consumers.delete('s', 'c');
      await told;
    });

    test('one question for each consumer, until its time is over or it is given up', async () => {
      connection.subscribe('$JS.API.CONSUMER.MSG.NEXT.>', {
        callback: (_, { subject }) => void asked.push(subject),
      });
      assert.equal(await pull(0), undefined);
      assert.equal(await pull(300), undefined);
      const stopping = new AbortController();
      const waiting = pull(LONG_MS, stopping.signal);
      await connection.flush();
      stopping.abort();
      assert.equal(await waiting, undefined);
      assert.equal(await pull(LONG_MS, stopping.signal), undefined);
      assert.equal(asked.length, 6, asked.join());
    });

    test('a worker without jobs asks seldom, and says nothing before its first connection', async (t) => {
      const world = await testStorage();
      const told: string[] = [];
      const { db } = world.database;
      const engine = new NatsEngine(db, { servers: server.url }, (error) => told.push(String(error)));
      t.after(async () => {
        await engine.close();
        await world.close();
      });
      await engine.start();
      asked.length = 0;
      await engine.work(async () => 'settled');
      const hasBegun = () => asked.length >= 16; // four kinds, two priorities: at once, then with patience
      for (const end = Date.now() + LONG_MS; !hasBegun() && Date.now() < end;) await sleep(20);
      await sleep(1_000);
      assert.equal(asked.length, 16);
      assert.deepEqual(told, []);
    });
  },
);
