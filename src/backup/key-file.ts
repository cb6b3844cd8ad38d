import { open, readdir, readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { ClientBase, Pool } from 'pg';
import type { ClearedKeyFiles } from '../app/access/erase-account.ts';
import { replaceFile } from '../base/durable-file.ts';
import { InvalidInput } from '../base/errors.ts';
import { SCHEMA } from '../store/connection/database.ts';
import { inTransaction } from './table-copy.ts';

const NAME = /^groundwatch-account-keys-[0-9a-f]{12}\.json$/;

/**
 * The keys of accounts beside backups. All backups of an installation in a folder share this file: each backup renews
 * it, and an erasure takes the key of its account out. So the keys are in no archive.
 */
export interface KeyFile {
  /** Encrypted keys (base64) by account. */
  readonly accounts: Readonly<Record<string, string>>;
  /** Accounts that were erased. */
  readonly erased: readonly string[];
}

/** Name of the key file. @param id of the key of backups that encrypts its keys */
export function keyFileName(id: string): string {
  return `groundwatch-account-keys-${id}.json`;
}

/** Reads a key file. @throws InvalidInput when it is missing, or no key file */
export async function readKeyFile(path: string): Promise<KeyFile> {
  const text = await readFile(path, 'utf8').catch((cause: unknown) => {
    throw new InvalidInput(
      `--keys: cannot read ${path}, which holds the keys of the accounts and lies beside the backups: ${(cause as Error).message}`,
      { cause },
    );
  });
  return parsed(path, text);
}

/**
 * Writes the keys of all accounts into the key file of a folder. Keys that are there already stay, unless their account
 * was erased: they may be of accounts that an older state of this installation had.
 */
export async function renewKeyFile(pool: Pool, folder: string, id: string): Promise<void> {
  // Recorded before the file is there, so that an erasure finds every file, whenever this process is killed.
  await pool.query(`insert into ${SCHEMA}.backup_places (folder) values ($1) on conflict do nothing`, [
    resolve(folder),
  ]);
  await alone(pool, async (client) => {
    const path = join(folder, keyFileName(id));
    const there = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return undefined;
      throw error;
    });
    const before = there === undefined ? { accounts: {}, erased: [] } : parsed(path, there);
    const { keys, erased } = await known(client);
    await rewrite(path, { accounts: { ...before.accounts, ...keys }, erased: [...before.erased, ...erased] });
  });
}

/** Takes the keys of erased accounts out of all key files beside backups. */
export async function clearKeyFiles(pool: Pool): Promise<ClearedKeyFiles> {
  return alone(pool, async (client) => {
    const { rows } = await client.query<{ folder: string }>(
      `select folder from ${SCHEMA}.backup_places order by folder`,
    );
    const { erased } = await known(client);
    const cleared: string[] = [];
    const unreachable: string[] = [];
    for (const { folder } of rows)
      try {
        for (const name of (await readdir(folder)).filter((entry) => NAME.test(entry))) {
          const path = join(folder, name);
          const before = await readKeyFile(path);
          await rewrite(path, { ...before, erased: [...before.erased, ...erased] }, true);
          cleared.push(path);
        }
      } catch (error) {
        unreachable.push(`${folder}: ${(error as Error).message}`);
      }
    return { cleared, unreachable };
  });
}

/** Forgets folders of backups that are gone for good. @throws InvalidInput naming a folder that has no backups */
export async function forgetBackupPlaces(pool: Pool, folders: readonly string[]): Promise<void> {
  for (const folder of folders) {
    const { rowCount } = await pool.query(`delete from ${SCHEMA}.backup_places where folder = $1`, [
      resolve(folder),
    ]);
    if (rowCount === 0)
      throw new InvalidInput(
        `--gone: expected a folder that this installation wrote backups to, got ${folder}`,
      );
  }
}

/** Puts the keys of a key file into a database that was restored, and notes the folder of the file. */
export async function adoptKeyFile(client: ClientBase, folder: string, file: KeyFile): Promise<void> {
  const wrapped = Object.entries(file.accounts);
  await client.query(
    `insert into ${SCHEMA}.account_keys (account_id, wrapped)
     select id, decode(wrapped, 'base64') from unnest($1::text[], $2::text[]) as k (id, wrapped)
     where exists (select from ${SCHEMA}.accounts where accounts.id = k.id)`,
    [wrapped.map(([id]) => id), wrapped.map(([, text]) => text)],
  );
  await client.query(
    `insert into ${SCHEMA}.account_keys (account_id, erased_at) select id, now() from unnest($1::text[]) as id
     on conflict do nothing`,
    [file.erased],
  );
  await client.query(`insert into ${SCHEMA}.backup_places (folder) values ($1) on conflict do nothing`, [
    resolve(folder),
  ]);
}

/** Runs work while no other process of this installation writes a key file. */
function alone<T>(pool: Pool, work: (client: ClientBase) => Promise<T>): Promise<T> {
  return inTransaction(pool, 'begin', async (client) => {
    await client.query(`lock table ${SCHEMA}.backup_places in share row exclusive mode`);
    return work(client);
  });
}

async function known(client: ClientBase) {
  const { rows } = await client.query<{ id: string; wrapped: Buffer | null }>(
    `select account_id as id, wrapped from ${SCHEMA}.account_keys order by account_id`,
  );
  const keys: Record<string, string> = {};
  const erased: string[] = [];
  for (const { id, wrapped } of rows)
    if (wrapped === null) erased.push(id);
    else keys[id] = wrapped.toString('base64');
  return { keys, erased };
}

/**
 * Replaces a key file, without the keys of erased accounts.
 * @param wipes whether the former content is overwritten too, as far as the file system does that in place
 */
async function rewrite(path: string, { accounts, erased }: KeyFile, wipes = false): Promise<void> {
  const gone = new Set(erased);
  const content = {
    about:
      'Keys of the accounts in the backups beside this file. Never keep older copies: docs/operations.md',
    accounts: Object.fromEntries(Object.entries(accounts).filter(([id]) => !gone.has(id))),
    erased: [...gone].toSorted(),
  };
  const former = wipes ? await open(path, 'r+') : undefined;
  try {
    await replaceFile(path, `${JSON.stringify(content, null, 2)}\n`, 0o600);
    if (former === undefined) return;
    await former.write(Buffer.alloc((await former.stat()).size), 0, undefined, 0);
    await former.sync();
  } finally {
    await former?.close();
  }
}

function parsed(path: string, text: string): KeyFile {
  try {
    const { accounts, erased } = JSON.parse(text) as KeyFile;
    if (
      Array.isArray(erased) &&
      erased.every((id) => typeof id === 'string') &&
      Object.values(accounts).every((key) => typeof key === 'string')
    )
      return { accounts, erased };
  } catch {
    // no JSON: refused below
  }
  throw new InvalidInput(
    `${path}: expected the keys of the accounts, as a backup writes them beside itself, got another file; take it from a copy, or delete it with the backups that need it`,
  );
}
