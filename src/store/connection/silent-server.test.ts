import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';
import { dropDatabase, emptyDatabase } from '../../../test/fixtures/database.ts';
import { wayTo } from '../../../test/fixtures/database-way.ts';
import { Unavailable } from '../../base/errors.ts';
import { endSilently, workingOn, type Working } from './silent-server.ts';

const AFTER_MS = 200;

test('a statement ends when its server is silent, and only then', async (t) => {
  const url = await emptyDatabase();
  const way = await wayTo(url);
  t.after(async () => {
    way.close();
    await dropDatabase(url);
  });
  const connection = { connectionString: way.url };
  const open = async (working: Working): Promise<Client> => {
    const client = new Client(connection);
    client.on('error', () => undefined);
    await client.connect();
    endSilently(client, AFTER_MS, working);
    t.after(() => client.end().catch(() => undefined));
    return client;
  };

  let asked = 0;
  const ask = workingOn(connection, false);
  const counted: Working = () => (asked++, ask());
  const slow = await open(counted);
  await slow.query('select pg_sleep(1.5)');
  assert.ok(asked > 0, 'the server was asked, and works on it');
  const before = asked;
  await sleep(3 * AFTER_MS);
  assert.equal(asked, before, 'nobody waits for an idle connection');

  // A server that was replaced: it answers, but has no such process.
  const replaced = await open(() => Promise.resolve(new Set<number>()));
  await assert.rejects(replaced.query('select pg_sleep(60)'), Unavailable);

  const silenced = await open(() => Promise.resolve(new Error('no answer')));
  const waiting = assert.rejects(silenced.query('select pg_sleep(60)'), /no answer/);
  way.silence();
  await waiting;
});
