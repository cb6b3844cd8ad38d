/**
 * Reading one series of ten years, 700 dates of which about 490 are observed: from the cube inside the process, as
 * raw samples, and through the API over TLS with keep-alive, at a different place each time. Prints the latency of
 * sequential calls and the processor time of the service's process, without the database.
 */
import { existsSync, readFileSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { loadavg } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Agent, request } from 'undici';
import type { BandDate } from '../src/app/imagery/raster-stack.ts';
import { FolderCubeStore } from '../src/cube/folder-cube-store.ts';
import { GeoTiffStackWriter } from '../src/sources/imagery/geotiff-stack-writer.ts';
import { quantile } from './service/quantile.ts';
import { startService } from './service/running-service.ts';
import { DAY_MS } from '../src/base/time.ts';

const EDGE = 64;
const DATES = 700;
const EVERY_MS = 5 * DAY_MS;
const READS = 600; // measured reads; the same number of reads before them warms up
const API_BUDGET_MS = 2; // our target for one read through the API
const STORE_BUDGET_MS = 0.2;
/** Maximum processor time of an idle service in a second [ms]. */
const RESTING_MS = 50;
const LONGEST_START_S = 300;
/** Clock ticks per second, the unit of processor times in proc(5): USER_HZ. */
const TICKS_PER_S = 100;
/** West and north limit of the stack, and width of its pixels [degrees]. */
const [WEST, NORTH, PIXEL] = [15, 46, 0.0001];

function row(name: string, value: string, note = ''): void {
  console.log(`${name.padEnd(52)} ${value.padStart(12)}  ${note}`);
}

/**
 * Writes a stack of index values multiplied by 10,000, with a seasonal cycle, noise and gaps.
 * @returns the options of the command that ingests it
 */
async function writeStack(folder: string): Promise<readonly string[]> {
  const bands: BandDate[] = Array.from({ length: DATES }, (_, i) => ({
    band: i + 1,
    timeMs: Date.UTC(2015, 0, 1) + i * EVERY_MS,
    scene: `decade-${i}`,
  }));
  const [values, dates] = [join(folder, 'decade.tif'), join(folder, 'decade.csv')];
  const grid = {
    width: EDGE,
    height: EDGE,
    proj4: '',
    crs: 'EPSG:4326',
    transform: [WEST, PIXEL, 0, NORTH, 0, -PIXEL],
  } as const;
  const writer = new GeoTiffStackWriter();
  let state = 7;
  await writer.write(
    values,
    { grid, sampleType: 'int16', scale: 0.0001, offset: 0, bands, rowsAtOnce: EDGE },
    async (first, last) =>
      bands.map((_, t) => {
        const samples = new Int16Array(EDGE * (last - first));
        for (let i = 0; i < samples.length; i++) {
          state = (Math.imul(state, 1664525) + 1013904223) >>> 0; // Numerical Recipes' generator
          const noise = (state >>> 16) & 511;
          samples[i] = state >>> 24 < 77 ? -32_768 : 4000 + Math.round(2500 * Math.sin(t / 12)) + noise;
        }
        return samples;
      }),
  );
  await writer.writeDates(dates, bands);
  // An undeclared metric has series, but is not searched for changes.
  return ['--collection', 'decade', '--metric', 'level', '--values', values, '--dates', dates];
}

/** Processor time of a process so far [ms]; NaN where the system does not report it. */
function processorMs(pid: number): number {
  const path = `/proc/${pid}/stat`;
  if (!existsSync(path)) return Number.NaN;
  const fields = readFileSync(path, 'utf8').split(') ')[1]!.split(' ');
  return ((Number(fields[11]) + Number(fields[12])) * 1000) / TICKS_PER_S; // utime and stime
}

/** Waits until the service is idle; after its first start it is still making layers. */
async function rest(pid: number): Promise<void> {
  for (let waited = 0; waited < LONGEST_START_S; waited++) {
    const before = processorMs(pid);
    await sleep(1000);
    if (!(processorMs(pid) - before > RESTING_MS)) return;
  }
  throw new Error(`the service is still busy after ${LONGEST_START_S} s`);
}

/** Reads 2 x `READS` times and prints the latencies and the processor time of the second half. */
async function measure(
  name: string,
  read: (i: number) => Promise<number>,
  costMs: () => number,
  budgetMs: number,
): Promise<void> {
  const times: number[] = [];
  let [cost, points] = [0, 0];
  for (let i = 0; i < 2 * READS; i++) {
    if (i === READS) cost = costMs();
    const start = performance.now();
    points = await read(i);
    if (i >= READS) times.push(performance.now() - start);
  }
  const spent = (costMs() - cost) / READS;
  const at = (q: number): string => quantile(times, q).toFixed(3);
  row(
    name,
    `${at(0.5)} ms`,
    `p99 ${at(0.99)} ms, ${spent.toFixed(3)} ms CPU, ${points} points; budget ${budgetMs} ms`,
  );
}

console.log(`load ${loadavg()[0]!.toFixed(2)} before`);
const service = await startService();
try {
  const { base, key, ca, folder, dataFolder, pid } = service;
  await service.run('ingest', 'stack', ...(await writeStack(folder)));

  await rest(pid);
  const id = (await readdir(join(dataFolder, 'cubes'))).find((name) => name.startsWith('col_'))!;
  const cube = new FolderCubeStore(join(dataFolder, 'cubes'));
  await measure(
    'from the cube, inside the process: p50',
    async (i) => {
      const pixel = (i * 37) % (EDGE * EDGE);
      return (await cube.readStrip(id, pixel, pixel + 1)).values.filter((value) => !Number.isNaN(value))
        .length;
    },
    () => process.cpuUsage().user / 1000 + process.cpuUsage().system / 1000,
    STORE_BUDGET_MS,
  );
  await cube.close();

  const agent = new Agent({ connect: { ca } });
  await measure(
    'GET /v1/historical: p50',
    async (i) => {
      const [line, column] = [(i * 37) % EDGE, (i * 61) % EDGE];
      const at = `lat=${NORTH - (line + 0.5) * PIXEL}&lng=${WEST + (column + 0.5) * PIXEL}`;
      const answer = await request(`${base}/v1/historical?${at}&metric=level`, {
        dispatcher: agent,
        headers: { authorization: `Bearer ${key}` },
      });
      const { series } = (await answer.body.json()) as { readonly series: readonly unknown[] };
      if (series.length < DATES / 2) throw new Error(`a series of ${DATES} dates came with ${series.length}`);
      return series.length;
    },
    () => processorMs(pid),
    API_BUDGET_MS,
  );
  await agent.destroy();
} finally {
  await service.stop();
}
console.log(`load ${loadavg()[0]!.toFixed(2)} after`);
