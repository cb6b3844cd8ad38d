import { sql, type Kysely, type RawBuilder } from 'kysely';
import type { EventLog, EventPosition, LoggedEvent } from '../../app/events/event-log.ts';
import type { Owner } from '../../app/owner.ts';
import { NAMED_ONLY } from '../../contract/events.ts';
import { PAGE_BYTES } from '../../contract/limits.ts';
import { wholeRows } from '../connection/page-weight.ts';
import { orderEvents } from './event-order.ts';
import type { Database } from '../schema.ts';

/** Higher than every transaction id: a position after all events with a number. */
const LAST_XID = '18446744073709551615';

/** Row of a page query. If there are no events, the query returns one row with only the first two columns. */
interface PageRow {
  readonly head: number;
  readonly unordered: boolean;
  readonly seq: number | null;
  readonly xid: string;
  readonly id: string;
  readonly type: LoggedEvent['type'];
  /** Null when the page is full before this event. */
  readonly body: string | null;
}

/** Types that are listed without being asked for; the text equals the condition of the index `events_listed`. */
const LISTED = sql.join(
  NAMED_ONLY.map((type) => sql`type <> ${sql.lit(type)}`),
  sql` and `,
);

/** Size of the events of a page before an event [bytes]. It is known without reading them. */
const before = (direction: RawBuilder<unknown>) => sql`sum(octet_length(body)) over (
  order by seq ${direction}, xid ${direction}, id ${direction} rows unbounded preceding) - octet_length(body)`;

/** Position after all events that have the number or a lower one. */
const endAt = (seq: number): EventPosition => ({ seq, xid: LAST_XID, id: '' });

/**
 * Events in the order of their numbers, see `event-order.ts`. A reader first numbers what was committed since, so that
 * it sees its own events at once and does not depend on the worker that numbers the rest.
 */
export function eventLog(db: Kysely<Database>): EventLog {
  const theirs = ({ accountId, environment }: Owner) =>
    sql`account_id = ${accountId} and environment = ${environment}`;
  const log = ({ accountId, environment }: Owner) => sql`
    select coalesce((select seq from event_heads where ${theirs({ accountId, environment })}), 0) as head,
      exists (select from events where ${theirs({ accountId, environment })} and seq is null) as unordered`;
  return {
    async find(owner, id) {
      const { rows } = await sql<Omit<LoggedEvent, 'seq'> & { readonly seq: number | null }>`
        select seq, xid::text, id, type, body from events where id = ${id} and ${theirs(owner)}`.execute(db);
      const [found] = rows;
      if (found === undefined) return undefined;
      const { seq, xid, ...event } = found;
      return { ...event, position: seq === null ? undefined : { seq, xid, id } };
    },
    async page(owner, { after, newestFirst = false, type, limit }) {
      const [follows, direction] = newestFirst ? [sql`<`, sql`desc`] : [sql`>`, sql`asc`];
      const read = async () => {
        const { rows } = await sql<PageRow>`
          select log.head, log.unordered, found.*
          from (${log(owner)}) log left join lateral (
            select seq, xid::text, id, type, case when ${before(direction)} < ${PAGE_BYTES}::int then body end as body
            from events
            where ${theirs(owner)} and seq is not null and ${type === undefined ? LISTED : sql`type = ${type}`}
              and ${after === undefined ? sql`true` : sql`(seq, xid, id) ${follows} (${after.seq}, ${after.xid}::xid8, ${after.id})`}
            order by events.seq ${direction}, events.xid ${direction}, events.id ${direction}
            limit ${limit + 1}
          ) found on true`.execute(db);
        return rows;
      };
      let rows = await read();
      if (rows[0]!.unordered) {
        await orderEvents(db, owner);
        // Read again also if nothing was left to number: another process numbered the events meanwhile.
        rows = await read();
      }
      const found = rows.filter((row): row is PageRow & { seq: number } => row.seq !== null);
      const events = wholeRows(found, ({ body }) => body).slice(0, limit);
      return {
        events: events as readonly (LoggedEvent & { seq: number })[],
        more: events.length < found.length,
        end: endAt(rows[0]!.head),
      };
    },
    async end(owner) {
      for (let numbered = -1; ; numbered = await orderEvents(db, owner)) {
        const { rows } = await sql<Pick<PageRow, 'head' | 'unordered'>>`${log(owner)}`.execute(db);
        if (!rows[0]!.unordered || numbered === 0) return endAt(rows[0]!.head);
      }
    },
    async news(readers) {
      if (readers.length === 0) return [];
      const asked = readers.map(({ owner, from }, place) => ({
        place,
        account_id: owner.accountId,
        environment: owner.environment,
        seq: from.seq,
      }));
      const { rows } = await sql<{ place: number }>`
        select place
        from jsonb_to_recordset(${JSON.stringify(asked)}::jsonb)
          as reader(place int, account_id text, environment environment, seq bigint)
        where exists (
          select from event_heads
          where event_heads.account_id = reader.account_id and event_heads.environment = reader.environment
            and event_heads.seq > reader.seq
        ) or exists (
          select from events
          where events.account_id = reader.account_id and events.environment = reader.environment
            and events.seq is null
        )`.execute(db);
      return rows.map(({ place }) => place);
    },
  };
}
