import { sql, type Kysely } from 'kysely';
import { ACCOUNT, policy } from '../../connection/row-policy.ts';

/** Number of positions of an area, those that close its rings included. */
const POSITIONS = sql`jsonb_array_length(case geometry ->> 'type'
  when 'Polygon' then jsonb_path_query_array(geometry, '$.coordinates[*][*]')
  else jsonb_path_query_array(geometry, '$.coordinates[*][*][*]') end)`;

/**
 * Adds what the caps of an account need. `aois.positions` is computed by the database, so that areas of the former
 * release, which may run beside this one, have it too. `account_use` counts what was created in each environment since
 * it was last counted exactly, so it is never too low: see `store/account-use.ts`.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of [
    sql`alter table aois add column positions integer not null generated always as (${POSITIONS}) stored`,
    sql`create table account_use (
      account_id text collate "C" not null references accounts,
      environment environment not null,
      kind text collate "C" not null,
      used bigint not null,
      primary key (account_id, kind, environment)
    )`,
    sql`insert into account_use
      select account_id, environment, 'areas', count(*) from aois where deleted_at is null group by 1, 2
      union all
      select account_id, environment, 'vertices', sum(positions) from aois where deleted_at is null group by 1, 2
      union all
      select account_id, environment, 'watches', count(*) from risk_watches group by 1, 2
      union all
      select account_id, environment, 'subscriptions', count(*) from subscriptions where status <> 'cancelled' group by 1, 2
      union all
      select account_id, environment, 'webhooks', count(*) from webhooks group by 1, 2
      union all
      select account_id, environment, 'keys', count(*) from api_keys
        where coalesce(least(expires_at, revoked_at), 'infinity') > now() group by 1, 2
      union all
      select account_id, environment, 'clients', count(*) from oauth_clients where revoked_at is null group by 1, 2`,
  ])
    await statement.execute(db);
  await policy(db, 'account_use', 'all', sql`account_id = ${ACCOUNT}`);
}
