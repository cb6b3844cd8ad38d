import { sql, type Kysely } from 'kysely';
import { ACCOUNT, ENVIRONMENT, policy, secure } from '../../connection/row-policy.ts';

/**
 * Adds the members of accounts and the sessions of people who signed in. A member belongs to an account in all its environments. Before the first sign-in a member has an
 * e-mail address only; from then on the provider's subject names the person. Lets accounts read their own entries of
 * the audit log.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of [
    sql`create table members (
      account_id text collate "C" not null references accounts,
      id text collate "C" primary key,
      email text not null,
      role text not null check (role in ('viewer', 'analyst', 'admin', 'billing')),
      issuer text,
      subject text,
      created_at timestamptz not null default now(),
      last_sign_in_at timestamptz,
      unique (account_id, email),
      check ((issuer is null) = (subject is null))
    )`,
    sql`create index members_account on members (account_id, id desc)`,
    sql`create unique index members_identity on members (issuer, subject, account_id)`,
    sql`create index members_invited on members (email) where issuer is null`,
    sql`create table sessions (
      token_hash bytea primary key,
      issuer text not null,
      subject text not null,
      created_at timestamptz not null,
      last_used_at timestamptz not null
    )`,
    sql`create index sessions_identity on sessions (issuer, subject)`,
    sql`create index audit_log_account on audit_log (account_id, seq desc)`,
  ])
    await statement.execute(db);
  await policy(db, 'members', 'all', sql`account_id = ${ACCOUNT}`);
  await policy(
    db,
    'audit_log',
    'select',
    sql`account_id = ${ACCOUNT} and (environment = ${ENVIRONMENT}::text or environment is null)`,
  );
  await secure(db, 'sessions');
}
