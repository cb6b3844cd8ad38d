import { sql, type Kysely } from 'kysely';
import { idFloor } from '../../base/ids.ts';
import { DAY_MS } from '../../base/time.ts';
import { ACCOUNT, policy, secure } from '../connection/row-policy.ts';

const WEEK_MS = 7 * DAY_MS;
const AHEAD_MS = DAY_MS; // minimum time from now until rows no longer go to the former table
/** Shorter than `deadlock_timeout` (1 s): in a deadlock with calls this is ended and tried again, and no call is. */
const LOCK = sql.raw(`'500ms'`);

/**
 * Divides `delivery_attempts` by the ids of deliveries, which begin with their time, so that what is too old is dropped
 * as whole weeks (see `store/upkeep/attempt-weeks.ts`). The former table becomes the partition of all deliveries until
 * the end of this week. Its rows are read once, to check that, and not copied. Deliveries of which no partition is made
 * yet go to `delivery_attempts_rest`.
 *
 * A reference to `deliveries` would look for each deleted delivery in each partition, so there is none. Attempts of an
 * endpoint that is removed are deleted by a trigger, also for the release before; others stay, unseen, until their
 * week is dropped.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  const bound = idFloor('delivery', Math.ceil((Date.now() + AHEAD_MS) / WEEK_MS) * WEEK_MS);
  for (const statement of [
    sql`set local lock_timeout = ${LOCK}`,
    // In the order in which calls and workers lock them.
    sql`lock table webhooks in share row exclusive mode`,
    sql`lock table deliveries in access exclusive mode`,
    sql`lock table delivery_attempts in access exclusive mode`,
    sql`alter table delivery_attempts drop constraint delivery_attempts_delivery_id_fkey`,
    sql`drop policy bound_select on delivery_attempts`,
    sql`alter table delivery_attempts rename to delivery_attempts_before`,
    sql`alter table delivery_attempts_before rename constraint delivery_attempts_pkey to delivery_attempts_before_pkey`,
    // Only the whole is reached by connections that are bound to an owner.
    sql`do $$ begin
      if exists (select from pg_roles where rolname = 'groundwatch_runtime') then
        revoke all on delivery_attempts_before from groundwatch_runtime;
      end if;
    end $$`,
    sql`create table delivery_attempts (
      account_id text collate "C" not null,
      delivery_id text collate "C" not null,
      attempt integer not null,
      attempted_at timestamptz not null,
      duration_ms integer not null,
      status integer,
      answer text,
      error text,
      primary key (delivery_id, attempt)
    ) partition by range (delivery_id)`,
    sql`alter table delivery_attempts attach partition delivery_attempts_before
      for values from (minvalue) to (${sql.lit(bound)})`,
    sql`create table delivery_attempts_rest partition of delivery_attempts default`,
    // With the rights of the owner of the tables: a bound connection may not delete attempts.
    sql`create function delete_attempts_of_webhook() returns trigger language plpgsql security definer
      set search_path from current as $$ begin
        delete from delivery_attempts where delivery_id in (select id from deliveries where webhook_id = old.id);
        return old;
      end $$`,
    sql`create trigger webhooks_attempts before delete on webhooks
      for each row execute function delete_attempts_of_webhook()`,
  ])
    await statement.execute(db);
  await secure(db, 'delivery_attempts_rest');
  await policy(
    db,
    'delivery_attempts',
    'select',
    sql`account_id = ${ACCOUNT} and exists (select from deliveries where deliveries.id = delivery_id)`,
  );
}
