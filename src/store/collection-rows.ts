import { sql, type Kysely, type Selectable } from 'kysely';
import type { Owner } from '../app/owner.ts';
import { markCollection } from './incidents/incident-marks.ts';
import type { CollectionsTable, Database } from './schema.ts';

type Row = Selectable<CollectionsTable>;

/** The queries that collections of rasters and of points share. */
export interface CollectionRows {
  /** Query of the collections that an account may read: its own and those shared by all accounts. */
  readonly readable: (owner: Owner) => ReturnType<typeof ofKind>;
  readonly find: (id: string) => Promise<Row | undefined>;
  /** Collections of one account (null: shared by all accounts) with this name, oldest first. */
  readonly byName: (
    environment: Row['environment'],
    accountId: string | null,
    name: string,
  ) => Promise<Row[]>;
  /** All collections by environment, account and name; shared ones come first. */
  readonly list: () => Promise<Row[]>;
  /** Number of the collections that an account may read, by metric. */
  readonly countByMetric: (owner: Owner) => Promise<Map<string, number>>;
  /** Removes a collection, and with it all rows that refer to it. */
  readonly remove: (id: string) => Promise<void>;
}

const ofKind = (db: Kysely<Database>, kind: Row['kind']) =>
  db.selectFrom('collections').where('kind', '=', kind);

/** Returns the queries for collections of one kind. */
export function collectionRows(db: Kysely<Database>, kind: Row['kind']): CollectionRows {
  const collections = () => ofKind(db, kind);
  const readable = (owner: Owner) =>
    collections()
      .where('environment', '=', owner.environment)
      .where((eb) => eb.or([eb('account_id', 'is', null), eb('account_id', '=', owner.accountId)]));
  return {
    readable,
    find: (id) => collections().selectAll().where('id', '=', id).executeTakeFirst(),
    byName: (environment, accountId, name) =>
      collections()
        .selectAll()
        .where('environment', '=', environment)
        .where('account_id', accountId === null ? 'is' : '=', accountId)
        .where('name', '=', name)
        .orderBy('created_at')
        .orderBy('id')
        .execute(),
    list: () =>
      collections()
        .selectAll()
        .orderBy('environment')
        .orderBy('account_id', (order) => order.nullsFirst())
        .orderBy('name')
        .orderBy('id')
        .execute(),
    async countByMetric(owner) {
      const rows = await readable(owner)
        .select(['metric', sql<number>`count(*)::int`.as('count')])
        .groupBy('metric')
        .execute();
      return new Map(rows.map((row) => [row.metric, row.count]));
    },
    async remove(id) {
      await markCollection(db, id);
      await db.deleteFrom('collections').where('id', '=', id).execute();
    },
  };
}
