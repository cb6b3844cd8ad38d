import { sql, type Kysely } from 'kysely';

/** Allows deliveries to be repeated from the start of their schedule. Sets storage settings that suit a queue. */
export async function up(db: Kysely<unknown>): Promise<void> {
  const statements = [
    // Number of attempts before the current schedule began. A delivery that is repeated starts its schedule again.
    sql`alter table deliveries add column attempts_before integer not null default 0`,
    // The row of a delivery is updated when the delivery is leased and when it is settled. If its page has free space,
    // the update for a lease does not change any index.
    sql`alter table deliveries set (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.05)`,
  ];
  for (const statement of statements) await statement.execute(db);
}
