import { sql, type Kysely } from 'kysely';
import { secure } from '../../connection/row-policy.ts';

/**
 * Adds the public keys of OAuth clients, the end of a grant, the key that a grant is bound to, what a lost answer to a
 * refresh is repeated from, and the proofs that were already used.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of [
    sql`alter table oauth_clients add column jwks jsonb`,
    // The default is for grants of the release before, which may still run beside this one.
    sql`alter table oauth_grants
      add column ends_at timestamptz not null default now() + interval '90 days',
      add column key_thumbprint text`,
    sql`alter table refresh_tokens add column successor_salt bytea`,
    sql`create table spent_proofs (hash bytea primary key, expires_at timestamptz not null)`,
    sql`create index spent_proofs_expiry on spent_proofs (expires_at)`,
  ])
    await statement.execute(db);
  await secure(db, 'spent_proofs');
}
