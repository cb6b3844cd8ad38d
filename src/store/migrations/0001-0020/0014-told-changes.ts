import { sql, type Kysely } from 'kysely';

/**
 * Adds what events told about each change, so that none is told twice. Until now there were events about confirmed
 * changes only.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of [
    sql`alter table changes add column told_as text`,
    sql`update changes set told_as = 'confirmed' where confirmed_at is not null`,
  ])
    await statement.execute(db);
}
