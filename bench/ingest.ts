/**
 * Effect of an ingest on the running service: the latency of GET /v1/risk at a steady rate while the service is idle,
 * while a separate command ingests a stack, and while the service searches it for changes. Also the peak memory for a
 * tile of 10980 x 10980 pixels, including the search for changes. GROUNDWATCH_BENCH_TILE sets another edge [pixels].
 */
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { loadavg } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Agent, request } from 'undici';
import type { BandDate } from '../src/app/imagery/raster-stack.ts';
import type { Samples } from '../src/app/series/cube-store.ts';
import { GeoTiffStackWriter } from '../src/sources/imagery/geotiff-stack-writer.ts';
import { output, startService } from './service/running-service.ts';
import { DAY_MS, JULIAN_YEAR_MS } from '../src/base/time.ts';

/** Edge of a Sentinel-2 tile at 10 m [pixels]. */
const TILE_EDGE = Number(process.env['GROUNDWATCH_BENCH_TILE'] ?? 10_980);
const TILE_DATES = 3;
const AREA_EDGE = 1024;
const AREA_DATES = 40;
/** Requests per second: the load of a busy client, far below the capacity of the service. */
const RATE = 50;
const IDLE_MS = 10_000;
/** Maximum duration of the latency measurement under each kind of work [ms]. */
const BUSY_MS = 60_000;
const LATENCY_BUDGET = 3; // maximum ratio of p99 to the idle p99: our target
const MEMORY_BUDGET_MB = 2000;

function row(name: string, value: string, note = ''): void {
  console.log(`${name.padEnd(58)} ${value.padStart(12)}  ${note}`);
}

/** Samples of some rows of one date: NDVI x 10000 with a season, noise and gaps. */
function rowsOf(width: number, height: number, seed: { at: number }, timeMs: number): Samples {
  const season = Math.round(2500 * Math.sin((2 * Math.PI * timeMs) / JULIAN_YEAR_MS));
  const samples = new Int16Array(width * height);
  for (let i = 0; i < samples.length; i++) {
    seed.at = (Math.imul(seed.at, 1664525) + 1013904223) >>> 0; // Numerical Recipes' generator
    samples[i] = seed.at >>> 24 < 77 ? -32_768 : 4000 + (i % 97) * 10 + season + ((seed.at >>> 16) & 511);
  }
  return samples;
}

/** Grid of the stacks: UTM zone 33N, 10 m. */
const PLACE = { crs: 'EPSG:32633', transform: [500_000, 10, 0, 5_100_000, 0, -10] } as const;

/** Writes a stack with one scene every five days. @returns the options of the command that ingests it */
async function writeStack(folder: string, name: string, edge: number, dates: number): Promise<string[]> {
  const bands: BandDate[] = Array.from({ length: dates }, (_, i) => ({
    band: i + 1,
    timeMs: Date.UTC(2015, 0, 1) + i * 5 * DAY_MS,
    scene: `${name}-${i}`,
  }));
  const writer = new GeoTiffStackWriter();
  const [values, csv] = [join(folder, `${name}.tif`), join(folder, `${name}.csv`)];
  const seed = { at: edge };
  await writer.write(
    values,
    {
      grid: { width: edge, height: edge, proj4: '', ...PLACE },
      sampleType: 'int16',
      scale: 0.0001,
      offset: 0,
      bands,
      rowsAtOnce: Math.max(1, Math.floor(8_000_000 / edge / dates)),
    },
    async (first, last) => bands.map(({ timeMs }) => rowsOf(edge, last - first, seed, timeMs)),
  );
  await writer.writeDates(csv, bands);
  return ['--collection', name, '--metric', 'ndvi', '--values', values, '--dates', csv];
}

/** Peak memory of a process [MB of 10^6 bytes]; NaN where the system does not report it. */
function peakMb(pid: number): number {
  const path = `/proc/${pid}/status`;
  const status = existsSync(path) ? readFileSync(path, 'utf8') : '';
  const kib = Number(/VmHWM:\s+(\d+)/.exec(status)?.[1] ?? Number.NaN);
  return (kib * 1024) / 1e6;
}

