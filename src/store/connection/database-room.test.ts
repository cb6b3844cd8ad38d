import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Pool, PoolClient } from 'pg';
import { NoRoom } from '../../base/errors.ts';
import { DatabaseRoom } from './database-room.ts';
import { preparingPool } from './prepared.ts';

const failure = (code: string): Error =>
  Object.assign(new Error('could not extend file "base/16384/16650": No space left on device'), { code });

/** A server whose statements that write fail with a code, and the statements that it was asked. */
function server(state: { code: string | undefined }) {
  const asked: string[] = [];
  const client = {
    query(text: string): Promise<object> {
      asked.push(text);
      const writes = /^(?:insert|create)/.test(text);
      return writes && state.code !== undefined
        ? Promise.reject(failure(state.code))
        : Promise.resolve({ rows: [] });
    },
    release: () => undefined,
  } as unknown as PoolClient;
  return { asked, client, pool: { connect: () => Promise.resolve(client) } as unknown as Pool };
}

test('a statement for which the server has no room is told as such, and by a trial when there is room again', async (t) => {
  let nowMs = 10_000;
  t.mock.method(performance, 'now', () => nowMs);
  const state: { code: string | undefined } = { code: undefined };
  const { asked, client, pool } = server(state);
  const room = new DatabaseRoom();
  const lent = await preparingPool({ options: {}, lend: () => Promise.resolve(client), room }).connect();
  const write = () => lent.query('insert into t values (1)', []);

  await write();
  assert.equal(await room.isLacking(pool), false);
  assert.deepEqual(asked, ['insert into t values (1)'], 'nothing is tried while nothing has failed');

  state.code = '23505';
  await assert.rejects(write(), (error) => !(error instanceof NoRoom));
  assert.equal(await room.isLacking(pool), false);

  state.code = '53100';
  await assert.rejects(write(), (error: unknown) => {
    assert.ok(error instanceof NoRoom);
    assert.match(
      error.message,
      /^The disk of the database is full: nothing was stored.*could not extend file/,
    );
    assert.equal(error.code, '53100');
    return true;
  });
  asked.length = 0;
  assert.deepEqual(await Promise.all([room.isLacking(pool), room.isLacking(pool)]), [true, true]);
  assert.equal(asked.filter((text) => text === 'begin').length, 1, 'calls at once share a trial');
  assert.equal(asked.at(-1), 'rollback');

  state.code = undefined;
  assert.equal(await room.isLacking(pool), true, 'within a second the last trial counts');
  nowMs += 1_001;
  assert.equal(await room.isLacking(pool), false);
});

test('a trial that fails otherwise does not say that room is lacking', async () => {
  const { pool } = server({ code: '42501' });
  const room = new DatabaseRoom();
  room.noticed(failure('53100'));
  assert.equal(await room.isLacking(pool), false);
});

test('a server without room for a new connection lacks room, and still does when the trial has none', async (t) => {
  let nowMs = 10_000;
  t.mock.method(performance, 'now', () => nowMs);
  const refusing = (code: string) => ({ connect: () => Promise.reject(failure(code)) });
  const room = new DatabaseRoom();
  const pool = preparingPool({ options: {}, lend: () => refusing('53100').connect(), room });
  await assert.rejects(pool.connect(), NoRoom);
  assert.equal(await room.isLacking(refusing('53100')), true);

  nowMs += 1_001;
  await assert.rejects(
    room.isLacking(refusing('57P03')),
    /could not extend/,
    'a server that starts says nothing',
  );
  assert.equal(await room.isLacking(server({ code: undefined }).pool), false);
});
