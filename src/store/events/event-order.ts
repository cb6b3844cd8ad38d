import { sql, type Kysely } from 'kysely';
import type { Environment, Owner } from '../../app/owner.ts';
import { inTransaction } from '../connection/transaction.ts';
import type { Database } from '../schema.ts';

/** Whether events have no number yet, for the pulse. `order by` makes the planner use the index of these events. */
export const EVENTS_WAIT =
  '(select true from events where seq is null order by account_id, environment limit 1)';
/** Maximum number of events that get their numbers in one transaction, which then takes some 10 ms. */
const ORDERED_AT_ONCE = 1_000;

/**
 * Numbers committed events of one owner that have no number yet, oldest transaction first.
 *
 * The lock on the owner's head lets one transaction at a time give numbers. The numbers of later transactions are
 * higher, so no event ever appears before an event that a reader has seen. Open transactions do not delay this: their
 * events get their numbers after they commit. A crash leaves events without numbers, which are numbered later.
 * @returns the count of numbered events, at most `ORDERED_AT_ONCE`
 */
export async function orderEvents(db: Kysely<Database>, owner: Owner): Promise<number> {
  const { accountId, environment } = owner;
  const theirs = sql`account_id = ${accountId} and environment = ${environment}`;
  return inTransaction(db, async (transaction) => {
    await sql`insert into event_heads (account_id, environment) values (${accountId}, ${environment})
      on conflict do nothing`.execute(transaction);
    const { rows: heads } = await sql<{ seq: number; by_xid: boolean }>`
      select seq, by_xid_until > now() as by_xid from event_heads where ${theirs} for no key update`.execute(
      transaction,
    );
    const { seq, by_xid: byXid } = heads[0]!;
    // A separate statement: its snapshot contains what the previous holder of the lock has committed.
    const { rows } = await sql`
      update events set seq = numbered.seq
      from (
        select id, ${seq}::bigint + row_number() over (order by xid, id) as seq
        from (
          select id, xid from events
          where ${theirs} and seq is null
            and ${byXid ? sql`xid < pg_snapshot_xmin(pg_current_snapshot())` : sql`true`}
          order by xid, id limit ${ORDERED_AT_ONCE}
        ) oldest
      ) numbered
      where events.id = numbered.id
      returning events.id`.execute(transaction);
    if (rows.length > 0)
      await sql`update event_heads set seq = ${seq + rows.length} where ${theirs}`.execute(transaction);
    return rows.length;
  });
}

/** Numbers all committed events of all owners. @returns the count of numbered events */
export async function orderAllEvents(db: Kysely<Database>): Promise<number> {
  // Skips from one owner to the next in the index, so the cost does not depend on the number of events.
  const { rows } = await sql<{ account_id: string; environment: Environment }>`
    with recursive waiting as (
      (select account_id, environment from events where seq is null order by account_id, environment limit 1)
      union all
      select next.* from waiting cross join lateral (
        select account_id, environment from events
        where seq is null and (account_id, environment) > (waiting.account_id, waiting.environment)
        order by account_id, environment limit 1
      ) next
    ) select account_id, environment from waiting`.execute(db);
  let total = 0;
  let left = rows.map(({ account_id: accountId, environment }): Owner => ({ accountId, environment }));
  while (left.length > 0) {
    const unfinished: Owner[] = [];
    for (const owner of left) {
      const count = await orderEvents(db, owner);
      total += count;
      if (count === ORDERED_AT_ONCE) unfinished.push(owner);
    }
    left = unfinished;
  }
  return total;
}
