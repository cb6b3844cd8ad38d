import type { Kysely } from 'kysely';
import type { KeyStore } from '../app/stores.ts';
import type { Database } from './schema.ts';

const COLUMNS = [
  'id',
  'account_id as accountId',
  'environment',
  'secret_hash as secretHash',
  'scopes',
  'rate_limit as rateLimit',
  'created_at as createdAt',
  'expires_at as expiresAt',
  'revoked_at as revokedAt',
  'last_used_at as lastUsedAt',
] as const;

/** API keys in the database: hashes only. */
export function keyStore(db: Kysely<Database>): KeyStore {
  return {
    async create(key) {
      await db
        .insertInto('api_keys')
        .values({
          id: key.id,
          account_id: key.accountId,
          environment: key.environment,
          secret_hash: key.secretHash,
          scopes: [...key.scopes],
          rate_limit: key.rateLimit,
          expires_at: key.expiresAt,
        })
        .execute();
    },
    find: (id) => db.selectFrom('api_keys').select(COLUMNS).where('id', '=', id).executeTakeFirst(),
    list: () => db.selectFrom('api_keys').select(COLUMNS).orderBy('id').execute(),
    async end(id, at) {
      await db.updateTable('api_keys').set({ revoked_at: at }).where('id', '=', id).execute();
    },
    async touch(id, at) {
      await db.updateTable('api_keys').set({ last_used_at: at }).where('id', '=', id).execute();
    },
  };
}
