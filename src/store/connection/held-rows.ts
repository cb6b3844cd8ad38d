import type { Kysely } from 'kysely';
import type { HeldKind, HeldRows } from '../../app/held-rows.ts';
import type { Database } from '../schema.ts';

/** The table of each kind. All have the columns `account_id` and `id`. */
const TABLES = {
  aoi: 'aois',
  client: 'oauth_clients',
  key: 'api_keys',
  member: 'members',
  subscription: 'subscriptions',
  watch: 'risk_watches',
  webhook: 'webhooks',
} as const satisfies Readonly<Record<HeldKind, keyof Database>>;

/** Row locks of the database. New rows may still refer to a held one. */
export function heldRows(db: Kysely<Database>): HeldRows {
  return {
    async hold({ accountId }, kind, id) {
      await db
        .selectFrom(TABLES[kind] as 'aois')
        .select('id')
        .where('account_id', '=', accountId)
        .where('id', '=', id)
        .forNoKeyUpdate()
        .execute();
    },
  };
}
