import { sql, type Kysely } from 'kysely';
import {
  addReferences,
  type AccountReference,
  dropReferences,
  lockTables,
  putAccountInKey,
} from '../connection/account-key.ts';

const REFERENCES: readonly AccountReference[] = [
  { from: 'deliveries', column: 'event_id', to: 'events' },
  { from: 'deliveries', column: 'webhook_id', to: 'webhooks' },
  { from: 'incident_areas', column: 'incident_id', to: 'incidents' },
  { from: 'incident_members', column: 'incident_id', to: 'incidents' },
];

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
  for (const table of ['webhooks', 'events', 'deliveries', 'incidents', 'members'])
    await putAccountInKey(db, table, ['id']);
  await putAccountInKey(db, 'delivery_attempts', ['delivery_id', 'attempt']); // in all partitions
  await putAccountInKey(db, 'incident_areas', ['aoi_id', 'incident_id']);
  for (const statement of [
    sql`drop index webhooks_confirm, webhooks_stop`,
    sql`create unique index webhooks_confirm on webhooks (confirm_hash, account_id) where confirm_hash is not null`,
    sql`create unique index webhooks_stop on webhooks (stop_hash, account_id) where stop_hash is not null`,
  ])
    await statement.execute(db);
  await addReferences(db, REFERENCES);
}
