import { createReadStream, createWriteStream } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { dirname, join, normalize } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Pool } from 'pg';
import { InvalidInput } from '../base/errors.ts';
import { SCHEMA } from '../store/connection/database.ts';
import { BACKUP_FORM, MANIFEST_NAME, type BackupManifest } from './backup.ts';
import { Checksums, SUMS_NAME } from './checksums.ts';
import { copiedTables, inTransaction, migrationsOf, writeTable, type CopiedTable } from './table-copy.ts';
import { readTar, type TarEntry } from './tar.ts';
import { beginRestore } from './unfinished-restore.ts';

/** Entries of an archive, the first of which says what it is. @throws InvalidInput for what is no backup */
async function* entriesOf(path: string): AsyncGenerator<TarEntry & { readonly manifest: BackupManifest }> {
  let manifest: BackupManifest | undefined;
  const sums = new Checksums();
  try {
    for await (const found of readTar(createReadStream(path))) {
      if (found.name === SUMS_NAME) {
        sums.compare(await textOf(found.content));
        continue;
      }
      const entry = sums.take(found);
      if (manifest !== undefined) {
        yield { ...entry, manifest, content: read(path, entry.content) };
        continue;
      }
      if (entry.name !== MANIFEST_NAME) throw new Error('it is no backup');
      manifest = JSON.parse(await textOf(entry.content)) as BackupManifest;
      if (manifest.form !== BACKUP_FORM)
        throw new Error(`it is a backup of form ${manifest.form}; this release reads form ${BACKUP_FORM}`);
    }
  } catch (cause) {
    throw unreadable(path, cause);
  }
}

/** What an entry holds; what is wrong with the archive is told where it is read. */
async function* read(path: string, content: TarEntry['content']): TarEntry['content'] {
  try {
    yield* content;
  } catch (cause) {
    throw unreadable(path, cause);
  }
}

function unreadable(path: string, cause: unknown): InvalidInput {
  if (cause instanceof InvalidInput) return cause;
  return new InvalidInput(`FILE: ${path} cannot be restored: ${(cause as Error).message}`, { cause });
}

/**
 * Puts the files of a backup into a data folder that is empty, not there, or left by a restore that did not end. Until
 * `endRestore` nothing opens it. @throws InvalidInput
 */
export async function restoreFiles(path: string, dataFolder: string): Promise<number> {
  await beginRestore(dataFolder);
  let files = 0;
  for await (const { name, mode, content } of entriesOf(path)) {
    if (!name.startsWith('data/')) {
      for await (const _ of content);
      continue;
    }
    const inside = normalize(name.slice('data/'.length));
    if (inside.startsWith('..') || inside.startsWith('/') || inside.includes('\0'))
      throw new InvalidInput(`FILE: ${path} holds a file that would lie outside the data folder: ${name}`);
    const full = join(dataFolder, inside);
    await mkdir(dirname(full), { recursive: true, mode: 0o700 });
    await pipeline(Readable.from(content), createWriteStream(full, { flags: 'wx', mode, flush: true }));
    files += 1;
  }
  return files;
}

/** Fills a database that has its tables and nothing in them, all or nothing. @throws InvalidInput */
export async function restoreDatabase(path: string, pool: Pool): Promise<number> {
  return inTransaction(pool, 'begin', async (client) => {
    const { rows } = await client.query<{ used: boolean }>(
      `select exists (select from ${SCHEMA}.accounts) or exists (select from ${SCHEMA}.audit_log) as used`,
    );
    if (rows[0]!.used)
      throw new InvalidInput('The database to restore into is in use: expected one without accounts');
    const known = new Map((await copiedTables(client)).map((table) => [table.name, table]));
    const here = await migrationsOf(client);
    // What a new database begins with comes from the backup, too.
    const names = [...known.keys()].filter((name) => name !== 'audit_log');
    await client.query(`truncate ${names.map((name) => `${SCHEMA}."${name}"`).join(', ')}`);
    let rowsOf: CopiedTable | undefined;
    let seen = false;
    for await (const { name, content, manifest } of entriesOf(path)) {
      if (!seen) refuseOthers(manifest, here);
      seen = true;
      const [, table] = /^database\/([^/]+)\/\d+$/.exec(name) ?? [];
      if (table === undefined) {
        for await (const _ of content);
        continue;
      }
      rowsOf = known.get(table);
      if (rowsOf === undefined)
        throw new InvalidInput(`FILE: ${path} holds the table ${table}, unknown here`);
      await writeTable(client, rowsOf, content);
    }
    if (!seen) throw new InvalidInput(`FILE: ${path} holds nothing`);
    return names.length + 1;
  });
}

function refuseOthers({ migrations, version }: BackupManifest, here: readonly string[]): void {
  if (migrations.join() !== here.join())
    throw new InvalidInput(
      `FILE: it was made by release ${version}, whose database differs from this one's (${migrations.at(-1)}, here ${here.at(-1)}): restore it with that release, which this one then brings up to date`,
    );
}

async function textOf(content: AsyncIterable<Buffer>): Promise<string> {
  const parts: Buffer[] = [];
  for await (const part of content) parts.push(part);
  return Buffer.concat(parts).toString('utf8');
}
