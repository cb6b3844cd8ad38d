import { readFile, statfs } from 'node:fs/promises';
import { join } from 'node:path';
import type { Migration } from 'kysely/migration';
import type { Config } from '../config.ts';
import { openDatabase, type DatabaseConnection, type OpenDatabase } from '../store/connection/database.ts';
import { migrate } from '../store/connection/migrate.ts';
import { startEmbeddedPostgres } from '../store/server/embedded-postgres.ts';
import type { Owner } from '../app/owner.ts';
import type { ReplicaReads, Storage } from '../app/storage.ts';
import { observe } from '../base/observed.ts';
import type { JobQueue } from '../store/job-queue.ts';
import type { Sealing } from '../store/sealing/sealing.ts';
import { openStorage } from '../store/storage.ts';
import { Replica } from '../store/connection/replica.ts';
import type { Log } from './process-log.ts';

export interface DatabaseSteps {
  readonly log: Log;
  /** Called before the embedded server is started, with a function that stops it. */
  readonly onServer: (stop: () => Promise<void>) => void;
  /** Called for each opened resource, with a function that closes it. */
  readonly onClose: (close: () => Promise<void>) => void;
  /** Migrations by name, for the database of a former release. Default: all of this release. */
  readonly migrations?: Readonly<Record<string, Migration>>;
}

/** Connects to the database of `DATABASE_URL`, or starts one in the data folder, and migrates its tables. */
export async function connectDatabase(
  { databaseUrl, dataFolder }: Pick<Config, 'databaseUrl' | 'dataFolder'>,
  { log, onServer, onClose, migrations }: DatabaseSteps,
): Promise<OpenDatabase> {
  let connection: DatabaseConnection;
  if (databaseUrl === undefined) {
    const starting = startEmbeddedPostgres({ dataFolder, log });
    onServer(async () => (await starting).stop());
    const embedded = await starting;
    onClose(() => embedded.stop());
    connection = embedded.connection;
  } else {
    connection = { connectionString: databaseUrl };
  }
  await migrate({ connection, log, ...(migrations !== undefined && { migrations }) });
  const database = await openDatabase({ connection, log });
  onClose(() => database.close());
  return database;
}

interface ReplicaSteps extends Pick<DatabaseSteps, 'log' | 'onClose'> {
  readonly sealing: Sealing;
  readonly jobs: JobQueue;
}

/** Opens the replica of `GROUNDWATCH_DATABASE_REPLICA_URL` at its first use; undefined when none is set. */
export function openReplica(
  { replicaUrl }: Pick<Config, 'replicaUrl'>,
  { db: primary }: Pick<OpenDatabase, 'db'>,
  { log, onClose, sealing, jobs }: ReplicaSteps,
): ReplicaReads | undefined {
  if (replicaUrl === undefined) return undefined;
  const connection = { connectionString: replicaUrl };
  const replica = new Replica({
    primary,
    open: () => openDatabase({ connection, log, isReplica: true }),
    onChange: (problem) =>
      problem === undefined
        ? log.info('The replica of the database answers lists')
        : log.warn(`The replica of the database does not answer lists: ${problem}`),
  });
  onClose(() => replica.close());
  const storages = new WeakMap<OpenDatabase, Storage>();
  return {
    async upToDate(owner: Owner) {
      const found = await replica.upToDate();
      observe({ kind: 'replica-read', outcome: found.state });
      if (found.state !== 'ready') return undefined;
      const { database } = found;
      let storage = storages.get(database);
      if (storage === undefined) storages.set(database, (storage = openStorage(database, sealing, jobs)));
      return storage.boundTo(owner);
    },
    failed: (error) => replica.failed(error),
  };
}

/** Returns the reason why the database cannot be used; undefined when it answers. */
export async function databaseTrouble(database: OpenDatabase): Promise<string | undefined> {
  try {
    await database.probe();
    return undefined;
  } catch (error) {
    return `the database does not answer: ${(error as Error).message}`;
  }
}

/** Returns the reason why nothing can be written to a database that answers; undefined when it can. */
export async function databaseShortage(database: OpenDatabase): Promise<string | undefined> {
  const isLacking = await database.room.isLacking(database.pool).catch(() => false); // what does not answer is not ready
  return isLacking
    ? 'the disk of the database is full: calls that write fail, those that read do not'
    : undefined;
}

/** Free space below which a disk counts as full [bytes]: a segment of PostgreSQL's write-ahead log, 16 MB by default. */
const FULL_BELOW_BYTES = 16 * 2 ** 20;

/**
 * Returns which of some folders lie on a full disk, as a sentence without their paths; undefined when none does. It
 * tells so before a write fails. A folder that is not there, or whose disk says nothing of its size, has room.
 * @param folders path and what it is called, such as `the data folder`
 */
export async function diskShortage(
  folders: readonly { readonly path: string; readonly called: string }[],
  look: (
    path: string,
  ) => Promise<{ readonly bavail: number; readonly bsize: number; readonly blocks: number }> = statfs,
): Promise<string | undefined> {
  const full: string[] = [];
  for (const { path, called } of folders) {
    const disk = await look(path).catch(() => undefined);
    if (disk === undefined || disk.blocks === 0) continue;
    if (disk.bavail * disk.bsize < FULL_BELOW_BYTES) full.push(called);
  }
  if (full.length === 0) return undefined;
  return `the disk of ${full.join(' and of ')} is full: calls and commands that write may fail`;
}

/** Folders of an installation that are written to: the data folder and, where it may lie elsewhere, its own database. */
export async function writtenFolders({
  databaseUrl,
  dataFolder,
}: Pick<Config, 'databaseUrl' | 'dataFolder'>): Promise<
  { readonly path: string; readonly called: string }[]
> {
  const data = { path: dataFolder, called: 'the data folder' };
  if (databaseUrl !== undefined) return [data];
  const elsewhere = await readFile(join(dataFolder, 'postgres-location'), 'utf8').catch(() => undefined);
  return [data, { path: elsewhere?.trim() ?? join(dataFolder, 'postgres'), called: 'the database' }];
}
