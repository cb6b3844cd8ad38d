/**
 * What the cube costs beside what the disk allows, in one run: appending one date to a 2048 x 2048 area against one
 * write + fsync of the same bytes, and one series of 700 dates against a pread of the same bytes.
 */
import { closeSync, fsyncSync, mkdtempSync, openSync, readSync, rmSync, writeSync } from 'node:fs';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { FolderCubeStore } from '../src/cube/folder-cube-store.ts';

const EDGE = 2048;
const PIXELS = EDGE * EDGE;
/** Appended to the large cube: one close of 128 scenes is in the mean. */
const SCENES = 130;
/** A small area, since a series costs the same in a large one. */
const SERIES_EDGE = 256;
const DATES = 700;
const READS = 300;

/** A seasonal curve with noise and 30 % gaps, as NDVI x 10000. */
function fill(samples: Int16Array, t: number, state: { seed: number }): void {
  for (let i = 0; i < samples.length; i++) {
    state.seed = (Math.imul(state.seed, 1664525) + 1013904223) >>> 0; // Numerical Recipes' generator
    const noise = (state.seed >>> 16) & 511;
    const missing = state.seed >>> 24 < 77;
    samples[i] = missing ? -32768 : 4000 + (i % 97) * 20 + Math.round(2500 * Math.sin(t / 5)) + noise;
  }
}

function quantile(times: readonly number[], q: number): number {
  return times.toSorted((a, b) => a - b)[Math.floor(q * (times.length - 1))]!;
}

function row(name: string, value: number, unit: string, note = ''): void {
  console.log(`${name.padEnd(58)} ${value.toFixed(3).padStart(10)} ${unit.padEnd(3)} ${note}`);
}

async function timed(work: () => unknown): Promise<number> {
  const start = performance.now();
  await work();
  return performance.now() - start;
}

async function appends(folder: string): Promise<void> {
  const store = new FolderCubeStore(folder);
  await store.create('large', { width: EDGE, height: EDGE, sampleType: 'int16' });
  const raw = openSync(join(folder, 'raw'), 'w');
  const samples = new Int16Array(PIXELS);
  const state = { seed: 1 };
  const cube: number[] = [];
  const ceiling: number[] = [];
  for (let t = 0; t < SCENES; t++) {
    fill(samples, t, state);
    const bytes = new Uint8Array(samples.buffer);
    ceiling.push(
      await timed(() => {
        writeSync(raw, bytes, 0, bytes.length, t * bytes.length);
        fsyncSync(raw);
      }),
    );
    cube.push(await timed(() => store.append('large', { key: `s${t}`, timeMs: t * 86_400_000 }, samples)));
  }
  closeSync(raw);
  const mean = cube.reduce((sum, ms) => sum + ms, 0) / cube.length;
  const close = Math.max(...cube);
  const ceilingMean = ceiling.reduce((sum, ms) => sum + ms, 0) / ceiling.length;
  row('write + fsync of 8 MiB, mean (ceiling)', ceilingMean, 'ms');
  row('append of one date to 2048 x 2048, median', quantile(cube, 0.5), 'ms');
  row(
    'append, mean with one close of 128 dates in 130',
    mean,
    'ms',
    `${(mean / ceilingMean).toFixed(1)} x the ceiling`,
  );
  row('the close itself: 1 GiB transposed and compressed', close / 1000, 's');
  store.close();
}

async function series(folder: string): Promise<void> {
  const store = new FolderCubeStore(folder);
  await store.create('long', { width: SERIES_EDGE, height: SERIES_EDGE, sampleType: 'int16' });
  const samples = new Int16Array(SERIES_EDGE * SERIES_EDGE);
  const state = { seed: 2 };
  for (let t = 0; t < DATES; t++) {
    fill(samples, t, state);
    await store.append('long', { key: `s${t}`, timeMs: t * 86_400_000 }, samples);
  }
  store.close();
  const reader = new FolderCubeStore(folder);
  const first: number[] = [];
  const again: number[] = [];
  const pread: number[] = [];
  const raw = openSync(join(folder, 'raw'), 'r');
  // What the trial's store reads for one series: 16 pixels x 700 dates x 2 bytes.
  const bytes = Buffer.alloc(16 * DATES * 2);
  for (let i = 0; i < READS; i++) {
    const pixel = (i * 7919) % (samples.length - 1);
    pread.push(await timed(() => readSync(raw, bytes, 0, bytes.length, pixel * 1024)));
    first.push(await timed(() => reader.readStrip('long', pixel, pixel + 1)));
    again.push(await timed(() => reader.readStrip('long', pixel, pixel + 1)));
  }
  const all = await timed(() => reader.readStrip('long', 0, samples.length));
  closeSync(raw);
  row('pread of 22 KB, median (ceiling)', quantile(pread, 0.5), 'ms');
  row('series of 700 dates, place not read before, median', quantile(first, 0.5), 'ms');
  row('series of 700 dates, place not read before, 95 %', quantile(first, 0.95), 'ms');
  row('series of 700 dates, warm, median', quantile(again, 0.5), 'ms');
  row('series of 700 dates, warm, 95 %', quantile(again, 0.95), 'ms');
  row(
    'all 65,536 series in one read',
    (samples.length * DATES) / all / 1000,
    'M/s',
    'million samples a second',
  );
  reader.close();
}

const folder = mkdtempSync(join(tmpdir(), 'groundwatch-bench-cube-'));
console.log(`load ${loadavg()[0]!.toFixed(2)} before`);
try {
  await appends(folder);
  await series(folder);
} finally {
  rmSync(folder, { recursive: true, force: true });
}
console.log(`load ${loadavg()[0]!.toFixed(2)} after`);
