/**
 * Cost of the first page of every list, with each of its filters, beside the number of rows of its account: median
 * (and shortest) time of a call, and pages of the database that its queries read, under row-level security. With the
 * word `migrations` also the time of the migrations since release 1.3.0, at the largest number. Give these as NAME...;
 * the default is 1000 100000 1000000, which takes some 10 minutes.
 */
import { randomBytes } from 'node:crypto';
import type { Owner } from '../src/app/owner.ts';
import { secretBox } from '../src/auth/secret-box.ts';
import { openDatabase } from '../src/store/connection/database.ts';
import { migrate } from '../src/store/connection/migrate.ts';
import { JobQueue } from '../src/store/job-queue.ts';
import { migrations } from '../src/store/migrations/index.ts';
import { openStorage } from '../src/store/storage.ts';
import { dropDatabase, emptyDatabase, SILENT, testDatabase } from '../test/fixtures/database.ts';
import { explainedHandle } from '../test/fixtures/explained.ts';
import { fillAccount } from '../test/fixtures/large-account.ts';
import { listCalls } from '../test/fixtures/list-calls.ts';
import { principal, testApp } from '../test/fixtures/test-app.ts';

const LIMIT = 100;
const ROUNDS = 15;

const words = process.argv.slice(2);
const given = words.map(Number).filter(Number.isFinite);
const counts = given.length > 0 ? given : [1_000, 100_000, 1_000_000];
const sealing = secretBox(randomBytes(32));
/** Cells of the table: a row per list and filter, a column per count. */
const table = new Map<string, string[]>();

for (const count of counts) {
  const database = await testDatabase();
  const jobs = new JobQueue(database.db, () => undefined);
  const storage = openStorage(database, sealing, jobs);
  const { id: accountId } = await storage.accounts.create('large');
  const owner: Owner = { accountId, environment: 'production' };
  const first = await fillAccount(database.db, owner, count);
  // On a running server, autovacuum does this. Without it, it would run beside the measurement.
  const client = await database.pool.connect();
  for (const statement of ['set statement_timeout = 0', 'vacuum', 'checkpoint'])
    await client.query(statement);
  client.release(true);
  const authenticator = { authenticate: () => () => Promise.resolve(principal(owner)) };
  let pages = 0;
  const handle = await explainedHandle(database.url, owner, ({ plan }) => {
    pages += plan['Shared Hit Blocks'] + plan['Shared Read Blocks'];
  });
  const explained = openStorage({ db: handle, boundTo: () => handle }, sealing, jobs);
  const timedApp = await testApp({ storage, authenticator });
  const explainedApp = await testApp({ storage: explained, authenticator });
  for (const { id, filter, url } of listCalls(first, LIMIT)) {
    const times: number[] = [];
    for (let round = 0; round < ROUNDS; round++) {
      const began = performance.now();
      const { status, text } = await timedApp.call({ method: 'GET', url });
      times.push(performance.now() - began);
      if (status !== 200) throw new Error(`${url}: ${text}`);
    }
    pages = 0;
    await explainedApp.call({ method: 'GET', url });
    const median = times.toSorted((a, b) => a - b)[Math.floor(ROUNDS / 2)]!;
    const name = `${id} ${filter}`.trim();
    table.set(name, [
      ...(table.get(name) ?? []),
      `${median.toFixed(1)} (${Math.min(...times).toFixed(1)}) ms, ${pages}`,
    ]);
  }
  await timedApp[Symbol.asyncDispose]();
  await explainedApp[Symbol.asyncDispose]();
  await handle.destroy();
  await jobs.close();
  await database.close();
}

console.log(`| List, page of ${LIMIT} | ${counts.map((count) => count.toLocaleString('en')).join(' | ')} |`);
console.log(`| --- | ${counts.map(() => '---').join(' | ')} |`);
for (const [name, cells] of table) console.log(`| ${name} | ${cells.join(' | ')} |`);

if (words.includes('migrations')) await timeMigrations(Math.max(...counts));
process.exit(0);

/** Fills a database as release 1.3.0 has it, and migrates it. */
async function timeMigrations(most: number): Promise<void> {
  const url = await emptyDatabase();
  const connection = { connectionString: url };
  const released = Object.entries(migrations).filter(([name]) => name <= '0011-simulated');
  await migrate({ connection, log: SILENT, migrations: Object.fromEntries(released) });
  const database = await openDatabase({ connection, log: SILENT });
  const { id: accountId } = await openStorage(
    database,
    sealing,
    new JobQueue(database.db, () => undefined),
  ).accounts.create('large');
  await fillAccount(database.db, { accountId, environment: 'production' }, most, undefined, 'former');
  await database.close();
  const timed = Object.entries(migrations).map(([name, migration]) => [
    name,
    {
      up: async (db: Parameters<typeof migration.up>[0]) => {
        const began = performance.now();
        await migration.up(db);
        console.log(`${name}: ${((performance.now() - began) / 1000).toFixed(1)} s at ${most} rows`);
      },
    },
  ]);
  await migrate({ connection, log: SILENT, migrations: Object.fromEntries(timed) });
  await dropDatabase(url);
}
