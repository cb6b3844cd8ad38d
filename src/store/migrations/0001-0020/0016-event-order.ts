import { sql, type Kysely } from 'kysely';
import { ACCOUNT, ENVIRONMENT, policy } from '../../connection/row-policy.ts';

/**
 * Gives events an order of their own. `seq` is null when an event is written. After the commit it gets the next number
 * of its owner, whose last number is in `event_heads` (see `store/events/event-order.ts`). Events written before this migration
 * have `seq` 0 and stay in order of (xid, id), without a rewrite of the table.
 *
 * The former release reads events in order of (xid, id) and hides those from the oldest open transaction on. It may run
 * beside this one during an upgrade. Until `by_xid_until`, an hour after the migration, events get their numbers in the
 * same order, so that a reader may change between nodes of both releases.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  const { rows } = await sql<{ until: string }>`
    select case when exists (select from accounts) then (now() + interval '1 hour')::text else '-infinity' end as until`.execute(
    db,
  );
  for (const statement of [
    sql`alter table events add column seq bigint default 0`,
    sql`alter table events alter column seq drop default`,
    sql`create index events_unordered on events (account_id, environment, xid, id) where seq is null`,
    // The condition on the type is that of `NAMED_ONLY` in contract/events.ts.
    sql`create index events_listed on events (account_id, environment, seq, xid, id)
      where seq is not null and type <> 'change.suspected'`,
    sql`create index events_by_type on events (account_id, environment, type, seq, xid, id) where seq is not null`,
    sql`create table event_heads (
      account_id text collate "C" not null references accounts,
      environment environment not null,
      seq bigint not null default 0,
      by_xid_until timestamptz not null default ${sql.lit(rows[0]!.until)}::timestamptz,
      primary key (account_id, environment)
    )`,
  ])
    await statement.execute(db);
  await policy(db, 'event_heads', 'all', sql`account_id = ${ACCOUNT} and environment = ${ENVIRONMENT}`);
}
