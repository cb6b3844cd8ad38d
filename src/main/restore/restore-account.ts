import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { revealMissedChanges } from '../../app/areas/reveal-missed-changes.ts';
import { unlessMissing } from '../../app/series/missing-cube.ts';
import { colourCubeId } from '../../app/series/colour-cube.ts';
import { snowCubeId } from '../../app/series/snow-cube.ts';
import { restoreFiles } from '../../backup/restore.ts';
import { restoreAccountRows } from '../../backup/restore-account.ts';
import { queueWork } from '../../backup/resume-work.ts';
import { InvalidInput, NotFound } from '../../base/errors.ts';
import type { BackupToRestore, RestoredAccount } from '../../cli/backups/restored.ts';
import { recountUse } from '../../store/account-use.ts';
import type { Installation } from '../installation.ts';
import { refuseMissingBucket, RestoredCubes } from '../objects/restored-cubes.ts';
import { SwappedCubes } from './swapped-cubes.ts';

/** Folder of the data folder for the files of an account while it is restored. */
const STAGE = 'account-restore';
/** Time after its last report in which a node counts as running [s]: nodes report every five. */
const RUNNING_S = 20;

/**
 * Restores one account of a backup into an open installation. What the account has is replaced by what it had;
 * its credentials, members and the audit log stay as they are. A call that was interrupted is repeated.
 * @param named its name here or its id
 * @throws InvalidInput while nodes run
 * @throws NotFound, InvalidInput naming what is wrong with the backup or the account
 */
// Long function: the files, then the rows, then what is left.
export async function restoreAccount(
  source: BackupToRestore,
  named: string,
  { config, deps, database, sealing }: Pick<Installation, 'config' | 'deps' | 'database' | 'sealing'>,
): Promise<RestoredAccount> {
  const { storage, cube } = deps;
  await refuseRunning(storage.nodes);
  const account = (await storage.accounts.byName(named)) ?? (await storage.accounts.find(named));
  if (account === undefined && !named.startsWith('acc_'))
    throw new NotFound(`--account: there is no account ${named} here; expected the id of one in the backup`);
  const accountId = account?.id ?? named;
  const { rows: erased } = await database.pool.query(
    'select from account_keys where account_id = $1 and erased_at is not null',
    [accountId],
  );
  if (erased.length > 0) throw new InvalidInput(`--account: ${accountId} was erased, and cannot be restored`);
  const stage = join(config.dataFolder, STAGE);
  await rm(stage, { recursive: true, force: true });
  await mkdir(stage, { mode: 0o700 });
  const swapped = new SwappedCubes(config, stage);
  let inBucket: RestoredCubes | undefined;
  try {
    const { signedBy, keys, manifest } = await restoreFiles(
      source,
      stage,
      () => Promise.resolve(sealing),
      (found) => refuseMissingBucket(config, found),
      accountId,
    );
    const key = await keys.keyOf(accountId);
    if (key === undefined)
      throw new InvalidInput(`--account: ${accountId} was erased, and cannot be restored`);
    const before = await cubesOf(deps, accountId);
    const cubes = (inBucket = await RestoredCubes.prepare({ ...config, dataFolder: stage }, manifest));
    const tables = await restoreAccountRows(
      { ...source, signer: signedBy },
      database.pool,
      { accountId, key, exists: account !== undefined },
      async () => {
        await cubes.publish();
        await swapped.swap();
      },
    );
    swapped.settle();
    const restored = new Set([...cubes.names, ...swapped.names]);
    for (const id of before) if (!restored.has(id)) await unlessMissing(cube.remove(id));
    await revealMissed({ deps, database }, accountId);
    await recountUse(database.db, accountId);
    await queueWork(storage, database.db, accountId);
    await rm(stage, { recursive: true, force: true });
    return { accountId, tables, cubes: restored.size, signedBy };
  } catch (error) {
    await swapped.undo();
    await rm(stage, { recursive: true, force: true });
    throw error;
  } finally {
    await inBucket?.close();
  }
}

/** @throws InvalidInput while a node of the installation runs */
async function refuseRunning(nodes: Installation['deps']['storage']['nodes']): Promise<void> {
  const running = (await nodes.list()).filter(({ silentS }) => silentS < RUNNING_S);
  if (running.length > 0)
    throw new InvalidInput(
      `Expected an installation whose services are stopped, got ${running.length} that run (${running[0]!.host}); one that ended without notice counts for ${RUNNING_S} s`,
    );
}

/** Shows the areas of an account the changes of shared collections that were published since the backup. */
async function revealMissed(
  { deps, database }: Pick<Installation, 'deps' | 'database'>,
  accountId: string,
): Promise<void> {
  const areas = await database.db
    .selectFrom('aois')
    .select(['id', 'environment'])
    .where('account_id', '=', accountId)
    .where('deleted_at', 'is', null)
    .execute();
  for (const { id, environment } of areas) {
    const owner = { accountId, environment };
    const links = await database.db
      .selectFrom('aoi_changes')
      .select(['change_id', 'status', 'detected_at'])
      .where('aoi_id', '=', id)
      .execute();
    const shown = new Map(
      links.map(({ change_id, status, detected_at }) => [change_id, { status, detectedAt: detected_at }]),
    );
    await deps.storage.boundTo(owner).transaction(async (stores) => {
      const aoi = await stores.aois.find(owner, id);
      if (aoi !== undefined) await revealMissedChanges(stores, aoi, shown);
    });
  }
}

/** The cubes that an account may have. */
async function cubesOf(
  { storage }: Pick<Installation['deps'], 'storage'>,
  accountId: string,
): Promise<readonly string[]> {
  const collections = (await storage.collections.list()).filter((each) => each.accountId === accountId);
  return collections.flatMap(({ id }) => [id, snowCubeId(id), colourCubeId(id)]);
}
