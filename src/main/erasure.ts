import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { ErasureParts } from '../app/access/erase-account.ts';
import type { Deps } from '../app/deps.ts';
import { removeCubes } from '../app/imagery/manage-collections.ts';
import { DEMO_KEY, demoAccount } from '../backup/file-owners.ts';
import { clearKeyFiles } from '../backup/key-file.ts';
import { syncFolder } from '../base/durable-file.ts';
import { accountErasure } from '../store/upkeep/account-erasure.ts';
import type { OpenDatabase } from '../store/connection/database.ts';
import { inTransaction } from '../backup/table-copy.ts';
import type { Sealing } from '../store/sealing/sealing.ts';
import type { OpenCubes } from './objects/cubes.ts';

/** Joins what the erasure of an account needs. */
export function erasureParts(
  {
    clock,
    storage,
    cube,
    dataFolder,
  }: Pick<Deps, 'clock' | 'storage'> & {
    readonly cube: OpenCubes;
    readonly dataFolder: string;
  },
  { pool, db }: Pick<OpenDatabase, 'pool' | 'db'>,
  sealing: Sealing,
): ErasureParts {
  return {
    clock,
    audit: storage.audit,
    erasure: accountErasure(db, sealing),
    clearKeyFiles: () => clearKeyFiles(pool),
    removeFiles: (collectionId) => removeCubes({ cube }, collectionId),
    removeBackedUp: async (accountId) => {
      if ('backups' in cube) await cube.backups.erase(accountId);
    },
    async removeDemoKey(accountId) {
      const demo = await inTransaction(pool, 'begin', (client) => demoAccount(client, dataFolder));
      if (demo !== accountId) return;
      await rm(join(dataFolder, DEMO_KEY), { force: true });
      await syncFolder(dataFolder);
    },
  };
}
