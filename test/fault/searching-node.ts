/**
 * Process that works on jobs as a worker does, with blocks of one strip. Run as
 * `searching-node.ts DATABASE_URL FOLDER COLLECTION [held]`. Jobs of other collections end at once: a test may have killed
 * their worker before the queue knew that they were done. It prints a line when it takes the turn of a unit (`take UNIT`),
 * when it ends it (`end UNIT`), and `published`. With `held` it begins the work on its first unit when something is written
 * to its input.
 */
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { monitorChanges } from '../../src/app/changes/monitor-collection.ts';
import { helpSearch } from '../../src/app/changes/share-search.ts';
import type { UnitTurns } from '../../src/app/changes/search/unit-turns.ts';
import { secretBox } from '../../src/auth/secret-box.ts';
import { FolderCubeStore } from '../../src/cube/folder-cube-store.ts';
import { openDatabase } from '../../src/store/connection/database.ts';
import { JobQueue } from '../../src/store/job-queue.ts';
import { openStorage } from '../../src/store/storage.ts';

const [url = '', folder = '', ours = '', isHeld] = process.argv.slice(2);
const mayWork = isHeld === 'held' ? once(process.stdin, 'data') : Promise.resolve();
const database = await openDatabase({
  connection: { connectionString: url },
  log: { info: () => undefined, warn: () => undefined },
  poolSize: 4,
});
const jobs = new JobQueue(database.db, (error) => console.error(String(error)));
const opened = openStorage(database, secretBox(randomBytes(32)), jobs);
const turns: UnitTurns = {
  async take(search, units) {
    const unit = await opened.turns.take(search, units);
    if (unit !== undefined) console.log(`take ${unit}`);
    await mayWork;
    return unit;
  },
  async giveBack(search, unit) {
    await opened.turns.giveBack(search, unit);
    console.log(`end ${unit}`);
  },
};
const deps = { storage: { ...opened, turns }, cube: new FolderCubeStore(folder), version: '9.9.9' };
await jobs.work({
  'refresh-anomalies': () => Promise.resolve(),
  'derive-feeds': () => Promise.resolve(),
  'help-search': (job) => (job.collectionId === ours ? helpSearch(deps, job) : Promise.resolve()),
  'monitor-collection': async ({ collectionId }) => {
    if (collectionId !== ours) return;
    const collection = await deps.storage.collections.find(collectionId);
    await monitorChanges(deps, collection!, { progress: () => undefined, blockStrips: 1 });
    console.log('published');
  },
});
console.log('ready');
