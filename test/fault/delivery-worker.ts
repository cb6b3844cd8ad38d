// Child process that runs a delivery worker and that the test kills. Its first message contains the `WorkerOrder`.
import { setTimeout as sleep } from 'node:timers/promises';
import { secretBox } from '../../src/auth/secret-box.ts';
import { addressBlocks } from '../../src/net/address-guard.ts';
import { guardedClient } from '../../src/net/guarded-client.ts';
import { openDatabase } from '../../src/store/connection/database.ts';
import type { DatabaseConnection, OpenDatabase } from '../../src/store/connection/database.ts';
import type { ServerLog } from '../../src/store/server/embedded-postgres.ts';
import { deliveryQueue } from '../../src/store/delivery-queue.ts';
import { startDeliveryWorker } from '../../src/webhooks/worker.ts';

const RETRY_MS = 200;

/** Settings of a delivery worker, sent by the test. */
export interface WorkerOrder {
  readonly connection: DatabaseConnection;
  /** Key with which the webhook secrets are encrypted, hexadecimal. */
  readonly sealingKey: string;
  readonly caPem: string;
  readonly schedule: readonly number[];
  readonly timeoutMs: number;
  readonly leaseMs: number;
}

/** Opens the database; retries until the database is available. */
async function open(connection: DatabaseConnection, log: ServerLog): Promise<OpenDatabase> {
  for (;;) {
    try {
      return await openDatabase({ connection, log });
    } catch {
      await sleep(RETRY_MS);
    }
  }
}

process.once('message', (order: WorkerOrder) => {
  void (async () => {
    const log = { info: () => undefined, warn: () => undefined };
    const database = await open(order.connection, log);
    const client = guardedClient({
      allow: addressBlocks(['127.0.0.1']),
      extraCa: order.caPem,
      timeoutMs: order.timeoutMs,
      connectionsPerOrigin: 32,
    });
    startDeliveryWorker({
      queue: deliveryQueue(database.db, secretBox(Buffer.from(order.sealingKey, 'hex'))),
      post: client.post,
      schedule: order.schedule,
      userAgent: 'Groundwatch/test',
      clock: { now: () => Date.now() },
      random: Math.random,
      leaseMs: order.leaseMs,
      onError: () => undefined, // errors are expected, because the test kills the database
    });
    process.send!('working');
  })();
});
// The connection to the test closes when the test has ended or was killed.
process.once('disconnect', () => process.exit());
