/**
 * Deletion of the attempts of deliveries that are too old: dropping a week, and deleting its rows, which is what the
 * removal of their deliveries did before they were kept by week. Prints time, dead rows, and the bytes that are free
 * again. Also how long the table is locked when a migration makes the former table the first partition. Give numbers of
 * attempts as NAME...; the default is 10000 100000 1000000.
 */
import { sql } from 'kysely';
import { idFloor } from '../src/base/ids.ts';
import { DAY_MS } from '../src/base/time.ts';
import { keepAttemptWeeks } from '../src/store/upkeep/attempt-weeks.ts';
import { testStorage } from '../test/fixtures/storage.ts';

const WEEK_MS = 7 * DAY_MS;
const KEPT_MS = 30 * DAY_MS;

const counts = process.argv.slice(2).map(Number);
for (const count of counts.length > 0 ? counts : [10_000, 100_000, 1_000_000]) {
  const world = await testStorage();
  const { db, pool } = world.database;
  const atMs = Math.ceil(Date.now() / WEEK_MS) * WEEK_MS + 2 * WEEK_MS;
  await keepAttemptWeeks(db, atMs, atMs - KEPT_MS);
  const client = await pool.connect();
  await client.query('set statement_timeout = 0');
  const timed = async (statement: string): Promise<number> => {
    const began = performance.now();
    await client.query(statement);
    return performance.now() - began;
  };
  /** Fills a week with attempts. @returns its partition */
  const fill = async (fromMs: number): Promise<string> => {
    await client.query(`insert into delivery_attempts (account_id, delivery_id, attempt, attempted_at, duration_ms, status, answer)
      select '${world.owner.accountId}', '${idFloor('delivery', fromMs)}' || lpad(to_hex(i), 16, '0'), 1,
        to_timestamp(${fromMs / 1000}), 20, 200, '{"received": true}' from generate_series(1, ${count}) as i`);
    const { rows } = await client.query<{ name: string }>(
      `select tableoid::regclass::text as name from delivery_attempts where delivery_id >= $1 limit 1`,
      [idFloor('delivery', fromMs)],
    );
    const name = rows[0]!.name;
    await client.query(`vacuum analyze ${name}`);
    return name;
  };
  const size = async (name: string): Promise<number> => {
    const { rows } = await client.query<{ size: string }>(
      `select coalesce(pg_total_relation_size(to_regclass($1)), 0)::text as size`,
      [name],
    );
    return Number(rows[0]!.size) / 1e6;
  };
  const dropped = await fill(atMs);
  const deleted = await fill(atMs + WEEK_MS);
  const laterMs = atMs + WEEK_MS + KEPT_MS;
  await keepAttemptWeeks(db, laterMs, atMs);
  await client.query('checkpoint');
  const full = await size(dropped);
  const began = performance.now();
  await keepAttemptWeeks(db, laterMs, atMs + WEEK_MS);
  const drop = performance.now() - began;
  const afterDrop = await size(dropped);
  const remove = await timed(`delete from ${deleted}`);
  await client.query('select pg_stat_force_next_flush()');
  const dead = await sql<{
    dead: number;
  }>`select pg_stat_get_dead_tuples(${deleted}::regclass) as dead`.execute(db);
  const afterDelete = await size(deleted);
  const locked = await timed(
    `alter table ${deleted} add constraint checked check (delivery_id < '${idFloor('delivery', atMs + 2 * WEEK_MS)}')`,
  );
  console.log(
    `${count} attempts, ${full.toFixed(1)} MB: the week is dropped in ${drop.toFixed(0)} ms, 0 dead rows, ${afterDrop.toFixed(1)} MB left; ` +
      `its rows are deleted in ${remove.toFixed(0)} ms, ${dead.rows[0]!.dead} dead rows, ${afterDelete.toFixed(1)} MB left; checked in ${locked.toFixed(0)} ms`,
  );
  client.release(true);
  await world.close();
}
process.exit(0);
