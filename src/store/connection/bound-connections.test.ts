import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from 'kysely';
import { NoPlace } from '../../base/fair-queue.ts';
import { testStorage } from '../../../test/fixtures/storage.ts';

/** Holds connections of an owner until `release` is called. */
function hold(db: ReturnType<Awaited<ReturnType<typeof testStorage>>['database']['boundTo']>, count: number) {
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  const begun = Array.from({ length: count }, () => Promise.withResolvers<void>());
  const done = Promise.allSettled(
    begun.map((one) =>
      db.connection().execute(async () => {
        one.resolve();
        await released;
      }),
    ),
  );
  return { begun: begun.map(({ promise }) => promise), release, done };
}

test('an account gets half of the connections; others find one at once, and who waits too long is told the limit', async () => {
  const world = await testStorage();
  const greedy = world.database.boundTo(world.owner);
  const held = hold(greedy, 8);
  try {
    await Promise.all(held.begun.slice(0, 3));
    // The same account in another environment shares its part.
    const late = sql`select 1`.execute(world.database.boundTo(world.others[0]!));
    late.catch(() => undefined);
    const other = await sql<{ one: number }>`select 1 as one`.execute(
      world.database.boundTo(world.others[1]!),
    );
    assert.deepEqual(other.rows, [{ one: 1 }]);
    await assert.rejects(
      late,
      (error) =>
        error instanceof NoPlace && error.message.endsWith('database connections of this account: 3'),
    );
    held.release();
    await held.done;
    assert.deepEqual((await sql<{ one: number }>`select 1 as one`.execute(greedy)).rows, [{ one: 1 }]);
  } finally {
    held.release();
    await held.done;
    await world.close();
  }
});

test('a connection that fails gives its place back', async () => {
  const world = await testStorage();
  try {
    const db = world.database.boundTo(world.owner);
    for (let i = 0; i < 6; i++) {
      await assert.rejects(sql`select nothing`.execute(db));
      await assert.rejects(sql`select pg_terminate_backend(pg_backend_pid())`.execute(db));
    }
    assert.deepEqual((await sql<{ one: number }>`select 1 as one`.execute(db)).rows, [{ one: 1 }]);
  } finally {
    await world.close();
  }
});
