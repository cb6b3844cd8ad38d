import { ERASURE } from '../../app/access/erase-account.ts';
import { type BackupSource, restoreDatabase, restoreFiles } from '../../backup/restore.ts';
import { resumeWork } from '../../backup/resume-work.ts';
import { endRestore } from '../../backup/unfinished-restore.ts';
import { InvalidInput } from '../../base/errors.ts';
import type { RestoredBackup } from '../../cli/backups/restored.ts';
import type { Config } from '../../config.ts';
import { migrations } from '../../store/migrations/index.ts';
import { closeList } from '../close-list.ts';
import { makeDataFolder } from '../data-folder.ts';
import { refuseMissingBucket, RestoredCubes } from '../objects/restored-cubes.ts';
import { RestoredLayers } from '../objects/restored-layers.ts';
import { connectDatabase } from '../database.ts';
import type { Installation } from '../installation.ts';
import type { Log } from '../process-log.ts';
import { archiveBox } from '../secret-key.ts';

/**
 * Restores a backup into an empty installation. The database first gets the schema of the release that made the
 * backup, then the rows, then it is migrated like that of any former release.
 * @throws InvalidInput naming what is wrong with the backup, the folder or the database
 */
export async function restoreBackup(
  source: BackupSource,
  parts: {
    readonly config: Config;
    readonly log: Log;
    readonly onServer: (stop: () => Promise<void>) => void;
    readonly open: () => Promise<Installation>;
    readonly actor: string;
  },
): Promise<RestoredBackup> {
  const { config, log, onServer, open, actor } = parts;
  await makeDataFolder(config.dataFolder);
  const restored = await restoreFiles(
    source,
    config.dataFolder,
    (wrapped) => archiveBox(config, wrapped),
    (manifest) => refuseMissingBucket(config, manifest),
  );
  const { files, signedBy, keys, manifest } = restored;
  const { onClose, close } = closeList();
  try {
    const cubes = await RestoredCubes.prepare(config, manifest);
    onClose(() => cubes.close());
    const layers = await RestoredLayers.prepare(config);
    onClose(() => layers.close());
    const former = migrationsOf(manifest);
    const { pool } = await connectDatabase(config, { log, onServer, onClose, migrations: former });
    // The file may have been replaced meanwhile: what it holds now must have the same signer.
    const tables = await restoreDatabase({ ...source, signer: signedBy }, pool, keys, async () => {
      await cubes.publish();
      await layers.publish();
    });
    await cubes.tidy();
    await layers.tidy();
    const { database, deps } = await open(); // migrates; the server runs on for it
    await close();
    await resumeWork(deps.storage, database.db);
    const nowhere = { accountId: null, environment: null, address: null, requestId: null };
    await deps.storage.audit.record(
      keys.skipped.map((target) => ({
        actor,
        action: ERASURE,
        target,
        ...nowhere,
        result: 'done',
        count: 1,
      })),
    );
    await endRestore(config.dataFolder);
    return { tables, files, signedBy, erased: keys.skipped };
  } finally {
    await close();
  }
}

/** The migrations that the database of a backup has had. @throws InvalidInput when this release does not know them */
function migrationsOf({
  migrations: names,
  version,
}: {
  readonly migrations: readonly string[];
  readonly version: string;
}) {
  const unknown = names.filter((name) => !Object.hasOwn(migrations, name));
  if (unknown.length > 0)
    throw new InvalidInput(
      `FILE: it was made by release ${version}, whose database has ${unknown.join(', ')}, which is unknown here: restore it with that release or a newer one`,
    );
  return Object.fromEntries(names.map((name) => [name, migrations[name]!]));
}
