import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DAY_MS } from '../../../base/time.ts';
import { monitorMetrics } from '../../../change/monitor.ts';
import { MemoryCubeStore } from '../../../../test/fakes/memory-cube.ts';
import type { ChangeTask } from './change-task.ts';
import { findChanges } from './find-changes.ts';
import { ScenesChanged } from './scenes-changed.ts';

/** Size of a stack that has three strips, of which the last one is shorter [pixels]. */
const [WIDTH, HEIGHT] = [130, 64];
const TIMES = 20;
/** A cleared rectangle of pixels, and the number of the first scene after the clearing. */
const [CLEARED, SINCE] = [{ rows: [29, 35], columns: [60, 70] }, 8] as const;

/** A pseudo-random number in [0, 1) from two integers. */
function noise(a: number, b: number): number {
  const mixed = Math.imul(a ^ (b * 0x9e3779b1), 0x85ebca6b);
  return ((Math.imul(mixed ^ (mixed >>> 15), 0xc2b2ae35) >>> 8) % 65_536) / 65_536;
}

function valueAt(metric: number, pixel: number, t: number): number {
  if (noise(pixel + 7, t) < 0.15) return Number.NaN;
  const [row, column] = [Math.floor(pixel / WIDTH), pixel % WIDTH];
  const isCleared =
    t >= SINCE &&
    row >= CLEARED.rows[0] &&
    row <= CLEARED.rows[1] &&
    column >= CLEARED.columns[0] &&
    column <= CLEARED.columns[1];
  const level = (metric === 0 ? 7000 : 5000) - (isCleared ? 4000 : 0) + 400 * noise(pixel, 3);
  return Math.round(level + 300 * (noise(pixel + 1_000_003 * metric, t) - 0.5));
}

const timesMs = Float64Array.from({ length: TIMES }, (_, t) => Date.UTC(2022, 0, 5) + t * 30 * DAY_MS);
/** Scene numbers of each metric. The second metric lacks every fifth scene. */
const SCENES = [
  Array.from({ length: TIMES }, (_, t) => t),
  Array.from({ length: TIMES }, (_, t) => t).filter((t) => t % 5 !== 3),
];

const METRICS = ['ndvi', 'nbr'];
const cube = new MemoryCubeStore();
for (const [m, metric] of METRICS.entries()) {
  await cube.create(metric, { width: WIDTH, height: HEIGHT, sampleType: 'float32' });
  for (const t of SCENES[m]!)
    await cube.append(
      metric,
      { key: `scene ${t}`, timeMs: timesMs[t]! },
      Float32Array.from({ length: WIDTH * HEIGHT }, (_, pixel) => valueAt(m, pixel, t)),
    );
}
const digests = await Promise.all(
  METRICS.map(async (metric) => (await cube.scenes(metric)).map(({ sha256 }) => sha256)),
);

const task: ChangeTask = {
  spec: { width: WIDTH, height: HEIGHT, pixelAreaM2: 400, metric: 'ndvi', timesMs },
  series: METRICS.map((metric, m) => ({
    metric,
    cubeId: metric,
    sampleType: 'float32',
    scale: 1e-4,
    offset: 0,
    digests: digests[m]!,
    at: Int32Array.from({ length: TIMES }, (_, t) => SCENES[m]!.indexOf(t)),
  })),
  groups: [[0, 1]],
};

const cubes = cube.address;
const progress = (): void => {};

/** Result of a search with one thread. */
const found = findChanges(task, { cubes, progress, threads: 1 });

test('the result does not depend on the number of threads and equals that of the monitor over the whole stack', async () => {
  const alone = await found;
  const shared = await findChanges(task, { cubes, progress, threads: 3 });
  assert.deepEqual(shared, alone);
  const values = SCENES.map((scenes, metric) =>
    Float32Array.from({ length: WIDTH * HEIGHT * TIMES }, (_, i) => {
      const [pixel, t] = [Math.floor(i / TIMES), i % TIMES];
      return scenes.includes(t) ? valueAt(metric, pixel, t) * 1e-4 : Number.NaN;
    }),
  );
  const { objects } = monitorMetrics(task.spec, { ndvi: values[0]!, nbr: values[1]! });
  assert.deepEqual(
    alone[0]!.map(({ evidence: _evidence, ...object }) => object),
    objects,
  );
  const [first] = objects;
  assert.equal(first?.type, 'vegetation_loss');
  assert.equal(first.pixels.length, 77);
});

