import { sql, type Kysely } from 'kysely';

/** Adds what is needed to count what came of the claims of an account without reading their provenance. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of [
    sql`alter table changes add column baseline text`,
    sql`update changes set baseline = provenance #>> '{baseline,kind}'`,
    sql`create index aoi_changes_newest on aoi_changes (account_id, environment, change_id desc)`,
    sql`create index scenes_newest on scenes (collection_id, observed_at desc)`,
  ])
    await statement.execute(db);
}
