// Child process: one node that scores all stale watches against a version of the layer, then reports its peak memory.
import { randomBytes } from 'node:crypto';
import { rescoreWatches, watchScope } from '../../src/app/watches/rescore-watches.ts';
import { secretBox } from '../../src/auth/secret-box.ts';
import { openDatabase, type DatabaseConnection } from '../../src/store/connection/database.ts';
import { JobQueue } from '../../src/store/job-queue.ts';
import { openStorage } from '../../src/store/storage.ts';
import { floodedSnapshot } from '../../test/fixtures/flooded-layers.ts';

/** Reports of a node, in this order: its start, its progress, its peak resident memory [MB]. */
export type NodeReport = { readonly begun: true } | { readonly scored: number } | { readonly rssMb: number };

const report = (message: NodeReport): unknown => process.send!(message);
const [json, version] = process.argv.slice(2) as [connection: string, version: string];
const connection = JSON.parse(json) as DatabaseConnection;
const log = { info: () => undefined, warn: () => undefined };
const database = await openDatabase({ connection, log, poolSize: 2 });
const storage = openStorage(database, secretBox(randomBytes(32)), new JobQueue(database.db, () => undefined));
// Only places west of 13 degrees east are flooded: a tenth of the points and all areas.
const snapshot = floodedSnapshot(version, (lng) => (lng < 13 ? 2 : 0));
await storage.watches.adopt([watchScope('production', 'flood', snapshot)], true);
report({ begun: true });
await rescoreWatches(
  { clock: { now: () => Date.now() }, storage },
  { environment: 'production', peril: 'flood' },
  snapshot,
  { onBatch: ({ scored }) => report({ scored }) },
);
report({ rssMb: process.resourceUsage().maxRSS / 1024 });
await database.close();
process.disconnect();
