/**
 * The search for changes in a collection of 300 x 300 pixels, 110 scenes and three metrics: searches that begin at
 * the first scene, with one thread and with all threads, and searches that continue from a saved state, each after one
 * more scene, until the state is saved again. Prints the processor time of all threads, including reading and saving,
 * and of the main thread, which would answer requests. Compares the changes found from the first scene with those found
 * from the saved state.
 * GROUNDWATCH_BENCH_EDGE sets another edge [pixels].
 */
import { mkdtemp, rm, stat } from 'node:fs/promises';
import { availableParallelism, cpus, loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { canonicalJson } from '../src/base/canonical-json.ts';
import { findChanges } from '../src/app/changes/search/find-changes.ts';
import type { FoundChange } from '../src/app/changes/search/found-change.ts';
import { SCENES_PER_STATE } from '../src/app/changes/search/resumable-search.ts';
import { FolderCubeStore } from '../src/cube/folder-cube-store.ts';
import { DAY_MS, JULIAN_YEAR_MS } from '../src/base/time.ts';

const EDGE = Number(process.env['GROUNDWATCH_BENCH_EDGE'] ?? 300);
const PIXELS = EDGE * EDGE;
const TIMES = 110;
const METRICS = ['ndvi', 'nbr', 'mndwi'] as const;
/** Processor time allowed for one more scene [s]: our target at 300 x 300 pixels. */
const BUDGET_S = 0.3;
/** Share of observations hidden by clouds, and standard deviation of the others [index x 10,000]. */
const CLOUDY = 0.45;
const NOISE = 500;

const timesMs = Float64Array.from({ length: TIMES }, (_, t) => Date.UTC(2021, 0, 3) + t * 10 * DAY_MS);

/** Samples of one scene: fields and woods with a season, clouds and noise; a square is cleared in the last summer. */
function sceneOf(metric: number, t: number): Int16Array {
  const phase = (2 * Math.PI * timesMs[t]!) / JULIAN_YEAR_MS;
  const samples = new Int16Array(PIXELS);
  let state = (t * 7919 + 17) >>> 0;
  for (let p = 0; p < PIXELS; p++) {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0; // Numerical Recipes' generator
    if (state / 2 ** 32 < CLOUDY) {
      samples[p] = -32_768;
      continue;
    }
    const [row, column] = [Math.floor(p / EDGE), p % EDGE];
    const field = (Math.floor(row / 12) * 31 + Math.floor(column / 9)) % 7;
    const isCleared = t > 80 && row % 100 > 40 && row % 100 < 52 && column % 100 > 40 && column % 100 < 52;
    const level = 5500 - 1500 * Math.cos(phase - field / 20) + 150 * field - (isCleared ? 3500 : 0);
    const noise = (((state >>> 8) % 1000) / 1000 - 0.5) * NOISE * (1 + metric / 4);
    samples[p] = Math.round((metric === 2 ? -0.5 : 1 - 0.2 * metric) * level + noise);
  }
  return samples;
}

const root = await mkdtemp(join(tmpdir(), 'groundwatch-changes-'));
const cube = new FolderCubeStore(root);

async function append(t: number): Promise<void> {
  for (const [m, metric] of METRICS.entries())
    await cube.append(metric, { key: `scene-${t}`, timeMs: timesMs[t]! }, sceneOf(m, t));
}

/** A search, with the processor time of all threads and of this thread, and the wall time [s]. */
interface Timed {
  readonly found: readonly FoundChange[];
  readonly cpuS: number;
  readonly ownS: number;
  readonly wallS: number;
}

async function search(times: number, threads?: number): Promise<Timed> {
  const digests: (readonly string[])[] = [];
  for (const metric of METRICS) digests.push((await cube.scenes(metric)).map(({ sha256 }) => sha256));
  const [cpu, own, begun] = [process.cpuUsage(), process.threadCpuUsage(), performance.now()];
  const [found] = await findChanges(
    {
      spec: {
        width: EDGE,
        height: EDGE,
        pixelAreaM2: 100,
        metric: METRICS[0],
        timesMs: timesMs.slice(0, times),
      },
      series: METRICS.map((metric, m) => ({
        metric,
        cubeId: metric,
        sampleType: 'int16',
        scale: 1e-4,
        offset: 0,
        digests: digests[m]!,
        at: Int32Array.from({ length: times }, (_, t) => t),
      })),
      groups: [[0, 1, 2]],
      basis: { about: 'bench', moments: Array.from({ length: times }, (_, t) => String(t)) },
    },
    { cubes: cube.address, progress: () => undefined, threads },
  );
  const seconds = ({ user, system }: NodeJS.CpuUsage): number => (user + system) / 1e6;
  return {
    found: found!,
    cpuS: seconds(process.cpuUsage(cpu)),
    ownS: seconds(process.threadCpuUsage(own)),
    wallS: (performance.now() - begun) / 1000,
  };
}

const statePath = join(root, METRICS[0], 'monitoring.state');
function told(what: string, { found, cpuS, ownS, wallS }: Timed, note = ''): void {
  console.log(
    `${what.padEnd(44)} ${cpuS.toFixed(1).padStart(8)} s CPU, ${ownS.toFixed(2)} of them here ${wallS.toFixed(1).padStart(8)} s  ${found.length} changes ${note}`,
  );
}

try {
  const threads = availableParallelism();
  console.log(
    `${cpus()[0]!.model}, ${threads} cores, Node ${process.version}, load ${loadavg()[0]!.toFixed(1)}; ${EDGE} x ${EDGE} pixels, ${METRICS.length} metrics`,
  );
  for (const metric of METRICS) await cube.create(metric, { width: EDGE, height: EDGE, sampleType: 'int16' });
  const first = TIMES - SCENES_PER_STATE;
  for (let t = 0; t < first; t++) await append(t);
  told(`${first} scenes from the first, 1 thread`, await search(first, 1));
  const { size } = await stat(statePath);
  console.log(
    `state ${(size / 2 ** 20).toFixed(1)} MB, ${(size / (PIXELS * METRICS.length)).toFixed(0)} B a pixel and metric`,
  );
  let [onwards, cpuS, written] = [await search(first), 0, 0];
  for (let t = first; t < TIMES; t++) {
    const { ino } = await stat(statePath);
    await append(t);
    onwards = await search(t + 1);
    cpuS += onwards.cpuS;
    const now = await stat(statePath);
    if (now.ino !== ino) written += now.size;
    told(`one scene more: ${t + 1}`, onwards, now.ino === ino ? '' : 'state saved');
  }
  console.log(
    `mean of ${SCENES_PER_STATE}: ${(cpuS / SCENES_PER_STATE).toFixed(2)} s CPU a scene (budget ${BUDGET_S}); written ${(written / SCENES_PER_STATE / size).toFixed(2)} of the state a scene (budget .2)`,
  );
  told('nothing more', await search(TIMES));
  await rm(statePath);
  const whole = await search(TIMES, threads);
  told(`${TIMES} scenes from the first, ${threads} threads`, whole);
  const isSame = canonicalJson(whole.found) === canonicalJson(onwards.found);
  console.log(
    `both find ${isSame ? 'the same' : 'something else'}; load ${loadavg()[0]!.toFixed(1)} at the end`,
  );
  if (!isSame) process.exitCode = 1;
} finally {
  await cube.close();
  await rm(root, { recursive: true });
}
