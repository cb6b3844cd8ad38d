import type { ClientBase, Pool } from 'pg';
import { InvalidInput } from '../base/errors.ts';
import { openBytes } from '../base/sealed-bytes.ts';
import { SCHEMA } from '../store/connection/database.ts';
import { accountOf } from '../store/tables/account-rows.ts';
import { type BackupSource, entriesOf, refuseOthers } from './restore.ts';
import { partsOf } from './sealed-rows.ts';
import { ArchiveErrors } from './signed-entries.ts';
import { copiedTables, type CopiedTable, inTransaction, migrationsOf, writeTable } from './table-copy.ts';

/** Tables whose rows stay as they are: the log of what was done is never rewritten. */
const UNTOUCHED: ReadonlySet<string> = new Set(['audit_log', 'audit_pending']);
/** Tables of work under way. Its rows are deleted, and the work is queued again. */
const WORK: ReadonlySet<string> = new Set(['jobs', 'publications']);
/**
 * Tables whose rows stay as they are while the account exists: who may call (a credential that was revoked since the
 * backup stays revoked), what was used, and how far events and incidents are numbered, so that no number is used twice.
 */
const PRESENT: ReadonlySet<string> = new Set([
  'accounts',
  'account_use',
  'api_keys',
  'event_heads',
  'idempotency_keys',
  'incident_heads',
  'members',
  'oauth_clients',
  'oauth_grants',
  'refresh_tokens',
  'usage_days',
]);
/** Rows that refer to rows of all accounts, which may be gone since the backup: the condition that they are there. */
const STANDING: Readonly<Record<string, string>> = {
  aoi_changes: `exists (select from ${SCHEMA}.changes c where c.id = t.change_id)`,
  standing_feed_areas: `exists (select from ${SCHEMA}.standing_feeds f where f.id = t.feed_id)`,
  anomalies: `exists (select from ${SCHEMA}.collections c where c.id = t.collection_id)
    and (t.station_id is null or exists (select from ${SCHEMA}.stations s where s.id = t.station_id))`,
};
const UNIQUE_VIOLATION = '23505';

/** The account to restore, and its key in the archive. */
export interface RestoredOne {
  readonly accountId: string;
  readonly key: Buffer;
  /** Whether the installation has the account. */
  readonly exists: boolean;
}

/**
 * Replaces the rows of one account by those of a backup, in one transaction. Rows of others are not touched.
 * @param beforeCommit called when all rows are written; if it fails, the rows stay as they were
 * @returns the number of tables with rows of the account in the backup
 * @throws InvalidInput when the backup has no such account or another schema, or a row of it contradicts another account
 */
export async function restoreAccountRows(
  source: BackupSource,
  pool: Pool,
  { accountId, key, exists }: RestoredOne,
  beforeCommit: () => Promise<void>,
): Promise<number> {
  const { path } = source;
  const errors = new ArchiveErrors(path, 'restored');
  return inTransaction(pool, 'begin', async (client) => {
    const tables = await copiedTables(client);
    const here = await migrationsOf(client);
    const replaced = new Map(
      tables
        .filter(({ name }) => !UNTOUCHED.has(name) && !WORK.has(name) && !(exists && PRESENT.has(name)))
        .map((table) => [table.name, table]),
    );
    // A table comes after those that it references, so rows are deleted from the last table on.
    for (const table of tables.toReversed())
      if (replaced.has(table.name) || WORK.has(table.name)) await deleteRows(client, table, accountId);
    const found = new Set<string>();
    let isChecked = false;
    for await (const { name, content, manifest } of entriesOf(source)) {
      if (!isChecked) refuseOthers(manifest, here);
      isChecked = true;
      const [, table = ''] = /^database\/([^/]+)\/\d+$/.exec(name) ?? [];
      const known = replaced.get(table);
      const rows = rowsOf(name, content, accountId, key, () => found.add(table));
      if (known === undefined) for await (const _ of table === '' ? content : rows);
      else
        await writeTable(client, known, errors.within(rows), STANDING[table]).catch((error: unknown) =>
          told(error, path),
        );
    }
    for (const table of replaced.values()) await refuseTaken(client, table, accountId, path);
    if (!found.has('accounts')) throw new InvalidInput(`FILE: ${path} has no account ${accountId}`);
    await beforeCommit();
    return found.size;
  });
}

/**
 * Refuses rows whose id a row of another account has here. Keys of tables of accounts contain the account, so the
 * database does not.
 */
async function refuseTaken(
  client: ClientBase,
  { name, columns }: CopiedTable,
  accountId: string,
  path: string,
): Promise<void> {
  if (!['id', 'account_id'].every((column) => columns.includes(column))) return;
  const { rows } = await client.query<{ id: string }>(
    `select t.id from ${SCHEMA}."${name}" t join ${SCHEMA}."${name}" o on o.id = t.id
     where t.account_id = $1 and o.account_id <> $1 limit 1`,
    [accountId],
  );
  if (rows[0] !== undefined)
    throw new InvalidInput(`FILE: ${path} has a row of ${name} that another account has here: ${rows[0].id}`);
}

async function deleteRows(client: ClientBase, table: CopiedTable, accountId: string): Promise<void> {
  const account = accountOf(table.name, table.columns);
  if (account === 'null::text') return;
  await client.query(`delete from ${SCHEMA}."${table.name}" t where ${account} = $1`, [accountId]);
}

/** Reads the rows of one account from a file of an archive. */
async function* rowsOf(
  name: string,
  content: AsyncIterable<Buffer>,
  accountId: string,
  key: Buffer,
  onFound: () => void,
): AsyncGenerator<Buffer> {
  for await (const { kind, account, bytes } of partsOf(name, content)) {
    if (kind !== 'sealed' || account !== accountId) continue;
    onFound();
    yield openBytes(key, bytes, `${name} ${account}`);
  }
}

/** @throws InvalidInput for a row that contradicts one of another account, else the error */
function told(error: unknown, path: string): never {
  const { code, detail, table } = error as { code?: string; detail?: string; table?: string };
  if (code !== UNIQUE_VIOLATION) throw error;
  throw new InvalidInput(
    `FILE: ${path} has a row of ${table} that another account has here: ${detail ?? 'not unique'}`,
    { cause: error },
  );
}
