import { sql, type Kysely } from 'kysely';
import { ACCOUNT } from '../../connection/row-policy.ts';

/**
 * Adds an index for every list, so that a page costs the same however many rows the account has. Ids have the operators
 * of `text_pattern_ops`, so that no list is read by the primary key, past newer rows of other accounts.
 *
 * The policy of deliveries read the ids of all endpoints of the account for every query. It now looks up the endpoint
 * of each row.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of [
    sql`create index anomalies_published on anomalies (account_id, environment, published_at)`,
    sql`create index aoi_changes_published on aoi_changes (aoi_id, status, published_at, detected_at)`,
    sql`create index aois_newest on aois (account_id, environment, id text_pattern_ops) where deleted_at is null`,
    sql`create index subscriptions_newest on subscriptions (account_id, environment, id text_pattern_ops)`,
    sql`create index risk_watches_newest on risk_watches (account_id, environment, id text_pattern_ops)`,
    sql`create index webhooks_newest on webhooks (account_id, environment, id text_pattern_ops)`,
    sql`create index api_keys_newest on api_keys (account_id, environment, id text_pattern_ops)`,
    sql`create index oauth_clients_newest on oauth_clients (account_id, environment, id text_pattern_ops)
      where revoked_at is null`,
    sql`create index deliveries_newest on deliveries (webhook_id, id text_pattern_ops)`,
    sql`create index deliveries_status on deliveries (webhook_id, status, id text_pattern_ops)`,
    sql`create index stations_newest on stations (collection_id, id text_pattern_ops)`,
    sql`alter policy bound_all on deliveries using (account_id = ${ACCOUNT}
      and (select true from webhooks where webhooks.id = deliveries.webhook_id))`,
  ])
    await statement.execute(db);
}
