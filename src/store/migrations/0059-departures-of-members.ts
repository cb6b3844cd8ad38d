import { sql, type Kysely } from 'kysely';

/**
 * Adds to members of incidents the departure of low greenness, by which it is known to follow from a loss of vegetation.
 * Incidents of such anomalies are made again, without events.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of [
    sql`alter table incident_members add column departure double precision`,
    sql`create index incident_members_low on incident_members (account_id, environment, from_ms)
      where departure is not null`,
    sql`create index incident_members_lost on incident_members (account_id, environment, area_m2)
      where kind = 'change'`,
    sql`insert into incident_marks (account_id, environment, kind, id, quiet)
      select account_id, environment, kind, id, true from incident_members
      where kind = 'anomaly' and sign < 0 and what in ('ndvi', 'evi', 'nbr', 'moisture', 'ndmi')`,
  ])
    await statement.execute(db);
}
