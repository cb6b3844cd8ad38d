/**
 * Times of the cube, compared with the disk in the same run: appending one date to a cube of 2048 x 2048 pixels against
 * one write and fsync of the same bytes, and reading one series of 700 dates against a pread of the same bytes.
 */
import {
  closeSync,
  fsyncSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { FolderCubeStore } from '../src/cube/folder-cube-store.ts';
import { compressStrip, rawPlanesOf, shuffleStrip, STRIP_PIXELS } from '../src/cube/strip-codec.ts';
import { DAY_MS } from '../src/base/time.ts';
import { quantile } from './service/quantile.ts';

const EDGE = 2048;
const PIXELS = EDGE * EDGE;
/** Number of scenes appended to the large cube: enough that two full logs of 128 scenes are closed meanwhile. */
const SCENES = 258;
/** Amortised time allowed to append one date of 2048 x 2048 pixels [ms]. */
const APPEND_BUDGET_MS = 50;
/** Time allowed to read one series of ten years, warm, inside the process [ms]. */
const SERIES_BUDGET_MS = 0.2;
/** Edge of the cube for reading series [pixels]; small, because reading takes as long in a large cube. */
const SERIES_EDGE = 256;
const DATES = 700;
const READS = 300;

/** Fills the samples with a seasonal curve, noise and 30 % gaps, as NDVI x 10000. */
function fill(samples: Int16Array, t: number, state: { seed: number }): void {
  for (let i = 0; i < samples.length; i++) {
    state.seed = (Math.imul(state.seed, 1664525) + 1013904223) >>> 0; // Numerical Recipes' generator
    const noise = (state.seed >>> 16) & 511;
    const missing = state.seed >>> 24 < 77;
    samples[i] = missing ? -32768 : 4000 + (i % 97) * 20 + Math.round(2500 * Math.sin(t / 5)) + noise;
  }
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
  let cpuMs = 0;
  let wallMs = 0;
  for (let t = 0; t < SCENES; t++) {
    fill(samples, t, state);
    const bytes = new Uint8Array(samples.buffer);
    ceiling.push(
      await timed(() => {
        // 16 positions are overwritten in turn, so that this comparison needs no more disk space than the cube.
        writeSync(raw, bytes, 0, bytes.length, (t % 16) * bytes.length);
        fsyncSync(raw);
      }),
    );
    const before = process.cpuUsage();
    const ms = await timed(() => store.append('large', { key: `s${t}`, timeMs: t * DAY_MS }, samples));
    const used = process.cpuUsage(before);
    cpuMs += (used.user + used.system) / 1000;
    cube.push(ms);
    wallMs += ms;
  }
  closeSync(raw);
  // The last full log is still being closed; the time for this counts too.
  const before = process.cpuUsage();
  const rest = await timed(() => store.close());
  const used = process.cpuUsage(before);
  cpuMs += (used.user + used.system) / 1000;
  const mean = (wallMs + rest) / SCENES;
  const ceilingMean = ceiling.reduce((sum, ms) => sum + ms, 0) / ceiling.length;
  row('write + fsync of 8 MiB, mean (ceiling)', ceilingMean, 'ms');
  row('append of one date to 2048 x 2048, median', quantile(cube, 0.5), 'ms');
  row('append, 99 %', quantile(cube, 0.99), 'ms');
  row(
    'append, amortised: all appends and the closing of two logs',
    mean,
    'ms',
    `${(mean / ceilingMean).toFixed(1)} x the ceiling; budget ${APPEND_BUDGET_MS} ms`,
  );
  row('processor time a date within these, at most', cpuMs / SCENES, 'ms');
  const stored = readdirSync(join(folder, 'large')).reduce(
    (sum, name) => sum + (name.endsWith('.gws') ? statSync(join(folder, 'large', name)).size : 0),
    0,
  );
  row(
    'stored of 2 x 1 GiB in segments',
    stored / 2 ** 31,
    '',
    `${readdirSync(join(folder, 'large')).length} files`,
  );
}

async function series(folder: string): Promise<void> {
  const store = new FolderCubeStore(folder);
  await store.create('long', { width: SERIES_EDGE, height: SERIES_EDGE, sampleType: 'int16' });
  const samples = new Int16Array(SERIES_EDGE * SERIES_EDGE);
  const state = { seed: 2 };
  for (let t = 0; t < DATES; t++) {
    fill(samples, t, state);
    await store.append('long', { key: `s${t}`, timeMs: t * DAY_MS }, samples);
  }
  await store.close();
  const reader = new FolderCubeStore(folder);
  const first: number[] = [];
  const again: number[] = [];
  const pread: number[] = [];
  const raw = openSync(join(folder, 'raw'), 'r');
  // The store reads this many bytes for one series: 16 pixels x 700 dates x 2 bytes.
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
  row('series of 700 dates, warm, median', quantile(again, 0.5), 'ms', `budget ${SERIES_BUDGET_MS} ms`);
  row('series of 700 dates, warm, 95 %', quantile(again, 0.95), 'ms');
  row(
    'all 65,536 series in one read',
    (samples.length * DATES) / all / 1000,
    'M/s',
    'million samples a second',
  );
  await reader.close();
}

/**
 * Compares compression with and without the noisiest byte planes: the time saved by storing these planes raw, and the
 * additional bytes.
 */
function packing(): void {
  const scenes = Array.from({ length: 128 }, (_, t) => {
    const samples = new Int16Array(STRIP_PIXELS * 16);
    fill(samples, t, { seed: t + 1 });
    return new Uint8Array(samples.buffer);
  });
  const strips = Array.from({ length: 16 }, (_, i) =>
    shuffleStrip(scenes, 'int16', i * STRIP_PIXELS, STRIP_PIXELS),
  );
  const bytes = strips.reduce((sum, strip) => sum + strip.byteLength, 0);
  const forms = [
    { name: 'all planes', rawPlanes: 0, bestMs: Infinity, packed: 0 },
    {
      name: 'as segments do',
      rawPlanes: rawPlanesOf(strips.slice(0, 4), 'int16'),
      bestMs: Infinity,
      packed: 0,
    },
  ];
  // The forms alternate for many rounds, so that the best round of each form was not disturbed by other work.
  for (let round = 0; round < 100; round++) {
    for (const form of forms) {
      const start = performance.now();
      form.packed = strips.reduce(
        (sum, strip) => sum + compressStrip(strip, 'int16', form.rawPlanes).byteLength,
        0,
      );
      form.bestMs = Math.min(form.bestMs, performance.now() - start);
    }
  }
  for (const { name, bestMs, packed } of forms) {
    row(
      `compressing ${name}, best of 100`,
      bytes / bestMs / 1000,
      'MB/s',
      `to ${((100 * packed) / bytes).toFixed(1)} %`,
    );
  }
}

const folder = mkdtempSync(join(tmpdir(), 'groundwatch-bench-cube-'));
console.log(`load ${loadavg()[0]!.toFixed(2)} before`);
try {
  packing();
  await appends(folder);
  await series(folder);
} finally {
  rmSync(folder, { recursive: true, force: true });
}
console.log(`load ${loadavg()[0]!.toFixed(2)} after`);
