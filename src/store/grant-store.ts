import { sql, type Kysely } from 'kysely';
import type { GrantStore, RefreshToken, SigningKeyStore } from '../app/access/client-store.ts';
import { inTransaction } from './connection/transaction.ts';
import type { Database } from './schema.ts';
import type { Sealing } from './sealing/sealing.ts';

/** OAuth grants and their refresh tokens in the database. Only hashes of the tokens are stored. */
export function grantStore(db: Kysely<Database>): GrantStore {
  return {
    create: (grant, token) =>
      inTransaction(db, async (transaction) => {
        await transaction
          .insertInto('oauth_grants')
          .values({
            account_id: grant.accountId,
            id: grant.id,
            client_id: grant.clientId,
            scopes: [...grant.scopes],
            expires_at: token.expiresAt,
            ends_at: grant.endsAt,
            key_thumbprint: grant.keyThumbprint,
          })
          .execute();
        await insertToken(transaction, grant.accountId, grant.id, token);
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
          'oauth_grants.ends_at as endsAt',
          'oauth_grants.key_thumbprint as keyThumbprint',
          'oauth_grants.revoked_at as revokedAt',
          'refresh_tokens.expires_at as expiresAt',
          'refresh_tokens.used_at as usedAt',
          'refresh_tokens.successor_salt as successorSalt',
        ])
        .where('refresh_tokens.token_hash', '=', hash)
        .executeTakeFirst();
      if (row === undefined) return undefined;
      const { expiresAt, usedAt, successorSalt, revokedAt, ...grant } = row;
      return { grant, expiresAt, usedAt, successorSalt, revokedAt };
    },
    exchange: (grant, used, next, at) =>
      inTransaction(db, async (transaction) => {
        // If two concurrent calls use the same token, only the first to lock the row succeeds.
        const spent = await transaction
          .updateTable('refresh_tokens')
          .set({ used_at: at, successor_salt: used.successorSalt })
          .where('token_hash', '=', used.hash)
          .where('used_at', 'is', null)
          .executeTakeFirst();
        if (spent.numUpdatedRows === 0n) return false;
        await insertToken(transaction, grant.accountId, grant.id, next);
        await transaction
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
    async isLive(id, clientId) {
      const row = await db
        .selectFrom('oauth_grants')
        .select('revoked_at')
        .where('id', '=', id)
        .where('client_id', '=', clientId)
        .executeTakeFirst();
      return row !== undefined && row.revoked_at === null;
    },
    spend: (proof) => spendProof(db, proof),
  };
}

async function spendProof(
  db: Kysely<Database>,
  { hash, expiresAt }: Parameters<GrantStore['spend']>[0],
): Promise<boolean> {
  const { numInsertedOrUpdatedRows } = await db
    .insertInto('spent_proofs')
    .values({ hash, expires_at: expiresAt })
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirst();
  return numInsertedOrUpdatedRows === 1n;
}

async function insertToken(
  db: Kysely<Database>,
  accountId: string,
  grantId: string,
  token: RefreshToken,
): Promise<void> {
  await db
    .insertInto('refresh_tokens')
    .values({ account_id: accountId, token_hash: token.hash, grant_id: grantId, expires_at: token.expiresAt })
    .execute();
}

/** Signing keys of access tokens in the database. The private keys are sealed. */
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