async function untilEnded(child: ChildProcess, look: () => void): Promise<void> {
  const ended = once(child, 'exit');
  child.stdout!.resume();
  const timer = setInterval(look, 100);
  await ended;
  clearInterval(timer);
  if (child.exitCode !== 0) throw new Error(`a command ended with code ${child.exitCode}`);
}

/** Sends requests at a steady rate, even if responses are late, until `until` settles. @returns latencies [ms] */
async function latencies(url: string, key: string, agent: Agent, until: Promise<unknown>): Promise<number[]> {
  const times: number[] = [];
  const state = { done: false };
  void until.finally(() => (state.done = true)).catch(() => undefined);
  const waiting: Promise<void>[] = [];
  const ask = async (): Promise<void> => {
    const start = performance.now();
    const answer = await request(url, { dispatcher: agent, headers: { authorization: `Bearer ${key}` } });
    await answer.body.dump();
    if (answer.statusCode !== 200) throw new Error(`GET /v1/risk answered ${answer.statusCode}`);
    times.push(performance.now() - start);
  };
  const begun = performance.now();
  for (let i = 0; !state.done; i++) {
    waiting.push(ask());
    await sleep(Math.max(0, begun + ((i + 1) * 1000) / RATE - performance.now()));
  }
  await Promise.all(waiting);
  return times.toSorted((a, b) => a - b);
}

function tell(name: string, times: readonly number[], idle?: readonly number[]): void {
  const at = (sorted: readonly number[], q: number): number => sorted[Math.floor(q * (sorted.length - 1))]!;
  const note =
    idle === undefined
      ? ''
      : `p99 ${(at(times, 0.99) / at(idle, 0.99)).toFixed(2)} x idle; budget ${LATENCY_BUDGET} x`;
  row(`${name}: p50`, `${at(times, 0.5).toFixed(2)} ms`, `${times.length} requests at ${RATE} a second`);
  row(`${name}: p99`, `${at(times, 0.99).toFixed(2)} ms`, note);
}

console.log(`load ${loadavg()[0]!.toFixed(2)} before`);
const service = await startService();
try {
  const { base, key, ca, folder, command } = service;
  const agent = new Agent({ connect: { ca } });
  const url = `${base}/v1/risk?lat=45.9&lng=14.6&peril=flood`;
  await latencies(url, key, agent, sleep(3000)); // warms up the client and the service
  const idle = await latencies(url, key, agent, sleep(IDLE_MS));
  tell('GET /v1/risk, idle', idle);

  const area = await writeStack(folder, 'area', AREA_EDGE, AREA_DATES);
  const ingest = command('ingest', 'stack', ...area, '--no-wait', '--json');
  const busy = await latencies(url, key, agent, Promise.race([output(ingest), sleep(BUSY_MS)]));
  tell(`beside the ingest of ${AREA_DATES} x ${AREA_EDGE}^2 pixels`, busy, idle);
  // The ingest has queued a search for changes, which the service's own worker now runs.
  const monitoring = await latencies(url, key, agent, sleep(BUSY_MS / 3));
  tell('while the service looks for changes in them', monitoring, idle);
  await agent.destroy();

  const tile = await writeStack(folder, 'tile', TILE_EDGE, TILE_DATES);
  const start = performance.now();
  const taking = command('ingest', 'stack', ...tile, '--json');
  let peak = 0;
  await untilEnded(taking, () => {
    peak = Math.max(peak, peakMb(taking.pid!) || 0);
  });
  row(
    `${TILE_DATES} dates of ${TILE_EDGE}^2 pixels in and looked through, memory`,
    `${peak.toFixed(0)} MB`,
    `budget ${MEMORY_BUDGET_MB} MB; ${((performance.now() - start) / 1000).toFixed(0)} s`,
  );
} finally {
  await service.stop();
}
console.log(`load ${loadavg()[0]!.toFixed(2)} after`);
