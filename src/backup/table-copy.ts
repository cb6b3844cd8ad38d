import type { ClientBase, Pool } from 'pg';
import { from as copyFrom, to as copyTo } from 'pg-copy-streams';
import { once } from 'node:events';
import { ERASED_ENTRY } from '../store/audit/erased-entries.ts';
import { SCHEMA, sessionSettings } from '../store/connection/database.ts';
import { accountOf } from '../store/tables/account-rows.ts';

/** A table, and those of its columns that are copied. */
export interface CopiedTable {
  readonly name: string;
  readonly columns: readonly string[];
}

/**
 * Tables that are not copied. A migrated database already has the migrations that kysely records. The keys of accounts
 * are in no archive, so that an erasure can destroy them. Sessions name people, of any account: they sign in again.
 */
const NOT_COPIED = [
  'groundwatch_migration',
  'groundwatch_migration_lock',
  'account_keys',
  'backup_places',
  'sessions',
];

/** Returns all tables that are copied. A table comes after the tables that it references. */
export async function copiedTables(client: ClientBase): Promise<readonly CopiedTable[]> {
  const { rows: columns } = await client.query<{ table: string; column: string }>(
    `select c.relname as "table", a.attname as "column"
       from pg_class c join pg_attribute a on a.attrelid = c.oid
      where c.relnamespace = $1::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
        and a.attnum > 0 and not a.attisdropped and a.attgenerated = ''
      order by c.relname, a.attnum`,
    [SCHEMA],
  );
  const { rows: references } = await client.query<{ from: string; to: string }>(
    `select s.relname as "from", t.relname as "to"
       from pg_constraint k join pg_class s on s.oid = k.conrelid join pg_class t on t.oid = k.confrelid
      where k.contype = 'f' and k.connamespace = $1::regnamespace and s.oid <> t.oid`,
    [SCHEMA],
  );
  const byTable = Map.groupBy(columns, ({ table }) => table);
  for (const name of NOT_COPIED) byTable.delete(name);
  const ordered: CopiedTable[] = [];
  const placed = new Set<string>();
  while (placed.size < byTable.size) {
    const ready = [...byTable].find(
      ([name]) => !placed.has(name) && references.every(({ from, to }) => from !== name || placed.has(to)),
    );
    if (ready === undefined) throw new Error('the foreign keys of the tables form a cycle');
    const [name, itsColumns] = ready;
    placed.add(name);
    ordered.push({ name, columns: itsColumns.map(({ column }) => column) });
  }
  return ordered;
}

/** Names of the migrations of a database. */
export async function migrationsOf(client: ClientBase): Promise<readonly string[]> {
  const { rows } = await client.query<{ name: string }>(
    `select name from ${SCHEMA}.groundwatch_migration order by name`,
  );
  return rows.map(({ name }) => name);
}

/**
 * Reads a whole table by COPY, in chunks. Each row begins with an additional column: the account that it belongs to.
 */
export async function* readTable(client: ClientBase, table: CopiedTable): AsyncGenerator<Buffer> {
  const columns = table.columns.map((column) => `t."${column}"`);
  yield* copied(
    client,
    `select ${accountOf(table.name, table.columns)}, ${columns.join(', ')} from ${nameOf(table)} t`,
  );
}

/** Reads what the erasure of their accounts leaves of the entries of the audit log, like {@link readTable}. */
export async function* readErasedEntries(client: ClientBase, table: CopiedTable): AsyncGenerator<Buffer> {
  const columns = table.columns.map((column) => ERASED_ENTRY[column] ?? `t."${column}"`);
  yield* copied(
    client,
    `select t.account_id, ${columns.join(', ')} from ${nameOf(table)} t where t.account_id is not null`,
  );
}

async function* copied(client: ClientBase, query: string): AsyncGenerator<Buffer> {
  const stream = client.query(copyTo(`copy (${query}) to stdout`));
  for await (const chunk of stream) yield chunk as Buffer;
}

/**
 * Fills a table by COPY.
 * @param only SQL condition for the rows `t` that are taken; undefined: all
 * @throws Error when the table rejects a row
 */
export async function writeTable(
  client: ClientBase,
  table: CopiedTable,
  content: AsyncIterable<Buffer>,
  only?: string,
): Promise<void> {
  if (only === undefined) return copyInto(client, target(table), content);
  const columns = columnsOf(table);
  await client.query(`create temporary table copied_rows (like ${nameOf(table)}) on commit drop`);
  await copyInto(client, `copied_rows (${columns})`, content);
  await client.query(
    `insert into ${nameOf(table)} (${columns}) select ${columns} from copied_rows t where ${only}`,
  );
  await client.query('drop table copied_rows');
}

async function copyInto(client: ClientBase, into: string, content: AsyncIterable<Buffer>): Promise<void> {
  const stream = client.query(copyFrom(`copy ${into} from stdin`));
  const finished = once(stream, 'finish');
  finished.catch(() => undefined);
  for await (const chunk of content)
    if (!stream.write(chunk)) await Promise.race([once(stream, 'drain'), finished]);
  stream.end();
  await finished;
}

/** Runs work with one connection in a transaction. An error rolls it back. */
export async function inTransaction<T>(
  pool: Pool,
  begin: string,
  work: (client: ClientBase) => Promise<T>,
): Promise<T> {
  const client = await pool.connect();
  try {
    await client.query(begin);
    // Copying a large table takes longer than the timeouts of the service, so this transaction has no timeouts.
    // Behind a pooler the connection has none of our settings either.
    await client.query(
      sessionSettings('set local', ['statement_timeout = 0', 'idle_in_transaction_session_timeout = 0']),
    );
    const result = await work(client);
    await client.query('commit');
    client.release();
    return result;
  } catch (error) {
    client.release(true);
    throw error;
  }
}

function target(table: CopiedTable): string {
  return `${nameOf(table)} (${columnsOf(table)})`;
}

function columnsOf({ columns }: CopiedTable): string {
  return columns.map((column) => `"${column}"`).join(', ');
}

function nameOf({ name }: CopiedTable): string {
  return `${SCHEMA}."${name}"`;
}
