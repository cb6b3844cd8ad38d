import { sql, type Kysely } from 'kysely';

/** Deliveries can be sent again by their whole schedule; and the tables of a queue are kept as queues need it. */
export async function up(db: Kysely<unknown>): Promise<void> {
  const statements = [
    // Attempts made before the present schedule began: a delivery that is sent again begins it anew.
    sql`alter table deliveries add column attempts_before integer not null default 0`,
    // Each delivery is leased once and settled once: with room on its page the lease touches no index.
    sql`alter table deliveries set (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.05)`,
  ];
  for (const statement of statements) await statement.execute(db);
}
