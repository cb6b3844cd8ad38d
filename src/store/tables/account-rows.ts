/**
 * Tables that have no column `account_id` and whose rows may still belong to an account: the SQL expression for that
 * account, where `t` is the row. It is null for rows that all accounts share.
 */
const BY_OTHER_ROWS: Readonly<Record<string, string>> = {
  accounts: 't.id',
  scenes: accountOfCollection('t.collection_id'),
  changes: accountOfCollection('t.collection_id'),
  stations: accountOfCollection('t.collection_id'),
  publications: accountOfCollection('t.collection_id'),
  station_series:
    '(select c.account_id from stations s join collections c on c.id = s.collection_id where s.id = t.station_id)',
};

/** Tables of the installation itself: no row of them belongs to an account. */
const OF_INSTALLATION: ReadonlySet<string> = new Set([
  'environments',
  'ground_blocks',
  'release_floor',
  'former_locks',
  'signing_keys',
  'sealed_secrets',
  'spent_proofs',
  'wrapped_keys',
  'audit_head',
  'sandbox',
  'risk_states',
  'nodes',
  'job_stream',
  'search_units',
  'mail_counts',
  'mail_refusals',
]);

/**
 * Returns the SQL expression for the account that a row `t` of a table belongs to; its value is null for rows that
 * belong to none.
 * @throws Error for a table that nobody has decided about
 */
export function accountOf(table: string, columns: readonly string[]): string {
  if (columns.includes('account_id')) return 't.account_id';
  const found = BY_OTHER_ROWS[table];
  if (found !== undefined) return found;
  if (OF_INSTALLATION.has(table)) return 'null::text';
  throw new Error(`src/store/tables/account-rows.ts must say whose the rows of ${table} are`);
}

function accountOfCollection(id: string): string {
  return `(select c.account_id from collections c where c.id = ${id})`;
}
