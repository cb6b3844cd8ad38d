/**
 * The migrations that put the account into keys and references (decision 78): how long the indexes are built while calls
 * go on, how long they lock their tables then, how long the check of references takes afterwards, the size of the tables
 * and their indexes, and what every list reads before and after: time of the database [ms], pages and rows of its queries,
 * for the first page of each filter. Give a number of rows of each list as NAME...; the default is 100000.
 */
import { randomBytes } from 'node:crypto';
import { loadavg } from 'node:os';
import { sql } from 'kysely';
import type { Owner } from '../src/app/owner.ts';
import { secretBox } from '../src/auth/secret-box.ts';
import { openDatabase } from '../src/store/connection/database.ts';
import { migrate } from '../src/store/connection/migrate.ts';
import { prepareIndexes } from '../src/store/connection/prepared-index.ts';
import { JobQueue } from '../src/store/job-queue.ts';
import { migrations, OWN_TRANSACTIONS, PREPARED } from '../src/store/migrations/index.ts';
import { openStorage } from '../src/store/storage.ts';
import { dropDatabase, emptyDatabase, SILENT } from '../test/fixtures/database.ts';
import { type Explained, explainedHandle, nodesOf, rowsRead } from '../test/fixtures/explained.ts';
import { fillAccount } from '../test/fixtures/large-account.ts';
import { listCalls } from '../test/fixtures/list-calls.ts';
import { principal, testApp } from '../test/fixtures/test-app.ts';

const LIMIT = 20;
const CALLS = 7; // of each list; the median counts

/** What the database did for one call. */
interface Read {
  readonly ms: number;
  readonly pages: number;
  readonly rows: number;
}

const count = Number(process.argv[2] ?? 100_000);
const url = await emptyDatabase();
const connection = { connectionString: url };
const until = (name: string) => Object.fromEntries(Object.entries(migrations).filter(([one]) => one <= name));
const [first = ''] = OWN_TRANSACTIONS;
const before = Object.keys(migrations).filter((name) => name < first);
await migrate({ connection, log: SILENT, migrations: until(before.at(-1)!) });
const database = await openDatabase({ connection, log: SILENT, statementTimeoutMs: 0 });
try {
  await measure();
} catch (error) {
  console.error(error);
  process.exitCode = 1;
} finally {
  await database.close();
  await dropDatabase(url);
}
process.exit();

async function measure(): Promise<void> {
  const { db } = database;
  const jobs = new JobQueue(db, () => undefined);
  const { accounts } = openStorage(database, secretBox(randomBytes(32)), jobs);
  const { id: otherId } = await accounts.create('another');
  const { id: accountId } = await accounts.create('large');
  const owner: Owner = { accountId, environment: 'production' };
  await fillAccount(db, { ...owner, accountId: otherId }, Math.max(1_000, count / 10), '111111');
  const filled = await fillAccount(db, owner, count);
  const prepare = () => sql`vacuum analyze`.execute(db);
  await prepare();
  await migrate({ connection, log: SILENT, migrations: until(before.at(-1)!) }); // gives bound connections their rights
  const sizeBefore = await size();
  const former = await readAll(owner, filled);
  for (const name of OWN_TRANSACTIONS) {
    const begun = performance.now();
    await prepareIndexes(database, () => Promise.resolve(PREPARED[name] ?? []), SILENT);
    console.log(`${name}: indexes built before in ${Math.round(performance.now() - begun)} ms`);
    const start = performance.now();
    await db.transaction().execute(async (transaction) => {
      await migrations[name]!.up(transaction);
    });
    console.log(`${name}: ${Math.round(performance.now() - start)} ms`);
    await sql`insert into groundwatch_migration (name, timestamp) values (${name}, now()::text)`.execute(db);
  }
  const start = performance.now();
  await migrate({ connection, log: SILENT });
  console.log(`check of the references: ${Math.round(performance.now() - start)} ms`);
  await prepare();
  console.log(`size of the database: ${sizeBefore} MB before, ${await size()} MB after`);
  const present = await readAll(owner, filled);
  console.log(`${count} rows of each list, load ${loadavg()[0]!.toFixed(1)}`);
  console.log('| List | ms before, after | Pages | Rows |\n| --- | --- | --- | --- |');
  for (const [list, one] of former) {
    const two = present.get(list)!;
    console.log(
      `| ${list} | ${one.ms.toFixed(2)}, ${two.ms.toFixed(2)} | ${one.pages}, ${two.pages} | ${one.rows}, ${two.rows} |`,
    );
  }
}

/** Size of the database [MB]. */
async function size(): Promise<number> {
  const { rows } = await sql<{ size: string }>`
    select pg_database_size(current_database())::text as size`.execute(database.db);
  return Math.round(Number(rows[0]!.size) / 1e6);
}

/** Calls every list with each of its filters. */
async function readAll(
  owner: Owner,
  filled: Awaited<ReturnType<typeof fillAccount>>,
): Promise<ReadonlyMap<string, Read>> {
  let explained: Explained[] = [];
  const handle = await explainedHandle(url, owner, (one) => explained.push(one));
  const storage = openStorage(
    { db: handle, boundTo: () => handle },
    secretBox(randomBytes(32)),
    new JobQueue(database.db, () => undefined),
  );
  const app = await testApp({
    storage,
    authenticator: { authenticate: () => () => Promise.resolve(principal(owner)) },
  });
  try {
    const found = new Map<string, Read>();
    for (const { id, url: path } of listCalls(filled, LIMIT)) {
      const reads: Read[] = [];
      for (let call = 0; call < CALLS; call++) {
        explained = [];
        const answer = await app.call({ method: 'GET', url: path });
        if (answer.status !== 200) throw new Error(`${path}: ${answer.status} ${answer.text}`);
        const plans = explained.map(({ plan }) => plan);
        reads.push({
          ms: sum(plans.map((plan) => plan['Actual Total Time'])),
          pages: sum(plans.map((plan) => plan['Shared Hit Blocks'] + plan['Shared Read Blocks'])),
          rows: sum(plans.flatMap((plan) => nodesOf(plan).map(rowsRead))),
        });
      }
      const median = reads.toSorted((a, b) => a.ms - b.ms)[CALLS >> 1]!;
      found.set(`${id} ${path.split('?')[1]?.replace(/&?limit=\d+&?/, '') ?? ''}`.trim(), median);
    }
    return found;
  } finally {
    await app[Symbol.asyncDispose]();
    await handle.destroy();
  }
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
