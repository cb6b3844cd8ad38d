/**
 * What a service without work costs: the questions that it asks its database in a minute, those asked most, and the
 * processor time of the service and of PostgreSQL. Compares them with their budgets. GROUNDWATCH_BENCH_IDLE_S sets the
 * time of the measurement [s].
 */
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { availableParallelism, loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';
import { startEmbeddedPostgres } from '../src/store/server/embedded-postgres.ts';
import { treeS } from './service/process-cost.ts';
import { startService } from './service/running-service.ts';

const SECONDS = Number(process.env['GROUNDWATCH_BENCH_IDLE_S'] ?? 60);
const SETTLE_S = 30; // after the start, so that its work is over
const QUESTIONS_BUDGET = 4; // a second
const SERVICE_BUDGET = 0.02; // share of a processor
const DATABASE_BUDGET = 0.01;
const MOST_SHOWN = 12;
const SILENT = { info: () => undefined, warn: () => undefined };

const load = (): string =>
  loadavg()
    .map((value) => value.toFixed(2))
    .join(' ');
const verdict = (value: number, budget: number): string => (value <= budget ? 'within' : 'OVER');

console.log(`${availableParallelism()} processors, load ${load()}, Node ${process.version}`);
const folder = await mkdtemp(join(tmpdir(), 'groundwatch-idle-'));
await chmod(folder, 0o755); // PostgreSQL runs as another user when the benchmark runs as root
const settings = { shared_preload_libraries: 'pg_stat_statements' };
const embedded = await startEmbeddedPostgres({ dataFolder: folder, log: SILENT, settings });
const { host, port, user, password, database } = embedded.connection;
const client = new Client(embedded.connection);
try {
  await client.connect();
  await client.query('create schema bench; create extension pg_stat_statements schema bench');
  const way = new URLSearchParams({ host, port: String(port) });
  const databaseUrl = `postgres://${user}:${encodeURIComponent(password)}@localhost/${database}?${way.toString()}`;
  const service = await startService({ databaseUrl });
  try {
    await sleep(SETTLE_S * 1000);
    await client.query('select bench.pg_stat_statements_reset()');
    const before = { service: treeS(service.pid), database: treeS(embedded.pid), at: performance.now() };
    await sleep(SECONDS * 1000);
    const seconds = (performance.now() - before.at) / 1000;
    const share = (now: number, then: number): number => (now - then) / seconds;
    const ofService = share(treeS(service.pid), before.service);
    const ofDatabase = share(treeS(embedded.pid), before.database);
    const { rows } = await client.query<{ query: string; calls: number }>(
      `select regexp_replace(left(query, 400), '\\s+', ' ', 'g') as query, sum(calls)::int as calls
      from bench.pg_stat_statements where query not like '%pg_stat_statements%' group by 1 order by 2 desc`,
    );
    const perSecond = rows.reduce((sum, { calls }) => sum + calls, 0) / seconds;
    const percent = (value: number): string => `${(value * 100).toFixed(2)} %`;
    const row = (what: string, value: string, note: string): void =>
      console.log(`${what.padEnd(34)} ${value.padStart(8)}  ${note}`);
    row(
      'questions a second',
      perSecond.toFixed(2),
      `${verdict(perSecond, QUESTIONS_BUDGET)} ${QUESTIONS_BUDGET}`,
    );
    row(
      'processor time of the service',
      percent(ofService),
      `${verdict(ofService, SERVICE_BUDGET)} ${percent(SERVICE_BUDGET)} of one`,
    );
    row(
      'processor time of PostgreSQL',
      percent(ofDatabase),
      `${verdict(ofDatabase, DATABASE_BUDGET)} ${percent(DATABASE_BUDGET)} of one`,
    );
    for (const { query, calls } of rows.slice(0, MOST_SHOWN))
      row(`  ${query.slice(0, 90)}`, ((calls * 60) / seconds).toFixed(0), 'a minute');
  } finally {
    await service.stop();
  }
  console.log(`load at the end ${load()}`);
} finally {
  await client.end();
  await embedded.stop();
  await rm(folder, { recursive: true, force: true });
}
