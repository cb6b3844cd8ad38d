/**
 * Process that only scores the watches against flooded layers, and prints a line for each committed batch. Run as
 * `rescoring-node.ts DATABASE_URL`.
 */
import { randomBytes } from 'node:crypto';
import { rescoreWatches, watchScope } from '../../src/app/watches/rescore-watches.ts';
import { secretBox } from '../../src/auth/secret-box.ts';
import { openDatabase } from '../../src/store/connection/database.ts';
import { JobQueue } from '../../src/store/job-queue.ts';
import { openStorage } from '../../src/store/storage.ts';
import { floodedSnapshot } from '../fixtures/flooded-layers.ts';

const SCOPE = { environment: 'production', peril: 'flood' } as const;
const DEPTH_M = 2;

const connection = { connectionString: process.argv[2]! };
const database = await openDatabase({
  connection,
  log: { info: () => undefined, warn: () => undefined },
  poolSize: 2,
});
const jobs = new JobQueue(database.db, () => undefined);
const storage = openStorage(database, secretBox(randomBytes(32)), jobs);
const snapshot = floodedSnapshot('deep', () => DEPTH_M);
await storage.watches.adopt([watchScope('production', 'flood', snapshot)], true);
console.log('begun');
await rescoreWatches({ clock: { now: () => Date.now() }, storage }, SCOPE, snapshot, {
  onBatch: ({ scored }) => console.log(scored),
});
await database.close();
