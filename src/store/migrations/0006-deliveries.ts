import { sql, type Kysely } from 'kysely';

/** Deliveries can be repeated with their whole schedule. Storage settings of the deliveries table that suit a queue. */
export async function up(db: Kysely<unknown>): Promise<void> {
  const statements = [
    // Attempts made before the current schedule: a delivery that is repeated starts its schedule again.
    sql`alter table deliveries add column attempts_before integer not null default 0`,
    // Each delivery is updated twice, by lease and settlement. With free space on its page, the lease updates no index.
    sql`alter table deliveries set (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.05)`,
  ];
  for (const statement of statements) await statement.execute(db);
}
