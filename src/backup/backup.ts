import { createWriteStream } from 'node:fs';
import { open, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { PassThrough } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Pool } from 'pg';
import { syncFolder } from '../base/durable-file.ts';
import { InvalidInput } from '../base/errors.ts';
import { encrypted } from './archive-encryption.ts';
import { archiveSigner, SIGNATURE_NAME } from './archive-signature.ts';
import { Checksums, SUMS_NAME } from './checksums.ts';
import { keptFiles } from './kept-files.ts';
import { copiedTables, inTransaction, migrationsOf, readTable } from './table-copy.ts';
import { type TarEntry, TarWriter } from './tar.ts';

/** Version of the archive format. Incremented by each change that older releases cannot read. */
export const BACKUP_FORM = 2;
/** First file of an archive. It describes the archive. */
export interface BackupManifest {
  readonly form: number;
  readonly version: string;
  readonly created_at: string;
  readonly migrations: readonly string[];
  readonly tables: readonly { readonly name: string; readonly columns: readonly string[] }[];
}

export const MANIFEST_NAME = 'manifest.json';
/** File of the data folder that is in no backup: the key that signs them. */
const SIGNING_KEY = 'backup-signing-key';
const PIECE = 8 * 1024 * 1024; // minimum size of each file of a table's rows, except the last [bytes]

/** Contents of a backup. */
export interface BackedUp {
  readonly tables: number;
  readonly files: number;
  /** Length of the archive [bytes]. */
  readonly size: number;
  /** Public key that a restore can ask for. */
  readonly signedBy: string;
}

/**
 * Writes a whole installation into one tar file, while the service may be running. The database is read in one snapshot
 * before the cubes, so that every scene in the backup of the database is also in the backup of its cube. Jobs are not
 * included: a restore queues them again.
 * @throws InvalidInput when the file exists already, or a recipient is no public key
 */
export async function backUp(parts: {
  readonly pool: Pool;
  readonly dataFolder: string;
  readonly path: string;
  /** Public keys of age to which the archive is encrypted; empty: it is a plain tar file. */
  readonly recipients: readonly string[];
  readonly version: string;
  readonly nowMs: number;
}): Promise<BackedUp> {
  const { pool, dataFolder, path, recipients, version, nowMs } = parts;
  const signer = await archiveSigner(join(dataFolder, SIGNING_KEY));
  const taken = await open(path, 'wx', 0o600).catch((cause: unknown) => {
    throw new InvalidInput(`FILE: cannot make ${path}: ${(cause as Error).message}`, { cause });
  });
  await taken.close();
  const draft = `${path}.part`;
  try {
    const out = createWriteStream(draft, { flags: 'w', mode: 0o600, flush: true });
    const archive = new PassThrough();
    const content = recipients.length === 0 ? archive : await encrypted(archive, recipients);
    const written = pipeline(content, out);
    written.catch((error: Error) => archive.destroy(error)); // so that the writer below fails too, and waits for nothing
    const tar = new TarWriter(archive);
    let [tables, files] = [0, 0];
    const sums = new Checksums();
    const entryOf = (name: string, bytes: Buffer): TarEntry => ({
      name,
      size: bytes.length,
      mode: 0o600,
      content: one(bytes),
    });
    const add = async (name: string, bytes: Buffer): Promise<void> =>
      tar.add(sums.take(entryOf(name, bytes)));
    await inTransaction(pool, 'begin isolation level repeatable read read only', async (client) => {
      const copied = await copiedTables(client);
      tables = copied.length;
      const manifest: BackupManifest = {
        form: BACKUP_FORM,
        version,
        created_at: new Date(nowMs).toISOString(),
        migrations: await migrationsOf(client),
        tables: copied,
      };
      await add(MANIFEST_NAME, Buffer.from(`${JSON.stringify(manifest, null, 2)}\n`));
      for (const table of copied) {
        let piece = 0;
        for await (const bytes of inPieces(readTable(client, table))) {
          piece += 1;
          await add(`database/${table.name}/${String(piece).padStart(6, '0')}`, bytes);
        }
      }
    });
    for await (const entry of keptFiles(dataFolder)) {
      await tar.add(sums.take(entry));
      files += 1;
    }
    await tar.add(entryOf(SUMS_NAME, Buffer.from(sums.text())));
    await tar.add(entryOf(SIGNATURE_NAME, Buffer.from(signer.sign(sums.text()))));
    await tar.end();
    await written;
    await rename(draft, path);
    await syncFolder(dirname(path));
    return { tables, files, size: out.bytesWritten, signedBy: signer.publicKey };
  } catch (error) {
    await rm(draft, { force: true });
    await rm(path, { force: true });
    throw error;
  }
}

async function* one(bytes: Buffer): AsyncGenerator<Buffer> {
  yield bytes;
}

/** Combines small chunks into pieces of at least PIECE bytes. The last piece may be smaller. */
async function* inPieces(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let held: Buffer[] = [];
  let length = 0;
  for await (const chunk of chunks) {
    held.push(chunk);
    length += chunk.length;
    if (length < PIECE) continue;
    yield Buffer.concat(held);
    held = [];
    length = 0;
  }
  if (length > 0) yield Buffer.concat(held);
}
