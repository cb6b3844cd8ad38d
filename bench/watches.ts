/**
 * A layer replaced under 100,000 risk watches, of which a tenth cross their threshold, with a webhook that asks for every
 * event: seconds until all are scored and their events committed, the largest resident memory of the node on the way (in
 * a process of its own; the database beside), the same when it is killed half-way and started again, and with two nodes.
 * Then 1,000 watched areas of 1,000 places each. Beside it, as a floor, one statement that updates the same rows and writes no
 * events. Budgets: 60 s for the points, 512 MB, both ours. `watches NAME...`: points, areas, killed, nodes.
 */
import { fork } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, rmSync, chmodSync } from 'node:fs';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'kysely';
import { rescoreWatches, watchScope } from '../src/app/watches/rescore-watches.ts';
import { secretBox } from '../src/auth/secret-box.ts';
import { newId } from '../src/base/ids.ts';
import { openDatabase, type DatabaseConnection } from '../src/store/connection/database.ts';
import { startEmbeddedPostgres } from '../src/store/server/embedded-postgres.ts';
import { JobQueue } from '../src/store/job-queue.ts';
import { migrate } from '../src/store/connection/migrate.ts';
import { openStorage } from '../src/store/storage.ts';
import { floodedSnapshot } from '../test/fixtures/flooded-layers.ts';

const WATCHES = 100_000;
const AREAS = 1000;
const BUDGET_S = 60;
const BUDGET_MB = 512;
const LOG = { info: () => undefined, warn: () => undefined };
const SCOPE = { environment: 'production', peril: 'flood' } as const;
/** Deep west of 13 E, where a tenth of the points and all of the areas are. */
const snapshotOf = (version: string) => floodedSnapshot(version, (lng) => (lng < 13 ? 2 : 0));

/** A node: scores what is stale, then tells its largest memory. */
async function node(connection: DatabaseConnection, version: string): Promise<void> {
  const database = await openDatabase({ connection, log: LOG, poolSize: 2 });
  const storage = openStorage(
    database,
    secretBox(randomBytes(32)),
    new JobQueue(database.db, () => undefined),
  );
  const snapshot = snapshotOf(version);
  await storage.watches.adopt(watchScope('production', 'flood', snapshot), true);
  const deps = { clock: { now: () => Date.now() }, storage };
  process.send!({ begun: true });
  const done = await rescoreWatches(deps, SCOPE, snapshot, {
    onBatch: ({ scored }) => process.send!({ scored }),
  });
  process.send!({ done, rssMb: process.resourceUsage().maxRSS / 1024 });
  await database.close();
  process.disconnect();
}

interface Run {
  readonly seconds: number;
  readonly rssMb: number;
}

/** Runs a node to its end, or kills it once it has scored so many. */
async function run(connection: DatabaseConnection, version: string, killAt = Infinity): Promise<Run> {
  const child = fork(import.meta.filename, ['--node', JSON.stringify(connection), version]);
  let [start, rssMb, killed] = [0, Number.NaN, false];
  child.on('message', (told: { begun?: boolean; scored?: number; rssMb?: number }) => {
    if (told.begun === true) start = performance.now();
    if (told.rssMb !== undefined) rssMb = told.rssMb;
    if ((told.scored ?? 0) >= killAt && !killed) killed = child.kill('SIGKILL');
  });
  const [code] = (await once(child, 'close')) as [number | null];
  if (code !== 0 && !killed) throw new Error(`a node ended with ${code}`);
  return { seconds: (performance.now() - start) / 1000, rssMb };
}

