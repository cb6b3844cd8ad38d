import { sql, type Kysely } from 'kysely';

/**
 * Adds the history of each change: what each version of the model and software stated. Until now a change had the
 * statement of one version only, so that is the start of its history.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of [
    sql`alter table changes add column versions jsonb`,
    sql`update changes set
      versions = jsonb_build_array(jsonb_build_object(
        'model_version', model_version,
        'software_version', provenance ->> 'software_version',
        'stated_at', to_char(updated_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
        'status', status,
        'confidence', confidence,
        'digest', digest))`,
    sql`alter table changes alter column versions set not null`,
  ])
    await statement.execute(db);
}
