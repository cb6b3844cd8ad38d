import { sql, type Kysely } from 'kysely';
import { ERASURE } from '../../app/access/erase-account.ts';
import { inTransaction } from '../connection/transaction.ts';
import type { Database } from '../schema.ts';

/** Actor of entries of the audit log whose account was erased. No credential and no operator has this name. */
export const ERASED_ACTOR = 'erased';

/**
 * What is left of an entry of the audit log when its account was erased: SQL expressions over the entry `t`, by column.
 * All other columns stay.
 */
export const ERASED_ENTRY: Readonly<Record<string, string>> = {
  actor: `'${ERASED_ACTOR}'`,
  target: 'null',
  address: 'null',
  request_id: 'null',
  result: `case t.result when 'done' then 'done' else '${ERASED_ACTOR}' end`,
};

/**
 * Takes from the audit log what its entries say about erased accounts: who, what, from where. The entries keep their
 * places and hashes, so the chain still holds.
 * @param since accounts that were erased before are left out
 */
export async function eraseEntries(db: Kysely<Database>, since: Date): Promise<void> {
  const changed = Object.entries(ERASED_ENTRY).map(([column, value]) => `${column} = ${value}`);
  await inTransaction(db, async (transaction) => {
    await sql`select set_config('groundwatch.erasing', 'on', true), set_config('statement_timeout', '0', true)`.execute(
      transaction,
    );
    await sql`update audit_log t set ${sql.raw(changed.join(', '))}
      where t.account_id in (select account_id from account_keys where erased_at >= ${since})
        and t.actor <> ${ERASED_ACTOR}`.execute(transaction);
    await sql`select set_config('groundwatch.erasing', 'off', true)`.execute(transaction);
  });
}

/** Finds the accounts whose erasure the audit log records. */
export async function erasedAccounts(db: Kysely<Database>): Promise<ReadonlySet<string>> {
  const rows = await db
    .selectFrom('audit_log')
    .select('target')
    .where('action', '=', ERASURE)
    .where('account_id', 'is', null)
    .distinct()
    .execute();
  return new Set(rows.map(({ target }) => target!));
}
