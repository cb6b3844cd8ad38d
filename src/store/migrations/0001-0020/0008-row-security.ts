import { sql, type Kysely } from 'kysely';
import { ACCOUNT, ENVIRONMENT, policy, secure } from '../../connection/row-policy.ts';

/** Ids of the collections that the owner may read. The policy of `collections` applies to the subquery. */
const READABLE = sql`any (array(select id from collections))`;

/** Tables whose rows contain the account and the environment of their owner. */
const OWNED = [
  'api_keys',
  'oauth_clients',
  'aois',
  'aoi_changes',
  'subscriptions',
  'anomalies',
  'risk_watches',
  'webhooks',
  'events',
  'idempotency_keys',
  'usage_days',
] as const;

/** Tables of the installation itself. Bound connections do not need them and get no policy for them, so no access. */
const CLOSED = ['oauth_grants', 'refresh_tokens', 'signing_keys', 'sandbox', 'risk_states'] as const;

/**
 * Adds row-level security: whatever its queries, a connection that is bound to one owner can read and change only that
 * owner's rows. This applies to all database roles except the role that owns the tables, which works across accounts.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const table of OWNED)
    await policy(db, table, 'all', sql`account_id = ${ACCOUNT} and environment = ${ENVIRONMENT}`);
  await policy(db, 'accounts', 'select', sql`id = ${ACCOUNT}`);

  await policy(
    db,
    'collections',
    'select',
    sql`environment = ${ENVIRONMENT} and (account_id is null or account_id = ${ACCOUNT})`,
  );
  for (const table of ['scenes', 'stations', 'changes'])
    await policy(db, table, 'select', sql`collection_id = ${READABLE}`);
  await policy(
    db,
    'station_series',
    'select',
    sql`exists (select from stations where stations.id = station_series.station_id)`,
  );

  // Both tables have a column for the account, but none for the environment. The environment is that of the webhook.
  await policy(
    db,
    'deliveries',
    'all',
    sql`account_id = ${ACCOUNT} and webhook_id = any (array(select id from webhooks))`,
  );
  await policy(
    db,
    'delivery_attempts',
    'select',
    sql`account_id = ${ACCOUNT} and exists (select from deliveries where deliveries.id = delivery_id)`,
  );

  // All accounts append to the same chain of the audit log, but no account may read the log.
  await policy(
    db,
    'audit_log',
    'insert',
    sql`account_id = ${ACCOUNT} and environment = ${ENVIRONMENT}::text`,
  );
  await policy(db, 'audit_head', 'select', sql`true`);
  await policy(db, 'audit_head', 'update', sql`true`);
  await policy(db, 'sealed_secrets', 'select', sql`true`);
  await policy(db, 'sealed_secrets', 'insert', sql`true`);
  await policy(db, 'environments', 'select', sql`name = ${ENVIRONMENT}`);
  await policy(db, 'environments', 'update', sql`name = ${ENVIRONMENT}`); // `for update` needs it to lock the row
  for (const table of CLOSED) await secure(db, table);

  // Under a policy, a search by place cannot use its index: the operators of boxes are not leakproof, so PostgreSQL
  // must check the policy first. These views contain the same condition but are no security barriers, so the planner
  // may check the condition after the search.
  for (const table of ['stations', 'changes'])
    await sql`create view ${sql.id(`readable_${table}`)} as
      select * from ${sql.id(table)} where pg_has_role(current_user, (
          select relowner from pg_class where oid = ${sql.lit(table)}::regclass), 'member')
        or collection_id = any (array(
          select id from collections
          where environment = ${ENVIRONMENT} and (account_id is null or account_id = ${ACCOUNT})))`.execute(
      db,
    );
}
