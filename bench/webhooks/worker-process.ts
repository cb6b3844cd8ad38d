// Child process: a delivery worker as the service starts it. It reports its memory and processor time on request.
import { secretBox } from '../../src/auth/secret-box.ts';
import { openDatabase } from '../../src/store/connection/database.ts';
import { deliveryQueue } from '../../src/store/delivery-queue.ts';
import { parseSchedule } from '../../src/webhooks/schedule.ts';
import { startDeliveryWorker } from '../../src/webhooks/worker.ts';
import { SEALING_KEY, SILENT } from './backlog.ts';
import { sinkClient } from './client.ts';
import type { WorkerOrder, WorkerReport } from './messages.ts';
import { DELIVERY_SCHEDULE } from '../../src/contract/limits.ts';

process.once('disconnect', () => process.exit()); // so that a failed benchmark leaves no child process
process.once('message', (order: WorkerOrder) => void start(order));

async function start(order: WorkerOrder): Promise<void> {
  const database = await openDatabase({ connection: order.connection, log: SILENT });
  const client = sinkClient(order.caPem);
  startDeliveryWorker({
    queue: deliveryQueue(database.db, secretBox(SEALING_KEY)),
    post: client.post,
    schedule: parseSchedule(DELIVERY_SCHEDULE),
    userAgent: 'Groundwatch/bench',
    clock: { now: () => Date.now() },
    random: Math.random,
    ...(order.atOnce !== undefined && { lanes: { quick: order.atOnce } }),
    onError: (error) => console.error(error),
  });
  const started = process.cpuUsage();
  process.on('message', () =>
    process.send!([process.memoryUsage().rss, process.cpuUsage(started)] satisfies WorkerReport),
  );
  process.send!('ready');
}
