import { sql, type Kysely } from 'kysely';
import type { EventLog, LoggedEvent } from '../app/events/event-log.ts';
import { NAMED_ONLY } from '../contract/events.ts';
import type { Database } from './schema.ts';

/** Row of a page query. If there are no events, the query returns one row with only the horizon. */
interface PageRow {
  readonly horizon: string;
  readonly xid: string | null;
  readonly id: string;
  readonly type: LoggedEvent['type'];
  readonly body: string;
}

/**
 * Events in order of (transaction id, event id). Events of the oldest open transaction and of all later transactions
 * are hidden, so that a reader who continues after the last event seen does not miss an event that is committed late.
 */
export function eventLog(db: Kysely<Database>): EventLog {
  return {
    async find(owner, id) {
      const { rows } = await sql<LoggedEvent>`
        select xid::text, id, type, body from events
        where id = ${id} and account_id = ${owner.accountId} and environment = ${owner.environment}`.execute(
        db,
      );
      return rows[0];
    },
    async page(owner, { after, newestFirst = false, type, limit }) {
      const [follows, direction] = newestFirst ? [sql`<`, sql`desc`] : [sql`>`, sql`asc`];
      const { rows } = await sql<PageRow>`
        with snapshot as (select pg_snapshot_xmin(pg_current_snapshot()) as horizon)
        select snapshot.horizon::text, found.*
        from snapshot left join lateral (
          select xid::text, id, type, body from events
          where account_id = ${owner.accountId} and environment = ${owner.environment}
            and events.xid < snapshot.horizon
            and ${after === undefined ? sql`true` : sql`(events.xid, events.id) ${follows} (${after.xid}::xid8, ${after.id})`}
            and ${type === undefined ? sql`events.type <> all(${NAMED_ONLY}::text[])` : sql`events.type = ${type}`}
          order by events.xid ${direction}, events.id ${direction}
          limit ${limit + 1}
        ) found on true`.execute(db);
      const events = rows.filter((row): row is PageRow & { xid: string } => row.xid !== null);
      return {
        events: events.slice(0, limit),
        more: events.length > limit,
        horizon: { xid: rows[0]!.horizon, id: '' },
      };
    },
    async horizon() {
      const { rows } = await sql<{ xid: string }>`
        select pg_snapshot_xmin(pg_current_snapshot())::text as xid`.execute(db);
      return { xid: rows[0]!.xid, id: '' };
    },
    async news(readers) {
      if (readers.length === 0) return [];
      const asked = readers.map(({ owner, from }, place) => ({
        place,
        account_id: owner.accountId,
        environment: owner.environment,
        xid: from.xid,
        id: from.id,
      }));
      const { rows } = await sql<{ place: number }>`
        select place
        from jsonb_to_recordset(${JSON.stringify(asked)}::jsonb)
          as reader(place int, account_id text, environment environment, xid text, id text)
        where exists (
          select from events
          where events.account_id = reader.account_id and events.environment = reader.environment
            and (events.xid, events.id) > (reader.xid::xid8, reader.id)
            and events.xid < pg_snapshot_xmin(pg_current_snapshot())
        )`.execute(db);
      return rows.map(({ place }) => place);
    },
  };
}
