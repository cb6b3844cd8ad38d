import { createWriteStream } from 'node:fs';
import { open, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { PassThrough } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { ClientBase, Pool } from 'pg';
import { syncFolder } from '../base/durable-file.ts';
import { InvalidInput } from '../base/errors.ts';
import type { LayerHome } from '../sources/layers/layer-home.ts';
import { SCHEMA } from '../store/connection/database.ts';
import type { Sealing } from '../store/sealing/sealing.ts';
import { accountKeys, type BackupKey, backupKey } from './account-keys.ts';
import { encrypted } from './archive-encryption.ts';
import { archiveSigner, SIGNATURE_NAME } from './archive-signature.ts';
import { Checksums, SUMS_NAME } from './checksums.ts';
import { type FileOwners, fileOwners, sealedName } from './file-owners.ts';
import { keptFiles } from './kept-files.ts';
import { keyFileName, renewKeyFile } from './key-file.ts';
import {
  addObjectCubes,
  type BackedCubes,
  type BackedObjects,
  type NamedBucket,
  newBackupId,
} from './object-cubes.ts';
import { sealedEntry } from './sealed-file.ts';
import { type KeyOf, packRows } from './sealed-rows.ts';
import { copiedTables, inTransaction, migrationsOf, readErasedEntries, readTable } from './table-copy.ts';
import { type TarEntry, TarWriter } from './tar.ts';

/** Version of the archive format. Incremented by each change that older releases cannot read. */
export const BACKUP_FORM = 3;
/** Version of an archive that names objects of a bucket in place of having them. */
export const NAMING_FORM = 4;
/** First file of an archive. It describes the archive. */
export interface BackupManifest {
  readonly form: number;
  readonly version: string;
  readonly created_at: string;
  readonly migrations: readonly string[];
  readonly tables: readonly { readonly name: string; readonly columns: readonly string[] }[];
  /** The key of backups (base64), sealed under the installation's key; missing in archives of form 2. */
  readonly backup_key?: { readonly id: string; readonly box: string };
  /** Keys of the installation that a key service encrypted; missing in archives of form 2. */
  readonly wrapped_keys?: readonly WrappedKey[];
  /** The bucket that has what the archive only names; missing when the archive has everything. */
  readonly objects?: NamedBucket & {
    /** Name of the backup in the bucket. */
    readonly backup: string;
  };
}

/** A key of the installation that a key service encrypted. */
export interface WrappedKey {
  readonly id: string;
  readonly wrapped: string;
}

export const MANIFEST_NAME = 'manifest.json';
/** File of the data folder that is in no backup: the key that signs them. */
export const SIGNING_KEY = 'backup-signing-key';

/** Contents of a backup. */
export interface BackedUp {
  readonly tables: number;
  readonly files: number;
  /** Length of the archive [bytes]. */
  readonly size: number;
  /** Public key that a restore can ask for. */
  readonly signedBy: string;
  /** Path of the file beside the archive that has the keys of the accounts. */
  readonly accountKeys: string;
  /** The cubes of the bucket; undefined when cubes are files. */
  readonly objects: BackedCubes | undefined;
}

/** What a backup is made of, and where it goes. */
export interface BackupParts {
  readonly pool: Pool;
  readonly sealing: Sealing;
  readonly dataFolder: string;
  /** The installed layers; default: those of the data folder. */
  readonly layers?: LayerHome;
  readonly path: string;
  /** Public keys of age to which the archive is encrypted; empty: it is a plain tar file. */
  readonly recipients: readonly string[];
  readonly version: string;
  readonly nowMs: number;
  /** The bucket with the cubes; undefined when they are in the data folder. */
  readonly objects?: BackedObjects | undefined;
}

/**
 * Writes a whole installation into one tar file, while the service may be running. The database is read in one snapshot
 * before the cubes, so that every scene in the backup of the database is also in the backup of its cube. What belongs to
 * an account is encrypted under the account's key, which is in a file beside the archive. Jobs and sessions are not
 * included: a restore queues the jobs again.
 * @throws InvalidInput when the file exists already, or a recipient is no public key
 */
export async function backUp(parts: BackupParts): Promise<BackedUp> {
  const { pool, sealing, dataFolder, path, recipients, objects, nowMs } = parts;
  const signer = await archiveSigner(join(dataFolder, SIGNING_KEY));
  const kept = await backupKey(pool, sealing);
  const taken = await open(path, 'wx', 0o600).catch((cause: unknown) => {
    throw new InvalidInput(`FILE: cannot make ${path}: ${(cause as Error).message}`, { cause });
  });
  await taken.close();
  const draft = `${path}.part`;
  const id = newBackupId(nowMs);
  let cubes: BackedCubes | undefined;
  try {
    const out = createWriteStream(draft, { flags: 'w', mode: 0o600, flush: true });
    const archive = new PassThrough();
    const content = recipients.length === 0 ? archive : await encrypted(archive, recipients);
    const written = pipeline(content, out);
    written.catch((error: Error) => archive.destroy(error)); // so that the writer below fails too, and waits for nothing
    const tar = new TarWriter(archive);
    const sums = new Checksums();
    const add = (entry: TarEntry): Promise<void> => tar.add(sums.take(entry));
    const { tables, owners } = await addTables(parts, kept, id, add);
    const files = await addFiles(parts, owners, add);
    if (objects !== undefined) cubes = await addObjectCubes(objects, { id, nowMs }, owners, add);
    await tar.add(entryOf(SUMS_NAME, Buffer.from(sums.text())));
    await tar.add(entryOf(SIGNATURE_NAME, Buffer.from(signer.sign(sums.text()))));
    await tar.end();
    await written;
    const folder = dirname(path);
    await renewKeyFile(pool, folder, kept.id); // first, so that no archive is ever without its keys
    await rename(draft, path);
    await syncFolder(folder);
    const accountKeyFile = join(folder, keyFileName(kept.id));
    const { publicKey: signedBy } = signer;
    return { tables, files, size: out.bytesWritten, signedBy, accountKeys: accountKeyFile, objects: cubes };
  } catch (error) {
    if (cubes?.id !== undefined) await objects?.cubes.release(cubes.id).catch(() => undefined);
    await rm(draft, { force: true });
    await rm(path, { force: true });
    throw error;
  }
}

type AddEntry = (entry: TarEntry) => Promise<void>;

/** Adds the manifest and the rows of all tables. @returns the number of tables, and whose the files are */
async function addTables(
  { pool, version, nowMs, dataFolder, objects }: BackupParts,
  kept: BackupKey,
  id: string,
  add: AddEntry,
): Promise<{ readonly tables: number; readonly owners: FileOwners }> {
  return inTransaction(pool, 'begin isolation level repeatable read read only', async (client) => {
    const tables = await copiedTables(client);
    const manifest: BackupManifest = {
      form: objects?.copies === false ? NAMING_FORM : BACKUP_FORM,
      version,
      created_at: new Date(nowMs).toISOString(),
      migrations: await migrationsOf(client),
      tables,
      backup_key: { id: kept.id, box: kept.box.toString('base64') },
      wrapped_keys: await wrappedKeys(client),
      ...(objects?.copies === false && { objects: { ...objects.place, backup: id } }),
    };
    await add(entryOf(MANIFEST_NAME, Buffer.from(`${JSON.stringify(manifest, null, 2)}\n`)));
    const { rows: accounts } = await client.query<{ id: string }>(`select id from ${SCHEMA}.accounts`);
    // Read and made outside of the snapshot: an account that is being erased has no key any more.
    const keys = await accountKeys(
      pool,
      kept,
      accounts.map(({ id }) => id),
    );
    const keyOf = (accountId: string): Buffer | undefined => keys.get(accountId);
    const addRows = async (table: string, rows: AsyncIterable<Buffer>, whose: KeyOf | 'remains') => {
      for await (const { name, bytes } of packRows(table, rows, whose)) await add(entryOf(name, bytes));
    };
    for (const table of tables) {
      await addRows(table.name, readTable(client, table), keyOf);
      if (table.name === 'audit_log') await addRows(table.name, readErasedEntries(client, table), 'remains');
    }
    return { tables: tables.length, owners: await fileOwners(client, dataFolder, keyOf) };
  });
}

async function wrappedKeys(client: ClientBase): Promise<readonly WrappedKey[]> {
  const { rows } = await client.query<WrappedKey>(
    `select id, wrapped from ${SCHEMA}.wrapped_keys order by created_at desc, id`,
  );
  return rows;
}

/** Adds the files of the data folder. @returns their number */
async function addFiles(
  { dataFolder, layers }: BackupParts,
  owners: FileOwners,
  add: AddEntry,
): Promise<number> {
  let files = 0;
  const wants = (name: string): boolean => owners.ownerOf(name) !== 'left out';
  for await (const entry of keptFiles(dataFolder, wants, layers)) {
    const owner = owners.ownerOf(entry.name.slice('data/'.length));
    await add(
      typeof owner === 'object' ? sealedEntry(entry, sealedName(entry.name, owner.id), owner.key) : entry,
    );
    files += 1;
  }
  return files;
}

function entryOf(name: string, bytes: Buffer): TarEntry {
  return { name, size: bytes.length, mode: 0o600, content: one(bytes) };
}

async function* one(bytes: Buffer): AsyncGenerator<Buffer> {
  yield bytes;
}
