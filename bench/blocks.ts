/**
 * The search of collections of 1, 4 and 16 blocks of one size, with one metric and 60 scenes: processor time and peak
 * memory of the first search, and of one with a scene more, each in a process and with one thread. Both should be the
 * same for each block, however many there are. Give the numbers of blocks as NAME...
 * GROUNDWATCH_BENCH_EDGE sets the edge of a block [pixels], a multiple of 64.
 */
import { spawnSync } from 'node:child_process';
import { mkdtemp, readdir, rm, stat } from 'node:fs/promises';
import { cpus, loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { findChanges } from '../src/app/changes/search/find-changes.ts';
import { STRIP_PIXELS } from '../src/app/changes/search/strip-size.ts';
import { DAY_MS, JULIAN_YEAR_MS } from '../src/base/time.ts';
import { FolderCubeStore } from '../src/cube/folder-cube-store.ts';

const BLOCK = Number(process.env['GROUNDWATCH_BENCH_EDGE'] ?? 256);
const TIMES = 60;
const CUBE = 'ndvi';
const timesMs = Float64Array.from({ length: TIMES + 1 }, (_, t) => Date.UTC(2021, 0, 3) + t * 20 * DAY_MS);

/** Samples of one scene: fields with a season, clouds and noise; a square of each block is cleared in the last year. */
function sceneOf(edge: number, t: number): Int16Array {
  const phase = (2 * Math.PI * timesMs[t]!) / JULIAN_YEAR_MS;
  let state = (t * 7919 + 17) >>> 0;
  return Int16Array.from({ length: edge * edge }, (_, p) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0; // Numerical Recipes' generator
    if (state / 2 ** 32 < 0.45) return -32_768;
    const [row, column] = [Math.floor(p / edge) % BLOCK, (p % edge) % BLOCK];
    const field = (Math.floor(row / 12) * 31 + Math.floor(column / 9)) % 7;
    const isCleared = t > 42 && row > 40 && row < 52 && column > 40 && column < 52;
    const level = 5500 - 1500 * Math.cos(phase - field / 20) + 150 * field - (isCleared ? 3500 : 0);
    return Math.round(level + (((state >>> 8) % 1000) / 1000 - 0.5) * 500);
  });
}

/** Processor time [s], peak memory of the process [bytes] and number of changes of one search. */
interface Measured {
  readonly cpuS: number;
  readonly peak: number;
  readonly changes: number;
}

async function search(root: string, edge: number): Promise<Measured> {
  const cube = new FolderCubeStore(root);
  const digests = (await cube.scenes(CUBE)).map(({ sha256 }) => sha256);
  const { user, system } = process.cpuUsage();
  const [found] = await findChanges(
    {
      spec: {
        width: edge,
        height: edge,
        pixelAreaM2: 100,
        metric: CUBE,
        timesMs: timesMs.slice(0, digests.length),
      },
      series: [
        {
          metric: CUBE,
          cubeId: CUBE,
          sampleType: 'int16',
          scale: 1e-4,
          offset: 0,
          digests,
          at: Int32Array.from(digests, (_, t) => t),
        },
      ],
      groups: [[0]],
      basis: { about: 'bench', moments: digests },
      blockStrips: (BLOCK * BLOCK) / STRIP_PIXELS,
    },
    { cubes: cube.address, progress: () => undefined, threads: 1 },
  );
  const used = process.cpuUsage();
  return {
    cpuS: (used.user + used.system - user - system) / 1e6,
    peak: process.resourceUsage().maxRSS * 1024,
    changes: found!.length,
  };
}

/** Adds scenes up to a number. */
async function append(root: string, edge: number, times: number): Promise<void> {
  const cube = new FolderCubeStore(root);
  await cube.create(CUBE, { width: edge, height: edge, sampleType: 'int16' });
  for (let t = (await cube.scenes(CUBE)).length; t < times; t++)
    await cube.append(CUBE, { key: String(t), timeMs: timesMs[t]! }, sceneOf(edge, t));
  await cube.close();
}

const [word, root, edge] = process.argv.slice(2);
if (word === 'search') {
  console.log(JSON.stringify(await search(root!, Number(edge))));
  process.exit();
}
const counts = process.argv.slice(2).map(Number).filter(Number.isFinite);
console.log(
  `blocks of ${BLOCK} x ${BLOCK} x ${TIMES}, one thread; ${cpus().length} cores, load ${loadavg()[0]!.toFixed(1)}`,
);
for (const count of counts.length > 0 ? counts : [1, 4, 16]) {
  const folder = await mkdtemp(join(tmpdir(), 'groundwatch-blocks-'));
  try {
    const side = BLOCK * Math.sqrt(count);
    for (const [what, times] of [
      ['first search', TIMES],
      ['one scene more', TIMES + 1],
    ] as const) {
      await append(folder, side, times);
      const { stdout } = spawnSync(process.execPath, [import.meta.filename, 'search', folder, String(side)], {
        stdio: ['ignore', 'pipe', 'inherit'],
        encoding: 'utf8',
      });
      const { cpuS, peak, changes } = JSON.parse(stdout) as Measured;
      const sizes = (await readdir(join(folder, CUBE)))
        .filter((name) => /state/.test(name))
        .map(async (name) => (await stat(join(folder, CUBE, name))).size);
      const saved = (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0);
      console.log(
        `${String(count).padStart(3)} blocks, ${what.padEnd(14)} ${(cpuS / count).toFixed(2)} s CPU a block, peak ${(peak / 2 ** 20).toFixed(0)} MiB, ${(saved / count / 2 ** 20).toFixed(1)} MiB saved a block, ${changes} changes, load ${loadavg()[0]!.toFixed(1)}`,
      );
    }
  } finally {
    await rm(folder, { recursive: true });
  }
}