test('several groups of metrics in one search find the same as separate searches', async () => {
  const [first, second] = await findChanges(
    { ...task, groups: [[0, 1], [1]] },
    { cubes, progress, threads: 2 },
  );
  const alone = { spec: { ...task.spec, metric: 'nbr' }, series: [task.series[1]!], groups: [[0]] };
  assert.deepEqual([second], await findChanges(alone, { cubes, progress, threads: 1 }));
  assert.deepEqual([first], await found);
  assert.ok(first!.length > 0 && second!.length > 0);
});

test('progress reaches the total with any number of threads', async () => {
  const [ndvi] = task.series;
  const few: ChangeTask = { ...task, spec: { ...task.spec, height: 10 }, series: [ndvi!], groups: [[0]] };
  for (const threads of [1, 2]) {
    const told: number[] = [];
    await findChanges(few, { cubes, progress: (done, total) => void told.push(done / total), threads });
    assert.deepEqual(
      told,
      told.toSorted((a, b) => a - b),
    );
    assert.equal(told.at(-1), 1);
  }
});

test('an error while reading a cube is thrown by the search with any number of threads', async () => {
  for (const threads of [1, 2]) {
    const series = task.series.map((one) => ({ ...one, cubeId: 'gone' }));
    const failing = findChanges({ ...task, series }, { cubes, progress, threads });
    await assert.rejects(failing, { name: 'NotFound', message: 'there is no cube gone' });
  }
});

test('a search fails with ScenesChanged when the scenes of the cube do not match the task', async () => {
  const series = task.series.map((one) => ({ ...one, digests: one.digests.with(3, 'another') }));
  await assert.rejects(findChanges({ ...task, series }, { cubes, progress, threads: 2 }), ScenesChanged);
});

test('a metric in which changes are not searched is refused', async () => {
  const series = [{ ...task.series[0]!, metric: 'rain' }];
  await assert.rejects(findChanges({ ...task, series, groups: [[0]] }, { cubes, progress, threads: 1 }), {
    message: 'no change is looked for in rain',
  });
});

test('an aborted search ends with the reason, before it has started and while it runs', async () => {
  const aborted = new RangeError('aborted');
  const stop = new AbortController();
  const starting = findChanges(task, { cubes, progress, threads: 2, signal: stop.signal });
  stop.abort(aborted);
  await assert.rejects(starting, aborted);
  await assert.rejects(findChanges(task, { cubes, progress, threads: 2, signal: stop.signal }), aborted);
  // Aborted by its first word: a search may be over sooner than any time that is chosen here.
  const later = new AbortController();
  const speak = (): void => later.abort(aborted);
  await assert.rejects(
    findChanges(task, { cubes, progress: speak, threads: 2, signal: later.signal }),
    aborted,
  );
});

test('a search of a large stack frees its memory, and the threads search again', async () => {
  const [edge, times] = [1024, 8]; // strips of 33.6 MB: see `isLarge`
  await cube.create('large', { width: edge, height: edge, sampleType: 'float32' });
  const samples = new Float32Array(edge * edge).fill(Number.NaN);
  const seen: string[] = [];
  for (let t = 0; t < times; t++) {
    const scene = { key: `scene ${t}`, timeMs: timesMs[t]! };
    seen.push((await cube.append('large', scene, samples)).sha256);
  }
  const [series] = task.series;
  const at = Int32Array.from({ length: times }, (_, t) => t);
  const large: ChangeTask = {
    spec: { ...task.spec, width: edge, height: edge, timesMs: timesMs.subarray(0, times) },
    series: [{ ...series!, cubeId: 'large', digests: seen, at }],
    groups: [[0]],
  };
  const run = { cubes: cube.address, progress, threads: 2 };
  for (let i = 0; i < 2; i++) assert.deepEqual(await findChanges(large, run), [[]]);
  assert.deepEqual(await findChanges(task, { cubes, progress, threads: 2 }), await found);
});
