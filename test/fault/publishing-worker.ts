// Child process that publishes changes of collections over and over and that the test kills. Its first message is the
// `PublishingOrder`. It sends a message before each publication.
import { randomBytes } from 'node:crypto';
import type { MonitorRun } from '../../src/app/changes/publish-changes.ts';
import type { Collection } from '../../src/app/series/collection-store.ts';
import { secretBox } from '../../src/auth/secret-box.ts';
import { openDatabase, type DatabaseConnection } from '../../src/store/connection/database.ts';
import { JobQueue } from '../../src/store/job-queue.ts';
import { openStorage } from '../../src/store/storage.ts';
import { claimedChange } from '../fixtures/records.ts';
import { publishChanges } from '../fixtures/publish-changes.ts';

/** What a process publishes. */
export interface PublishingOrder {
  readonly connection: DatabaseConnection;
  readonly collections: readonly Collection[];
  /** Pixels of the changes, one change each. */
  readonly pixels: readonly number[];
  /** Confidence of all changes. Another one makes each change another statement. */
  readonly confidence: number;
}

/** The run of a collection that an order describes. */
export function runOf(
  { pixels, confidence }: Pick<PublishingOrder, 'pixels' | 'confidence'>,
  collection: Collection,
): MonitorRun {
  return {
    stack: [{ collection, scenes: [] }],
    objects: pixels.map((pixel) => claimedChange(collection, [pixel], { confidence })),
    by: { modelVersion: 'change-v1.0.0', softwareVersion: 'groundwatch 1.4.0' },
  };
}

process.once('message', (order: PublishingOrder) => {
  void (async () => {
    const log = { info: () => undefined, warn: () => undefined };
    const database = await openDatabase({ connection: order.connection, log, poolSize: 2 });
    const storage = openStorage(
      database,
      secretBox(randomBytes(32)),
      new JobQueue(database.db, () => undefined),
    );
    for (const collection of order.collections) {
      process.send!('publishing');
      await publishChanges(storage, runOf(order, collection));
    }
    process.exit(0);
  })();
});
