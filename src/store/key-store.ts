import { sql, type Kysely } from 'kysely';
import type { KeyStore } from '../app/access/key-store.ts';
import { newestFirst, newestOf } from './connection/page.ts';
import type { Database } from './schema.ts';

const COLUMNS = [
  'api_keys.id',
  'api_keys.account_id as accountId',
  'api_keys.environment',
  'api_keys.name',
  'api_keys.secret_hash as secretHash',
  'api_keys.scopes',
  'api_keys.rate_limit as rateLimit',
  'api_keys.created_at as createdAt',
  'api_keys.expires_at as expiresAt',
  'api_keys.revoked_at as revokedAt',
  'api_keys.last_used_at as lastUsedAt',
  'accounts.disabled_at as accountDisabledAt',
] as const;

/** API keys in the database. Only hashes of the keys are stored. */
export function keyStore(db: Kysely<Database>): KeyStore {
  const keys = () =>
    db.selectFrom('api_keys').innerJoin('accounts', 'accounts.id', 'api_keys.account_id').select(COLUMNS);
  return {
    async create(key) {
      await db
        .insertInto('api_keys')
        .values({
          id: key.id,
          account_id: key.accountId,
          environment: key.environment,
          name: key.name,
          secret_hash: key.secretHash,
          scopes: [...key.scopes],
          rate_limit: key.rateLimit,
          expires_at: key.expiresAt,
        })
        .execute();
    },
    find: (id) => keys().where('api_keys.id', '=', id).executeTakeFirst(),
    list: () => keys().orderBy('api_keys.id').execute(),
    owned(owner, now, page) {
      const theirs = () =>
        keys()
          .where('api_keys.account_id', '=', owner.accountId)
          .where('api_keys.environment', '=', owner.environment);
      // Each of the two has an index of its own, so that ended keys are not read. Few keys end in the future.
      const standing = newestOf(theirs().where('api_keys.revoked_at', 'is', null), 'api_keys.id', page);
      const ending = theirs().where('api_keys.revoked_at', '>', now);
      const both = db
        .selectFrom(db.selectFrom(standing.as('standing')).selectAll().unionAll(ending).as('api_keys'))
        .selectAll();
      return newestFirst(both, 'api_keys.id', page, (key) => key);
    },
    expiring: (from, until) =>
      keys()
        .where('api_keys.expires_at', '>', from)
        .where('api_keys.expires_at', '<=', until)
        .where('api_keys.revoked_at', 'is', null)
        .where('accounts.disabled_at', 'is', null)
        .orderBy('api_keys.id')
        .execute(),
    async end(id, at) {
      // Keeps an earlier end time that another transaction has set: a rotation must not revive a revoked key.
      const row = await db
        .updateTable('api_keys')
        .set({ revoked_at: sql<Date>`least(revoked_at, ${at})` })
        .where('id', '=', id)
        .returning('revoked_at')
        .executeTakeFirst();
      return row?.revoked_at ?? undefined;
    },
    async touch(id, at) {
      await db.updateTable('api_keys').set({ last_used_at: at }).where('id', '=', id).execute();
    },
  };
}
