import { sql, type Kysely } from 'kysely';
import { ACCOUNT, ENVIRONMENT, policy } from '../connection/row-policy.ts';

/**
 * Adds incidents, what they consist of, and marks of what was published since they were last made. All anomalies and
 * confirmed changes are marked; `quiet` says that no events tell of incidents of them alone.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  const owned = sql`account_id text collate "C" not null references accounts, environment environment not null`;
  for (const statement of [
    sql`create table incidents (
      ${owned},
      id text collate "C" primary key,
      title text not null,
      severity text not null,
      status text not null,
      perils text[] not null,
      kinds text[] not null,
      started_at timestamptz not null,
      ended_at timestamptz,
      bounds box not null,
      aoi_ids text[] not null,
      area_count integer not null,
      anomaly_count integer not null,
      change_count integer not null,
      pictured_change text collate "C",
      opened_at timestamptz not null,
      updated_at timestamptz not null,
      merged_into text collate "C"
    )`,
    sql`create index incidents_list on incidents (account_id, environment, started_at desc, id desc)
      where merged_into is null`,
    sql`create index incidents_status on incidents (account_id, environment, status, started_at desc, id desc)
      where merged_into is null`,
    sql`create index incidents_updated on incidents (account_id, environment, updated_at) where merged_into is null`,
    sql`create index incidents_merged on incidents (merged_into) where merged_into is not null`,
    sql`create table incident_areas (
      ${owned},
      aoi_id text collate "C" not null,
      incident_id text collate "C" not null references incidents on delete cascade,
      primary key (aoi_id, incident_id)
    )`,
    sql`create index incident_areas_incident on incident_areas (incident_id)`,
    sql`create table incident_members (
      ${owned},
      kind text not null,
      id text collate "C" not null,
      incident_id text collate "C" not null references incidents on delete cascade,
      what text not null,
      sign smallint not null,
      peril text,
      severity text not null,
      from_ms double precision not null,
      to_ms double precision not null,
      ground box not null,
      extent box not null,
      aoi_ids text[] not null,
      area_m2 double precision not null,
      primary key (account_id, environment, kind, id)
    )`,
    sql`create index incident_members_incident on incident_members (incident_id, kind, from_ms desc)`,
    sql`create index incident_members_time on incident_members (account_id, environment, to_ms)`,
    sql`create index incident_members_id on incident_members (id)`,
    sql`create table incident_marks (
      ${owned},
      kind text not null,
      id text collate "C" not null,
      quiet boolean not null default false
    )`,
    sql`create index incident_marks_owner on incident_marks (account_id, environment)`,
    sql`create table incident_heads (${owned}, primary key (account_id, environment))`,
    sql`insert into incident_marks (account_id, environment, kind, id, quiet)
      select account_id, environment, 'anomaly', id, true from anomalies
      union all
      select distinct account_id, environment, 'change', change_id, true from aoi_changes
      where status in ('confirmed', 'recovered')`,
  ])
    await statement.execute(db);
  for (const table of ['incidents', 'incident_areas', 'incident_members', 'incident_marks', 'incident_heads'])
    await policy(db, table, 'all', sql`account_id = ${ACCOUNT} and environment = ${ENVIRONMENT}`);
}
