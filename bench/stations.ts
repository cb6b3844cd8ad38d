/**
 * Series at stations: the time to ingest a million points, compared with PostgreSQL's COPY of the same lines; to
 * ingest the same file again; to read 20 years of daily values of 50 stations, and of one of them; and the memory to
 * ingest a file of 20 million lines. GROUNDWATCH_BENCH_LINES sets another number of lines.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream, existsSync, readFileSync } from 'node:fs';
import { chmod, mkdir, mkdtemp, rm } from 'node:fs/promises';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { newId } from '../src/base/ids.ts';
import { ingestPoints } from '../src/app/stations/ingest-points.ts';
import { secretBox } from '../src/auth/secret-box.ts';
import { PointsFileReader } from '../src/sources/stations/points-file.ts';
import { openDatabase } from '../src/store/connection/database.ts';
import { startEmbeddedPostgres } from '../src/store/server/embedded-postgres.ts';
import { JobQueue } from '../src/store/job-queue.ts';
import { migrate } from '../src/store/connection/migrate.ts';
import { openStorage } from '../src/store/storage.ts';
import { DAY_MS } from '../src/base/time.ts';

const PROGRAM = join(import.meta.dirname, '../bin/groundwatch.js');
const POINTS = 1_000_000;
const BUDGET_S = 20; // budget to ingest a million points
const STATIONS = 50;
const DAYS = 7305; // days in twenty years
const READ_BUDGET_MS = 100;
const LONG = Number(process.env['GROUNDWATCH_BENCH_LINES'] ?? 20_000_000);
const SILENT = { info: () => undefined, warn: () => undefined };

function row(name: string, value: string, note = ''): void {
  console.log(`${name.padEnd(58)} ${value.padStart(12)}  ${note}`);
}

/** Writes lines of several stations in order of time; `stepMs` is the time between two lines of one station. */
async function writeLines(path: string, count: number, stations: number, stepMs: number): Promise<void> {
  const file = createWriteStream(path);
  file.write('station,lat,lng,datetime,temperature\n');
  let lines: string[] = [];
  for (let i = 0; i < count; i++) {
    const s = i % stations;
    const at = new Date(Date.UTC(1990, 0, 1) + Math.floor(i / stations) * stepMs).toISOString().slice(0, 19);
    lines.push(`S${s},${40 + s / 10},${10 + s / 10},${at}Z,${(((i * 7919) % 400) / 10 - 10).toFixed(1)}\n`);
    if (lines.length < 20_000 && i < count - 1) continue;
    if (!file.write(lines.join(''))) await once(file, 'drain');
    lines = [];
  }
  file.end();
  await once(file, 'close');
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const start = performance.now();
  await work();
  return performance.now() - start;
}

const folder = await mkdtemp(join(tmpdir(), 'groundwatch-bench-stations-'));
await chmod(folder, 0o755);
const data = join(folder, 'data');
await mkdir(data, { mode: 0o755 });
console.log(`load ${loadavg()[0]!.toFixed(2)} before`);
try {
  const server = await startEmbeddedPostgres({ dataFolder: data, log: SILENT });
  try {
    await migrate({ connection: server.connection, log: SILENT });
    const database = await openDatabase({ connection: server.connection, log: SILENT });
    const jobs = new JobQueue(database.db, (error) => console.error(error));
    const storage = openStorage(database, secretBox(Buffer.alloc(32)), jobs);
    const deps = { storage, clock: { now: () => Date.now() }, points: new PointsFileReader() };
    const ingest = (path: string, collection: string) =>
      ingestPoints(
        deps,
        {
          collection,
          environment: 'production',
          accountId: null,
          file: {
            path,
            metric: 'temperature',
          },
        },
        () => undefined,
      );
    const million = join(folder, 'million.csv');
    await writeLines(million, POINTS, 20, 3_600_000);
    await chmod(million, 0o644);
    await database.pool.query(
      'create table copied (station text, lat float8, lng float8, at timestamptz, value float8)',
    );
    const copy = await timed(() =>
      database.pool.query(`copy copied from '${million}' with (format csv, header)`),
    );
    row("PostgreSQL's COPY of a million lines, no index", `${(copy / 1000).toFixed(2)} s`);
    const first = await timed(() => ingest(million, 'million'));
    row(
      'a million points of 20 stations, by ingest points',
      `${(first / 1000).toFixed(2)} s`,
      `budget ${BUDGET_S} s; ${(first / copy).toFixed(2)} x COPY`,
    );
    row('the same again', `${((await timed(() => ingest(million, 'million'))) / 1000).toFixed(2)} s`);

    const id = newId('collection');
    await storage.stations.create({
      id,
      environment: 'production',
      accountId: null,
      name: 'decades',
      metric: 'wind',
      unit: 'm/s',
      bounds: [10, 45, 10, 45],
    });
    const timesMs = Float64Array.from({ length: DAYS }, (_, i) => i * DAY_MS);
    const values = timesMs.map((_, i) => (i * 7919) % 300);
    for (let s = 0; s < STATIONS; s++)
      await storage.stations.write(id, [
        { station: { key: `S${s}`, lng: 10 + s / 100, lat: 45 }, timesMs, values },
      ]);
    const stations = await storage.stations.stations(id, [9, 44, 12, 46]);
    const median = async (work: () => Promise<unknown>): Promise<number> => {
      const times: number[] = [];
      for (let i = 0; i < 21; i++) times.push(await timed(work));
      return times.toSorted((a, b) => a - b)[10]!;
    };
    const all = await median(() => storage.stations.read(id, stations, -Infinity, Infinity));
    row(
      `reading ${STATIONS} stations x 20 years of days: p50`,
      `${all.toFixed(1)} ms`,
      `budget ${READ_BUDGET_MS} ms`,
    );
    const one = await median(() => storage.stations.read(id, stations.slice(0, 1), -Infinity, Infinity));
    row('reading one of them: p50', `${one.toFixed(2)} ms`);
    await jobs.close();
    await database.close();
  } finally {
    await server.stop();
  }

  const long = join(folder, 'long.csv');
  await writeLines(long, LONG, 20, 60_000);
  const { DATABASE_URL: _ours, ...inherited } = process.env;
  const child = spawn(
    process.execPath,
    [
      PROGRAM,
      'ingest',
      'points',
      '--collection',
      'long',
      '--metric',
      'temperature',
      '--file',
      long,
      '--json',
    ],
    {
      env: { ...inherited, GROUNDWATCH_DATA: data, GROUNDWATCH_LOG_LEVEL: 'error' },
      stdio: ['ignore', 'inherit', 'ignore'],
    },
  );
  const start = performance.now();
  const peaks: number[] = [];
  const look = setInterval(() => {
    const path = `/proc/${child.pid}/status`;
    const kib = existsSync(path)
      ? Number(/VmHWM:\s+(\d+)/.exec(readFileSync(path, 'utf8'))?.[1])
      : Number.NaN;
    if (kib > 0) peaks.push((kib * 1024) / 1e6);
  }, 100);
  await once(child, 'exit');
  clearInterval(look);
  row(
    `${LONG} lines of 20 stations, most memory`,
    `${(peaks.at(-1) ?? Number.NaN).toFixed(0)} MB`,
    `${((performance.now() - start) / 1000).toFixed(0)} s`,
  );
} finally {
  await rm(folder, { recursive: true, force: true, maxRetries: 5 });
}
console.log(`load ${loadavg()[0]!.toFixed(2)} after`);
