import { createWriteStream } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { dirname, join, normalize } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Pool } from 'pg';
import { InvalidInput } from '../base/errors.ts';
import { SCHEMA } from '../store/connection/database.ts';
import { openArchive } from './archive-encryption.ts';
import { BACKUP_FORM, MANIFEST_NAME, NAMING_FORM, type BackupManifest } from './backup.ts';
import { ArchiveKeys, type OpenBox } from './archive-keys.ts';
import { placeOf } from './file-owners.ts';
import { openedContent } from './sealed-file.ts';
import { unpackRows } from './sealed-rows.ts';
import { ArchiveErrors, signedEntries, textOf } from './signed-entries.ts';
import { copiedTables, inTransaction, migrationsOf, writeTable } from './table-copy.ts';
import { readTar, type TarEntry } from './tar.ts';
import { beginRestore } from './unfinished-restore.ts';

/** An archive, and what a restore demands of it. */
export interface BackupSource {
  readonly path: string;
  /** Content of a file of secret keys of age; undefined: the archive is not encrypted. */
  readonly identity?: string | undefined;
  /** Public key that must have signed the archive; undefined: any. */
  readonly signer?: string | undefined;
  /** Path of the file with the keys of the accounts; undefined: beside the archive. */
  readonly keys?: string | undefined;
}

/** Archive formats that this release reads: in form 2 nothing is sealed under keys of accounts. */
const READABLE_FORMS: readonly number[] = [2, BACKUP_FORM, NAMING_FORM];
/** Form without a signature, of release 1.3.0. Read all the same, it would let anyone take the signature off a backup. */
const UNSIGNED_FORM = 1;
/** Tables in archives of form 2 that are not restored. */
const DROPPED = new Set(['sessions']);

/**
 * Reads the entries that follow the manifest in an archive. Each is returned together with the manifest. Checksums and
 * signature come last, so nothing that was read may count before the end.
 * @param onSigner receives the public key that signed the archive
 * @throws InvalidInput when the archive is not a backup, is damaged, or was altered
 */
export async function* entriesOf(
  { path, identity, signer }: BackupSource,
  onSigner: (key: string) => void = () => {},
): AsyncGenerator<TarEntry & { readonly manifest: BackupManifest }> {
  const errors = new ArchiveErrors(path, 'restored');
  let manifest: BackupManifest | undefined;
  try {
    const end = { signer, mostSumsBytes: Infinity, onSigner }; // as long as the backup has files
    for await (const entry of signedEntries(readTar(await openArchive(path, identity)), end)) {
      if (manifest !== undefined) {
        yield { ...entry, manifest, content: errors.within(entry.content) };
        continue;
      }
      if (entry.name !== MANIFEST_NAME) throw new Error('it is not a backup');
      manifest = JSON.parse(await textOf(entry, Infinity)) as BackupManifest;
      if (manifest.form === UNSIGNED_FORM)
        throw new Error(
          'it is a backup of release 1.3.0, which signed none: restore it with that release, then start this one on its data folder',
        );
      if (!READABLE_FORMS.includes(manifest.form))
        throw new Error(
          `it is a backup of form ${manifest.form}; this release reads forms ${READABLE_FORMS.join(', ')}`,
        );
    }
  } catch (cause) {
    throw errors.naming(cause);
  }
}

/** What {@link restoreFiles} found. */
export interface RestoredFiles {
  readonly files: number;
  /** Public key that signed the archive. */
  readonly signedBy: string;
  readonly manifest: BackupManifest;
  readonly keys: ArchiveKeys;
}

/**
 * Extracts the files of a backup into a data folder that is empty or was left by an unfinished restore. Their modes are
 * not taken: whoever restores owns them alone. Until
 * `endRestore` is called, the service refuses to open the folder.
 * @param openBox opens the installation's key, when the file of it, if there is one, was extracted
 * @param accept called with the manifest before anything is extracted; it may throw
 * @param only account whose files are extracted, and nothing else; undefined: all files
 * @throws InvalidInput when the folder has other contents, the archive is not a valid backup, or keys of its accounts
 * are missing
 */
