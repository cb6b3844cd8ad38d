import { sql, type Kysely, type RawBuilder } from 'kysely';
import type { Feed } from '../../app/feed-turns.ts';
import type { Environment } from '../../app/owner.ts';
import type { Database } from '../schema.ts';

/** Columns that the tables of all feeds have. */
export interface FeedRow {
  readonly id: string;
  readonly environment: Environment;
  readonly account_id: string | null;
  readonly name: string;
  readonly starts_at: Date;
  readonly every_s: number;
  readonly next_at: Date;
}

/** A row of a feed that was leased. */
export type HeldRow<Row> = Row & { readonly is_due: boolean };

/** Values that are set when a feed's lease ends, by column. */
export type FeedChanges = Readonly<Record<string, unknown>>;

/** Returns what the rows of all feeds have in common. */
export function feedOf(row: FeedRow): Feed {
  return {
    id: row.id,
    environment: row.environment,
    accountId: row.account_id,
    name: row.name,
    startsAt: row.starts_at,
    everyMs: row.every_s * 1000,
    nextAt: row.next_at,
  };
}

/** A moment in the future, by the clock of the database. */
export const inMs = (ms: number): RawBuilder<Date> => sql<Date>`now() + ${ms} * interval '1 millisecond'`;

/**
 * The feeds in a table, and their leases.
 * @param isDue condition for the row `feed` to be leased without being named
 * @param isOpen condition for it to be leased at all
 */
export function feedRows<Row extends FeedRow>(
  db: Kysely<Database>,
  name: 'standing_feeds' | 'station_feeds',
  isDue: RawBuilder<boolean>,
  isOpen: RawBuilder<boolean> = sql`true`,
) {
  const table = sql.table(name);
  const rowsOf = async <T>(statement: RawBuilder<T>): Promise<readonly T[]> =>
    (await statement.execute(db)).rows;
  return {
    /** Adds a row. @param own values of the columns that only this table has */
    async create(feed: Omit<Feed, 'nextAt'>, own: FeedChanges): Promise<boolean> {
      const values = {
        id: feed.id,
        environment: feed.environment,
        account_id: feed.accountId,
        name: feed.name,
        starts_at: feed.startsAt,
        every_s: Math.round(feed.everyMs / 1000),
        ...own,
      };
      const made = await rowsOf(sql`
        insert into ${table} (${sql.join(Object.keys(values).map((column) => sql.ref(column)))})
        values (${sql.join(Object.values(values))}) on conflict (environment, name) do nothing returning id`);
      return made.length > 0;
    },
    list: () => rowsOf(sql<Row>`select * from ${table} order by name`),
    async find(environment: Environment, feed: string): Promise<Row | undefined> {
      const rows = await rowsOf(
        sql<Row>`select * from ${table} where environment = ${environment} and name = ${feed}`,
      );
      return rows[0];
    },
    async remove(id: string): Promise<void> {
      await rowsOf(sql`delete from ${table} where id = ${id}`);
    },
    async hold(holder: string, forMs: number, id: string | undefined): Promise<HeldRow<Row> | undefined> {
      const rows = await rowsOf(sql<HeldRow<Row>>`
        update ${table} set holder = ${holder}, held_until = ${inMs(forMs)} where id = (
          select feed.id from ${table} as feed
          where (feed.holder is null or feed.held_until < now())
            and ${id === undefined ? isDue : sql`feed.id = ${id}`}
            and ${isOpen}
          order by feed.next_at limit 1 for update of feed skip locked
        ) returning *, next_at <= now() as is_due`);
      return rows[0];
    },
    async renew(id: string, holder: string, forMs: number): Promise<boolean> {
      const held = await rowsOf(sql`
        update ${table} set held_until = ${inMs(forMs)} where id = ${id} and holder = ${holder} returning id`);
      return held.length > 0;
    },
    async release(id: string, holder: string, changes: FeedChanges): Promise<void> {
      const sets = Object.entries({ holder: null, held_until: null, ...changes }).map(
        ([column, value]) => sql`${sql.ref(column)} = ${value}`,
      );
      await rowsOf(sql`update ${table} set ${sql.join(sets)} where id = ${id} and holder = ${holder}`);
    },
  };
}
