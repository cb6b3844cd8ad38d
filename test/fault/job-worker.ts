/**
 * Process that works on jobs. Run as `job-worker.ts DATABASE_URL NATS_URL MODE`; with an empty NATS_URL it uses pg-boss.
 * It prints a line when a job begins and when it is done.
 * - `work`: takes 100 ms for a job
 * - `hang`: never ends a job
 * - `die-sending`: ends with SIGKILL when messages were sent and the database does not know it yet
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { openDatabase } from '../../src/store/connection/database.ts';
import { JobQueue } from '../../src/store/job-queue.ts';
import { BossEngine } from '../../src/store/jobs/boss-engine.ts';
import type { JobEngine } from '../../src/store/jobs/job-engine.ts';
import { NatsEngine } from '../../src/store/jobs/nats-engine.ts';

const [url = '', servers = '', mode] = process.argv.slice(2);
const database = await openDatabase({
  connection: { connectionString: url },
  log: { info: () => undefined, warn: () => undefined },
  poolSize: 3,
});
const onError = (error: unknown): void => console.error(String(error));
const engine: JobEngine =
  servers === '' ? new BossEngine(database.db, onError) : new NatsEngine(database.db, { servers }, onError);
if (mode === 'die-sending') {
  const send = engine.send.bind(engine);
  engine.send = async (transaction, jobs) => {
    await send(transaction, jobs);
    process.kill(process.pid, 'SIGKILL');
    return await new Promise(() => undefined);
  };
}
const handle = async ({ collectionId }: { readonly collectionId: string }): Promise<void> => {
  console.log(`begun ${collectionId}`);
  await sleep(mode === 'hang' ? 3_600_000 : 100);
  console.log(`done ${collectionId}`);
};
await new JobQueue(database.db, onError, { engine }).work({
  'refresh-anomalies': () => Promise.resolve(),
  'monitor-collection': handle,
  'derive-feeds': handle,
  'help-search': () => Promise.resolve(),
});
console.log('ready');
