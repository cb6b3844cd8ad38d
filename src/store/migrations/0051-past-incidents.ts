import { sql, type Kysely } from 'kysely';

/**
 * Adds to incidents the area of their ground and whether they were past when they were found, to their members when each
 * was over, and to subscriptions whether they want the past. Incidents of changes are made again, without events.
 * Followed catalogues may go without true colour.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of [
    sql`alter table incidents add column area_m2 double precision, add column past boolean not null default false`,
    sql`alter table incident_members add column over_ms double precision`,
    sql`alter table incident_marks add column past boolean not null default false`,
    sql`alter table subscriptions add column past boolean not null default false`,
    sql`alter table standing_feeds add column true_colour boolean not null default true`,
    sql`insert into incident_marks (account_id, environment, kind, id, quiet)
      select account_id, environment, kind, id, true from incident_members where kind = 'change'`,
  ])
    await statement.execute(db);
}
