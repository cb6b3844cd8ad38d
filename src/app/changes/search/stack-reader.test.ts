import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MemoryCubeStore } from '../../../../test/fakes/memory-cube.ts';
import type { ChangeTask } from './change-task.ts';
import { ScenesChanged } from './scenes-changed.ts';
import { StackReader } from './stack-reader.ts';
import { sharedStrips, StripCache } from './strip-cache.ts';

/**
 * Size of a stack that has two strips, of which the last one is shorter [pixels]. The second metric lacks the middle
 * scene, and its samples are of another type.
 */
const [WIDTH, HEIGHT] = [100, 45];
const PIXELS = WIDTH * HEIGHT;
const TIMES = [10, 20, 30];
const SCENES = [
  [0, 1, 2],
  [0, 2],
];
const TYPES = ['int16', 'float64'] as const;

/** Raw sample of a pixel; NaN for some pixels, where it is missing. */
function rawAt(metric: number, pixel: number, t: number): number {
  if ((pixel * 7 + t) % 11 === 0) return Number.NaN;
  return metric === 0 ? (pixel % 900) + t : pixel / 3 + t;
}

const cube = new MemoryCubeStore();
const series: ChangeTask['series'][number][] = [];
for (const [m, sampleType] of TYPES.entries()) {
  await cube.create(sampleType, { width: WIDTH, height: HEIGHT, sampleType });
  for (const t of SCENES[m]!) {
    const raw = Float64Array.from({ length: PIXELS }, (_, pixel) => rawAt(m, pixel, t));
    const samples = m === 0 ? Int16Array.from(raw, (value) => (Number.isNaN(value) ? -32_768 : value)) : raw;
    await cube.append(sampleType, { key: String(t), timeMs: TIMES[t]! }, samples);
  }
  series.push({
    metric: sampleType,
    cubeId: sampleType,
    sampleType,
    scale: m === 0 ? 0.5 : 1,
    offset: 0,
    digests: (await cube.scenes(sampleType)).map(({ sha256 }) => sha256),
    at: Int32Array.from(TIMES, (_, t) => SCENES[m]!.indexOf(t)),
  });
}
const task: ChangeTask = {
  spec: {
    width: WIDTH,
    height: HEIGHT,
    pixelAreaM2: 1,
    metric: 'int16',
    timesMs: Float64Array.from(TIMES),
  },
  series,
  groups: [[0, 1]],
};

test('a stack reads the same with and without the shared cache, and with a cache reused from another stack', async () => {
  const before = sharedStrips({ ...task, spec: { ...task.spec, height: 2 * HEIGHT } })!;
  new Float32Array(before.memory).fill(7);
  const shared = sharedStrips(task, before)!;
  assert.equal(shared.memory, before.memory);
  const readers = [
    new StackReader(cube, task),
    new StackReader(cube, task, new StripCache(task, shared)),
    new StackReader(cube, task, new StripCache(task, shared)), // as in another thread
    new StackReader(cube, task, new StripCache(task, shared)),
  ];
  readers.at(-1)!.leaveCache();
  for (const metric of [0, 1])
    for (const [from, to] of [
      [0, PIXELS],
      [0, 4096],
      [4090, 4100],
      [4096, PIXELS],
      [17, 18],
      [4400, 4500],
      [3000, 3100],
    ] as const)
      for (const [r, reader] of readers.entries()) {
        const values = await reader.read(metric, from, to);
        const expected = Float64Array.from({ length: (to - from) * TIMES.length }, (_, i) => {
          const t = i % TIMES.length;
          if (!SCENES[metric]!.includes(t)) return Number.NaN;
          return rawAt(metric, from + Math.floor(i / TIMES.length), t) * (metric === 0 ? 0.5 : 1);
        });
        assert.deepEqual(Float64Array.from(values), expected, `metric ${metric}, [${from}, ${to}), ${r}`);
        reader.giveBack({ values });
      }
});

test('without the shared cache, the two strips of a metric that were read last are not read again', async () => {
  let reads = 0;
  const counting = {
    readStrip: cube.readStrip.bind(cube),
    readSamples: async (...given: Parameters<MemoryCubeStore['readSamples']>) => {
      reads += 1;
      return await cube.readSamples(...given);
    },
  };
  const reader = new StackReader(counting, task, new StripCache(task, sharedStrips(task)!));
  reader.leaveCache();
  for (const from of [17, 4100, 30, 4200, 18]) await reader.read(0, from, from + 1);
  assert.equal(reads, 2);
});

test('a strip of a search that goes on has the latest values of all pixels, and earlier ones of those that were completed', async () => {
  const times = Array.from({ length: 20 }, (_, t) => t);
  const known = new MemoryCubeStore();
  await known.create('c', { width: WIDTH, height: HEIGHT, sampleType: 'int16' });
  for (const t of times) {
    const raw = Float64Array.from({ length: PIXELS }, (_, pixel) => rawAt(0, pixel, t));
    const samples = Int16Array.from(raw, (value) => (Number.isNaN(value) ? -32_768 : value));
    await known.append('c', { key: String(t), timeMs: t }, samples);
  }
  const digests = (await known.scenes('c')).map(({ sha256 }) => sha256);
  // The stack has a scene at the beginning that the metric does not have.
  const at = Int32Array.of(-1, ...times);
  const spec = { ...task.spec, timesMs: Float64Array.of(-1, ...times) };
  const of = { ...series[0]!, cubeId: 'c', scale: 1, digests, at };
  const its: ChangeTask = { spec, series: [of], groups: [[0]] };
  const readers = [
    new StackReader(known, its),
    new StackReader(known, its, new StripCache(its, sharedStrips(its)!)),
  ];
  for (const reader of readers)
    for (const [from, to] of [
      [0, 4096],
      [4096, PIXELS],
      [10, 60],
    ] as const) {
      const whole = Float64Array.from(await reader.read(0, from, to));
      const strip = await reader.strip(0, from, to, 17);
      const first = strip.since!;
      assert.ok(first > 1 && first < 17);
      for (const p of [0, 7, to - from - 1]) {
        strip.complete!(p);
        const pixel = [p * at.length, (p + 1) * at.length] as const;
        assert.deepEqual(Float64Array.from(strip.values.subarray(...pixel)), whole.subarray(...pixel));
      }
      for (let i = 0; i < whole.length; i++)
        if (i % at.length >= first) assert.ok(Object.is(strip.values[i], whole[i]));
      reader.giveBack(strip);
    }
});

test('a stack that is too large is not cached', () => {
  assert.equal(sharedStrips({ ...task, spec: { ...task.spec, width: 6000, height: 6000 } }), undefined);
});

test('scenes that do not match the task are refused', async () => {
  const [first] = series;
  for (const digests of [first!.digests.slice(1), first!.digests.toReversed()]) {
    const reader = new StackReader(cube, { ...task, series: [{ ...first!, digests }] });
    await assert.rejects(reader.read(0, 0, 1), ScenesChanged);
  }
});
