import { sql, type Kysely } from 'kysely';
import {
  accountKey,
  addReferences,
  type AccountReference,
  dropReferences,
  lockTables,
  putAccountInKey,
} from '../connection/account-key.ts';
import type { PreparedIndex } from '../connection/prepared-index.ts';

const REFERENCES: readonly AccountReference[] = [
  { from: 'deliveries', column: 'event_id', to: 'events' },
  { from: 'deliveries', column: 'webhook_id', to: 'webhooks' },
  { from: 'incident_areas', column: 'incident_id', to: 'incidents' },
  { from: 'incident_members', column: 'incident_id', to: 'incidents' },
];

/** Tables and the columns of their keys, without the account. */
const KEYED: readonly (readonly [table: string, columns: readonly string[]])[] = [
  ['webhooks', ['id']],
  ['events', ['id']],
  ['deliveries', ['id']],
  ['incidents', ['id']],
  ['members', ['id']],
  ['delivery_attempts', ['delivery_id', 'attempt']], // in all partitions
  ['incident_areas', ['aoi_id', 'incident_id']],
];

/** What is built before, while calls go on. */
export const INDEXES: readonly PreparedIndex[] = KEYED.map(([table, columns]) => accountKey(table, columns));

/**
 * Puts the account into the keys of webhooks, events, deliveries, incidents and members, and into the references between
 * them (decision 78). Release 1.3.0 has no statement that needs the former keys.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await lockTables(db, [
    'webhooks',
    'events',
    'deliveries',
    'delivery_attempts',
    'incidents',
    'incident_areas',
    'incident_members',
    'members',
  ]);
  await dropReferences(db, REFERENCES);
  for (const [table, columns] of KEYED) await putAccountInKey(db, table, columns);
  for (const statement of [
    sql`drop index webhooks_confirm, webhooks_stop`,
    sql`create unique index webhooks_confirm on webhooks (confirm_hash, account_id) where confirm_hash is not null`,
    sql`create unique index webhooks_stop on webhooks (stop_hash, account_id) where stop_hash is not null`,
  ])
    await statement.execute(db);
  await addReferences(db, REFERENCES);
}