async function main(asked: readonly string[]): Promise<void> {
  const home = mkdtempSync(join(tmpdir(), 'groundwatch-bench-'));
  chmodSync(home, 0o755);
  const server = await startEmbeddedPostgres({ dataFolder: home, log: LOG });
  try {
    const { connection } = server;
    await migrate({ connection, log: LOG });
    const database = await openDatabase({ connection, log: LOG, poolSize: 2 });
    const { db } = database;
    const sealing = secretBox(randomBytes(32));
    const storage = openStorage(database, sealing, new JobQueue(db, () => undefined));
    const { id: accountId } = await storage.accounts.create('bench');
    const owner = { accountId, environment: 'production' } as const;
    const url = 'https://example.com/hook';
    await storage.webhooks.create(
      { ...owner, id: newId('webhook'), url, events: ['*'], status: 'active' },
      's',
    );
    const load = (): string =>
      loadavg()
        .map((value) => value.toFixed(1))
        .join(' ');
    const tell = async (name: string, runs: readonly Run[], expected: number): Promise<void> => {
      const { rows } = await sql<{ events: number; distinct: number; deliveries: number }>`
        select (select count(*) from events)::int as events, (select count(*) from deliveries)::int as deliveries,
          (select count(distinct body::jsonb #>> '{data,watch_id}') from events)::int as "distinct"`.execute(
        db,
      );
      const { events, distinct, deliveries } = rows[0]!;
      const right = events === expected && distinct === expected && deliveries === expected;
      const seconds = Math.max(...runs.map((one) => one.seconds));
      const rssMb = Math.max(...runs.map((one) => one.rssMb));
      console.log(
        `${name.padEnd(40)} ${seconds.toFixed(1)} s, ${rssMb.toFixed(0)} MB, ${events} events of ${expected}` +
          `${right ? '' : ' WRONG'}  ${seconds <= BUDGET_S && rssMb <= BUDGET_MB ? 'within' : 'OVER'} ${BUDGET_S} s and ${BUDGET_MB} MB  (load ${load()})`,
      );
      if (!right) process.exitCode = 1;
    };
    const points = async (): Promise<void> => {
      await sql`truncate risk_watches, events, deliveries, risk_states cascade`.execute(db);
      await sql`
        insert into risk_watches (account_id, environment, id, peril, threshold, lat, lng, risk_score, confidence,
          above, model_version, scored_as, scored_at)
        select ${accountId}, 'production', 'rw_' || md5(i::text), 'flood', 0.7, 40 + i % 100 * 0.1,
          12 + i % 10 * 1.1, 0, 0.4, false, 'flood-v0.3.0', 'before', now()
        from generate_series(1, ${WATCHES}::int) as i`.execute(db);
      await sql`analyze risk_watches`.execute(db);
    };
    const wants = (name: string): boolean => asked.length === 0 || asked.includes(name);
    if (wants('points')) {
      await points();
      const start = performance.now();
      await sql`update risk_watches set risk_score = 0.1, scored_as = 'floor', scored_at = now()`.execute(db);
      console.log(
        `${'floor: one statement over the same rows'.padEnd(40)} ${((performance.now() - start) / 1000).toFixed(1)} s`,
      );
      await points();
      await tell(`${WATCHES} points, one node`, [await run(connection, 'a')], WATCHES / 10);
    }
    if (wants('killed')) {
      await points();
      const first = await run(connection, 'b', WATCHES / 2);
      const second = await run(connection, 'b');
      const seconds = first.seconds + second.seconds;
      await tell('the same, killed half-way, gone on', [{ ...second, seconds }], WATCHES / 10);
    }
    if (wants('nodes')) {
      await points();
      const both = await Promise.all([run(connection, 'c'), run(connection, 'c')]);
      await tell('the same, two nodes at once', both, WATCHES / 10);
    }
    if (wants('areas')) {
      await sql`truncate risk_watches, events, deliveries, risk_states cascade`.execute(db);
      const geometry = {
        type: 'Polygon',
        coordinates: [
          [
            [12, 46],
            [12.1, 46],
            [12.1, 46.1],
            [12, 46.1],
            [12, 46],
          ],
        ],
      };
      await sql`
        insert into aois (account_id, environment, id, name, geometry, bounds, area_m2)
        select ${accountId}, 'production', 'aoi_' || i, 'area', ${JSON.stringify(geometry)}::jsonb,
          box(point(12.1, 46.1), point(12, 46)), 86000000 from generate_series(1, ${AREAS}::int) as i`.execute(
        db,
      );
      await sql`
        insert into risk_watches (account_id, environment, id, peril, threshold, aoi_id, risk_score, confidence, above,
          model_version, scored_as, scored_at)
        select ${accountId}, 'production', 'rw_' || md5(i::text), 'flood', 0.7, 'aoi_' || i, 0, 0.4, false,
          'flood-v0.3.0', 'before', now() from generate_series(1, ${AREAS}::int) as i`.execute(db);
      await tell(`${AREAS} areas of 1,000 places, one node`, [await run(connection, 'd')], AREAS);
    }
    await database.close();
  } finally {
    await server.stop();
    rmSync(home, { recursive: true, force: true });
  }
}

const [mode, connection, version] = process.argv.slice(2);
if (mode === '--node') await node(JSON.parse(connection!) as DatabaseConnection, version!);
else await main(process.argv.slice(2));