export async function restoreFiles(
  source: BackupSource,
  dataFolder: string,
  openBox: OpenBox,
  accept: (manifest: BackupManifest) => void = () => {},
  only?: string,
): Promise<RestoredFiles> {
  const { path } = source;
  const errors = new ArchiveErrors(path, 'restored');
  await beginRestore(dataFolder);
  let files = 0;
  let signedBy = '';
  let found: { readonly manifest: BackupManifest; readonly keys: ArchiveKeys } | undefined;
  for await (const entry of entriesOf(source, (key) => (signedBy = key))) {
    const { manifest } = entry;
    if (found === undefined) accept(manifest);
    found ??= { manifest, keys: await ArchiveKeys.of(source, manifest, openBox) };
    const named = placeOf(entry.name);
    const place = only === undefined || named?.account === only ? named : undefined;
    const key = place?.account === undefined ? undefined : await found.keys.keyOf(place.account);
    if (place === undefined || (place.account !== undefined && key === undefined)) {
      for await (const _ of entry.content); // rows, or a file of an account that was erased
      continue;
    }
    const inside = normalize(place.path);
    if (inside.startsWith('..') || inside.startsWith('/') || inside.includes('\0'))
      throw new InvalidInput(
        `FILE: ${path} contains a file that would be extracted outside the data folder: ${entry.name}`,
      );
    const full = join(dataFolder, inside);
    await mkdir(dirname(full), { recursive: true, mode: 0o700 });
    const content = key === undefined ? entry.content : errors.within(openedContent(entry, key));
    await pipeline(
      Readable.from(content),
      createWriteStream(full, { flags: 'wx', mode: 0o600, flush: true }),
    );
    files += 1;
  }
  if (found === undefined) throw new InvalidInput(`FILE: ${path} is empty`);
  return { files, signedBy, ...found };
}

/**
 * Fills the empty tables of a database in one transaction.
 * @param beforeCommit called when all rows are written; if it fails, the database stays empty
 * @returns the number of tables
 * @throws InvalidInput when the database is in use, or the archive is not a backup of the same schema
 */
export async function restoreDatabase(
  source: BackupSource,
  pool: Pool,
  keys: ArchiveKeys,
  beforeCommit: () => Promise<void> = async () => {},
): Promise<number> {
  const { path } = source;
  const errors = new ArchiveErrors(path, 'restored');
  return inTransaction(pool, 'begin', async (client) => {
    const { rows } = await client.query<{ used: boolean }>(
      `select exists (select from ${SCHEMA}.accounts) or exists (select from ${SCHEMA}.audit_log) as used`,
    );
    if (rows[0]!.used)
      throw new InvalidInput('The database to restore into is in use: expected one without accounts');
    const known = new Map((await copiedTables(client)).map((table) => [table.name, table]));
    const here = await migrationsOf(client);
    // Migrations have inserted some rows. These are deleted, since the backup contains them too.
    const names = [...known.keys()].filter((name) => name !== 'audit_log');
    await client.query(`truncate ${names.map((name) => `${SCHEMA}."${name}"`).join(', ')}`);
    let seen = false;
    for await (const { name, content, manifest } of entriesOf(source)) {
      if (!seen) refuseOthers(manifest, here);
      seen = true;
      const [, table] = /^database\/([^/]+)\/(?:remains-)?\d+$/.exec(name) ?? [];
      if (table === undefined || DROPPED.has(table)) {
        for await (const _ of content);
        continue;
      }
      const rowsOf = known.get(table);
      if (rowsOf === undefined)
        throw new InvalidInput(`FILE: ${path} contains the table ${table}, which is unknown here`);
      const plain = manifest.form === 2 ? content : errors.within(unpackRows(name, content, keys));
      await writeTable(client, rowsOf, plain);
    }
    if (!seen) throw new InvalidInput(`FILE: ${path} is empty`);
    await keys.adopt(client);
    await beforeCommit();
    return names.length + 1;
  });
}

/** @throws InvalidInput when a backup has other migrations than the database */
export function refuseOthers({ migrations, version }: BackupManifest, here: readonly string[]): void {
  if (migrations.join() !== here.join())
    throw new InvalidInput(
      `FILE: it was made by release ${version}, whose database schema differs from the one here (${migrations.at(-1)}, here ${here.at(-1)}): restore it into a new database`,
    );
}
