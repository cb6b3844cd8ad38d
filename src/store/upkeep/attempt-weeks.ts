import { sql, type Kysely } from 'kysely';
import { idFloor } from '../../base/ids.ts';
import { DAY_MS } from '../../base/time.ts';
import { errorCode } from '../connection/error-code.ts';
import type { Database } from '../schema.ts';

const WEEK_MS = 7 * DAY_MS;
const AHEAD_MS = 2 * WEEK_MS; // time until which partitions are made ahead
const LOCK = sql.raw(`'500ms'`); // calls wait behind the wait for a lock, so it is short; the next hour tries again
const LOCK_NOT_AVAILABLE = '55P03'; // PostgreSQL, appendix A
/** Key of the advisory lock of the process that makes and drops partitions: "gw-weeks" in ASCII. */
const WEEKS_LOCK = sql.raw(`x'67772d7765656b73'::bigint`);

/** A partition of `delivery_attempts` and the end of its ids, which is not in it. */
interface Part {
  readonly name: string;
  readonly end: string;
}

/**
 * Makes the partitions of the coming weeks, and drops those whose deliveries are all older than a time. Attempts of
 * deliveries without a partition are in `delivery_attempts_rest`, so none is ever refused. Does nothing while another
 * process does it, or while a call holds a table for long: the next call makes up for it.
 * @param beforeMs time before which attempts may be deleted [ms]
 */
export async function keepAttemptWeeks(db: Kysely<Database>, nowMs: number, beforeMs: number): Promise<void> {
  const alone = async (work: (transaction: Kysely<Database>) => Promise<unknown>): Promise<void> => {
    try {
      await db.transaction().execute(async (transaction) => {
        const { rows } = await sql<{
          alone: boolean;
        }>`select pg_try_advisory_xact_lock(${WEEKS_LOCK}) as alone,
          set_config('lock_timeout', ${LOCK}, true)`.execute(transaction);
        if (rows[0]?.alone === true) await work(transaction);
      });
    } catch (error) {
      if (errorCode(error) !== LOCK_NOT_AVAILABLE) throw error;
    }
  };
  await alone((transaction) => makeWeeks(transaction, nowMs, beforeMs));
  const old = idFloor('delivery', Math.max(0, beforeMs));
  for (const { name, end } of await parts(db))
    if (end <= old)
      await alone((transaction) => sql`drop table if exists ${sql.id(name)}`.execute(transaction));
  await sql`delete from delivery_attempts_rest where attempted_at < ${new Date(beforeMs)}`.execute(db);
}

/** Lists the partitions, oldest first, without the one of the rest. */
async function parts(db: Kysely<Database>): Promise<readonly Part[]> {
  const { rows } = await sql<Part>`
    select relname as name, substring(pg_get_expr(relpartbound, oid) from $$ TO \\('(.*)'\\)$$) as end
    from pg_class join pg_inherits on inhrelid = oid
    where inhparent = 'delivery_attempts'::regclass and relname <> 'delivery_attempts_rest'`.execute(db);
  return rows.toSorted((a, b) => (a.end < b.end ? -1 : 1));
}

/** Makes the missing partitions, after the last one or from the first week that is not too old. */
async function makeWeeks(db: Kysely<Database>, nowMs: number, beforeMs: number): Promise<void> {
  const last = (await parts(db)).at(-1)?.end ?? '';
  const firstMs = Math.max(0, Math.floor(beforeMs / WEEK_MS) * WEEK_MS);
  for (let fromMs = firstMs; fromMs < nowMs + AHEAD_MS; fromMs += WEEK_MS)
    if (idFloor('delivery', fromMs) >= last) await makeWeek(db, fromMs);
}

/** Makes a partition, with the rows that the rest has of it. */
async function makeWeek(db: Kysely<Database>, fromMs: number): Promise<void> {
  const name = sql.id(`delivery_attempts_${new Date(fromMs).toISOString().slice(0, 10).replaceAll('-', '')}`);
  const [from, to] = [fromMs, fromMs + WEEK_MS].map((ms) => sql.lit(idFloor('delivery', ms)));
  for (const statement of [
    sql`create table ${name} (like delivery_attempts including all)`,
    sql`alter table ${name} enable row level security`,
    sql`lock table delivery_attempts_rest in access exclusive mode`,
    sql`with moved as (delete from delivery_attempts_rest where delivery_id >= ${from} and delivery_id < ${to} returning *)
      insert into ${name} select * from moved`,
    sql`alter table delivery_attempts attach partition ${name} for values from (${from}) to (${to})`,
  ])
    await statement.execute(db);
}
