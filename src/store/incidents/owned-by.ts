import { sql, type RawBuilder } from 'kysely';
import type { Owner } from '../../app/owner.ts';

/** Condition that the rows of a table belong to an owner. */
export function ownedBy({ accountId, environment }: Owner, table = ''): RawBuilder<boolean> {
  const name = (column: string) => sql.ref(table === '' ? column : `${table}.${column}`);
  return sql<boolean>`${name('account_id')} = ${accountId} and ${name('environment')} = ${environment}`;
}
