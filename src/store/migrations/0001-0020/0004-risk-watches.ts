import { sql, type Kysely } from 'kysely';
import { newId } from '../../../base/ids.ts';

/**
 * Adds risk watches, each with its last score and the state of models and data from which the score was computed. Also
 * adds a table of the current state of models and data for each environment and peril. Existing subscriptions get a
 * watch for each peril. These watches are scored at the first start.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  const statements = [
    sql`create table risk_watches (
      account_id text collate "C" not null references accounts,
      environment environment not null,
      id text collate "C" primary key,
      peril text not null,
      threshold double precision not null,
      lat double precision,
      lng double precision,
      aoi_id text collate "C" references aois on delete cascade,
      subscription_id text collate "C" references subscriptions on delete cascade,
      active boolean not null default true,
      risk_score double precision not null,
      confidence double precision not null,
      above boolean not null,
      model_version text not null,
      scored_as text collate "C" not null,
      scored_at timestamptz not null,
      created_at timestamptz not null default now(),
      check ((aoi_id is null) = (lat is not null) and (lat is null) = (lng is null))
    )`,
    sql`create index risk_watches_owner on risk_watches (account_id, environment, id desc)`,
    sql`create index risk_watches_stale on risk_watches (environment, peril, scored_as, id) where active`,
    sql`create index risk_watches_aoi on risk_watches (aoi_id) where aoi_id is not null`,
    sql`create index risk_watches_subscription on risk_watches (subscription_id) where subscription_id is not null`,
    sql`create table risk_states (
      environment environment not null,
      peril text not null,
      state text collate "C" not null,
      adopted_at timestamptz not null default now(),
      primary key (environment, peril)
    )`,
  ];
  for (const statement of statements) await statement.execute(db);
  const { rows } = await sql<{ id: string; peril: string }>`
    select id, unnest(perils) as peril from subscriptions where status <> 'cancelled'`.execute(db);
  for (const { id, peril } of rows) {
    await sql`
      insert into risk_watches (account_id, environment, id, peril, threshold, aoi_id, subscription_id, active,
        risk_score, confidence, above, model_version, scored_as, scored_at)
      select account_id, environment, ${newId('watch')}, ${peril}, 0.7, aoi_id, id, status = 'active',
        0, 0, false, ${`${peril}-v0.0.0`}, '', created_at
      from subscriptions where id = ${id}`.execute(db);
  }
}
