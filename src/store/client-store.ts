import { sql, type Kysely } from 'kysely';
import type { ClientStore } from '../app/access/client-store.ts';
import { newestFirst } from './connection/page.ts';
import type { Database } from './schema.ts';

const COLUMNS = [
  'oauth_clients.id',
  'oauth_clients.account_id as accountId',
  'oauth_clients.environment',
  'oauth_clients.name',
  'oauth_clients.secret_hash as secretHash',
  'oauth_clients.jwks',
  'oauth_clients.former_jwks as formerJwks',
  'oauth_clients.former_until as formerUntil',
  'oauth_clients.scopes',
  'oauth_clients.rate_limit as rateLimit',
  'oauth_clients.created_at as createdAt',
  'oauth_clients.revoked_at as revokedAt',
  'oauth_clients.last_used_at as lastUsedAt',
  'accounts.disabled_at as accountDisabledAt',
] as const;

/** OAuth clients in the database. Only hashes of their secrets are stored. */
export function clientStore(db: Kysely<Database>): ClientStore {
  const clients = () =>
    db
      .selectFrom('oauth_clients')
      .innerJoin('accounts', 'accounts.id', 'oauth_clients.account_id')
      .select(COLUMNS);
  return {
    async create(client) {
      await db
        .insertInto('oauth_clients')
        .values({
          id: client.id,
          account_id: client.accountId,
          environment: client.environment,
          name: client.name,
          secret_hash: client.secretHash,
          jwks: client.jwks && JSON.stringify(client.jwks),
          scopes: [...client.scopes],
          rate_limit: client.rateLimit,
        })
        .execute();
    },
    find: (id) => clients().where('oauth_clients.id', '=', id).executeTakeFirst(),
    owned(owner, page) {
      const owned = clients()
        .where('oauth_clients.account_id', '=', owner.accountId)
        .where('oauth_clients.environment', '=', owner.environment)
        .where('oauth_clients.revoked_at', 'is', null);
      return newestFirst(owned, 'oauth_clients.id', page, (client) => client);
    },
    list: () => clients().orderBy('oauth_clients.id').execute(),
    async replaceKeys(id, jwks, formerUntil) {
      await db
        .updateTable('oauth_clients')
        .set({
          jwks: JSON.stringify(jwks),
          former_jwks: formerUntil === null ? null : sql`jwks`,
          former_until: formerUntil,
        })
        .where('id', '=', id)
        .execute();
    },
    async revoke(id, at) {
      await db.updateTable('oauth_clients').set({ revoked_at: at }).where('id', '=', id).execute();
    },
    async touch(id, at) {
      await db.updateTable('oauth_clients').set({ last_used_at: at }).where('id', '=', id).execute();
    },
  };
}
