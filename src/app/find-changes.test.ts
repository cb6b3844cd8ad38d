import assert from 'node:assert/strict';
import { test } from 'node:test';
import { monitorMetrics } from '../monitor/monitor.ts';
import { type ChangeTask, findChanges, type ReadSeries } from './find-changes.ts';

const DAY_MS = 86_400_000;
/** Three strips, the last one short. */
const [WIDTH, HEIGHT] = [130, 64];
const TIMES = 20;
/** Where something was cleared, from this scene on. */
const [CLEARED, SINCE] = [{ rows: [29, 35], columns: [60, 70] }, 8] as const;

/** A number in [0, 1) for two whole ones. */
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
/** The second metric lacks every fifth scene. */
const SCENES = [
  Array.from({ length: TIMES }, (_, t) => t),
  Array.from({ length: TIMES }, (_, t) => t).filter((t) => t % 5 !== 3),
];

const task: ChangeTask = {
  since: 0,
  keeps: false,
  spec: { width: WIDTH, height: HEIGHT, pixelAreaM2: 400, metric: 'ndvi', timesMs },
  series: ['ndvi', 'nbr'].map((metric, m) => ({
    metric,
    scale: 1e-4,
    offset: 0,
    sceneCount: SCENES[m]!.length,
    at: Int32Array.from({ length: TIMES }, (_, t) => SCENES[m]!.indexOf(t)),
  })),
};

const VALUES = SCENES.map((scenes, metric) =>
  Float64Array.from({ length: WIDTH * HEIGHT * scenes.length }, (_, i) =>
    valueAt(metric, Math.floor(i / scenes.length), scenes[i % scenes.length]!),
  ),
);

const read: ReadSeries = async (metric, from, to) => {
  const scenes = SCENES[metric]!.length;
  return VALUES[metric]!.slice(from * scenes, to * scenes);
};

const files = {
  series: read,
  saved: () => Promise.reject(new Error('nothing was saved')),
  keep: () => Promise.resolve(),
};
const progress = (): void => {};

test('what is found does not depend on the number of threads, and is what one pass over the whole stack finds', async () => {
  const alone = await findChanges(task, { files, progress, threads: 1 });
  const shared = await findChanges(task, { files, progress, threads: 3 });
  assert.deepEqual(shared, alone);
  const values = SCENES.map((scenes, metric) =>
    Float64Array.from({ length: WIDTH * HEIGHT * TIMES }, (_, i) => {
      const at = scenes.indexOf(i % TIMES);
      return at < 0 ? Number.NaN : VALUES[metric]![Math.floor(i / TIMES) * scenes.length + at]! * 1e-4;
    }),
  );
  const { objects } = monitorMetrics(task.spec, { ndvi: values[0]!, nbr: values[1]! });
  assert.deepEqual(
    alone.map(({ evidence: _evidence, ...object }) => object),
    objects,
  );
  const [first] = objects;
  assert.equal(first?.type, 'vegetation_loss');
  assert.equal(first.pixels.length, 77);
});

test('progress reaches the whole, whoever works', async () => {
  const [ndvi] = task.series;
  const few: ChangeTask = { ...task, spec: { ...task.spec, height: 10 }, series: [ndvi!] };
  for (const threads of [1, 2]) {
    const told: number[] = [];
    await findChanges(few, { files, progress: (done, total) => void told.push(done / total), threads });
    assert.deepEqual(
      told,
      told.toSorted((a, b) => a - b),
    );
    assert.equal(told.at(-1), 1);
  }
});

test('what a read throws is thrown by the run, whoever asked', async () => {
  for (const threads of [1, 2]) {
    const unread = { ...files, series: () => Promise.reject(new RangeError('no disk')) };
    const failing = findChanges(task, { files: unread, progress, threads });
    await assert.rejects(failing, { name: 'RangeError', message: 'no disk' });
  }
});

test('a metric that makes no changes is refused', async () => {
  const series = [{ ...task.series[0]!, metric: 'rain' }];
  await assert.rejects(findChanges({ ...task, series }, { files, progress, threads: 1 }), {
    message: 'no change is looked for in rain',
  });
});

test('a run that is given up ends with the reason, before and after it has begun', async () => {
  for (const delayMs of [0, 200]) {
    const stop = new AbortController();
    const running = findChanges(task, { files, progress, threads: 2, signal: stop.signal });
    setTimeout(() => stop.abort(new RangeError('told to stop')), delayMs);
    await assert.rejects(running, { message: 'told to stop' });
  }
});
