import { sql, type Kysely } from 'kysely';
import { ACCOUNT, ENVIRONMENT, policy, secure } from '../connection/row-policy.ts';

/**
 * Makes the locks of writers as small as their cause, with new tables only: no table of the former release is altered.
 *
 * - `audit_pending`: entries of the audit log that are not in its chain yet (see `store/audit/audit-seal.ts`). Writers insert
 *   them without a lock. The chain of the former release goes on.
 * - `ground_blocks`: locks of blocks of ground (see `store/ground-locks.ts`). The former release locks a whole
 *   environment instead, in the table `environments`. It may run beside this one during an upgrade. Until
 *   `former_until`, an hour after the migration, this release waits for those locks too.
 * - `publications`: the process that publishes a search of a collection, in several transactions.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of [
    sql`create table audit_pending (
      id uuid primary key,
      at timestamptz not null,
      place integer not null,
      account_id text collate "C",
      environment text,
      actor text not null,
      action text not null,
      target text,
      address text,
      request_id text,
      result text not null,
      count integer not null,
      mac bytea not null
    )`,
    sql`create table ground_blocks (
      environment environment not null,
      block smallint not null,
      primary key (environment, block)
    )`,
    sql`insert into ground_blocks (environment, block)
      select name, block from environments, generate_series(0, 1023) as block`,
    sql`create table former_locks (
      one boolean primary key default true check (one),
      former_until timestamptz not null
    )`,
    sql`insert into former_locks (former_until)
      select case when exists (select from accounts) then now() + interval '1 hour' else '-infinity' end`,
    sql`create table publications (
      collection_id text collate "C" primary key references collections on delete cascade,
      holder uuid not null,
      held_until timestamptz not null
    )`,
  ])
    await statement.execute(db);
  await policy(
    db,
    'audit_pending',
    'all',
    sql`account_id = ${ACCOUNT} and environment = ${ENVIRONMENT}::text`,
  );
  for (const command of ['select', 'update'] as const)
    // `for update` needs both
    await policy(db, 'ground_blocks', command, sql`environment = ${ENVIRONMENT}`);
  await policy(db, 'former_locks', 'select', sql`true`);
  await secure(db, 'publications');
}
