import { sql, type Kysely } from 'kysely';
import type { GrantStore, RefreshToken, SigningKeyStore } from '../app/access/client-store.ts';
import type { Database } from './schema.ts';
import type { Sealing } from './webhook-store.ts';

/** Grants and their refresh tokens in the database: hashes only. */
export function grantStore(db: Kysely<Database>): GrantStore {
  const put = (handle: Kysely<Database>, accountId: string, grantId: string, token: RefreshToken) =>
    handle
      .insertInto('refresh_tokens')
      .values({
        account_id: accountId,
        token_hash: token.hash,
        grant_id: grantId,
        expires_at: token.expiresAt,
      })
      .execute();
  /** In a transaction of its own, or in the one that the handle stands for. */
  const together = <T>(work: (handle: Kysely<Database>) => Promise<T>): Promise<T> =>
    db.isTransaction ? work(db) : db.transaction().execute(work);
  return {
    create: (grant, token) =>
      together(async (handle) => {
        await handle
          .insertInto('oauth_grants')
          .values({
            account_id: grant.accountId,
            id: grant.id,
            client_id: grant.clientId,
            scopes: [...grant.scopes],
            expires_at: token.expiresAt,
          })
          .execute();
        await put(handle, grant.accountId, grant.id, token);
      }),
    async ofToken(hash) {
      const row = await db
        .selectFrom('refresh_tokens')
        .innerJoin('oauth_grants', 'oauth_grants.id', 'refresh_tokens.grant_id')
        .select([
          'oauth_grants.id',
          'oauth_grants.account_id as accountId',
          'oauth_grants.client_id as clientId',
          'oauth_grants.scopes',
          'oauth_grants.revoked_at as revokedAt',
          'refresh_tokens.expires_at as expiresAt',
          'refresh_tokens.used_at as usedAt',
        ])
        .where('refresh_tokens.token_hash', '=', hash)
        .executeTakeFirst();
      if (row === undefined) return undefined;
      const { expiresAt, usedAt, revokedAt, ...grant } = row;
      return { grant, expiresAt, usedAt, revokedAt };
    },
    exchange: (grant, used, next, at) =>
      together(async (handle) => {
        // The row lock lets one of two calls at once through.
        const spent = await handle
          .updateTable('refresh_tokens')
          .set({ used_at: at })
          .where('token_hash', '=', used)
          .where('used_at', 'is', null)
          .executeTakeFirst();
        if (spent.numUpdatedRows === 0n) return false;
        await put(handle, grant.accountId, grant.id, next);
        await handle
          .updateTable('oauth_grants')
          .set({ expires_at: next.expiresAt })
          .where('id', '=', grant.id)
          .execute();
        return true;
      }),
    async revoke(id, at) {
      await db
        .updateTable('oauth_grants')
        .set({ revoked_at: at })
        .where('id', '=', id)
        .where('revoked_at', 'is', null)
        .execute();
    },
    async stands(id, clientId) {
      const row = await db
        .selectFrom('oauth_grants')
        .select('revoked_at')
        .where('id', '=', id)
        .where('client_id', '=', clientId)
        .executeTakeFirst();
      return row !== undefined && row.revoked_at === null;
    },
  };
}

/** Keys that sign access tokens, in the database, their private halves sealed. */
export function signingKeyStore(db: Kysely<Database>, sealing: Sealing): SigningKeyStore {
  return {
    async list() {
      const rows = await db
        .selectFrom('signing_keys')
        .selectAll()
        .orderBy('created_at', 'desc')
        .orderBy('id')
        .execute();
      return rows.map((row) => ({
        id: row.id,
        privateJwk: sealing.open(row.private_box),
        publicJwk: row.public_key as Readonly<Record<string, unknown>>,
        createdAt: row.created_at,
      }));
    },
    async add(key) {
      await db
        .insertInto('signing_keys')
        .values({
          id: key.id,
          private_box: sealing.seal(key.privateJwk),
          public_key: JSON.stringify(key.publicJwk),
          created_at: key.createdAt,
        })
        .onConflict((conflict) => conflict.doNothing())
        .execute();
    },
    async remove(ids) {
      if (ids.length === 0) return;
      await db
        .deleteFrom('signing_keys')
        .where('id', '=', sql<string>`any(${[...ids]})`)
        .execute();
    },
  };
}
