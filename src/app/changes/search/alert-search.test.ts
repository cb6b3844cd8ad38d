import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { DAY_MS } from '../../../base/time.ts';
import { detectChanges } from '../../../change/detect-changes.ts';
import { FolderCubeStore } from '../../../cube/folder-cube-store.ts';
import type { ChangeTask } from './change-task.ts';
import { findChanges } from './find-changes.ts';
import type { FoundChange } from './found-change.ts';

/** Size of a stack of several strips [pixels], and its number of scenes. */
const [WIDTH, HEIGHT, TIMES] = [130, 64, 20];
const METRICS = ['veg_anom', 'ndvi'];
const BEFORE_LOSS = 8; // number of scenes before the loss

/** A pseudo-random number in [0, 1) from two integers. */
function noise(a: number, b: number): number {
  const mixed = Math.imul(a ^ (b * 0x9e3779b1), 0x85ebca6b);
  return ((Math.imul(mixed ^ (mixed >>> 15), 0xc2b2ae35) >>> 8) % 65_536) / 65_536;
}

/** Loss of cover, or NDVI, of a pixel. A rectangle loses its cover; six scenes later a part of it is green again. */
function valueAt(metric: number, pixel: number, t: number): number {
  if (noise(pixel + 7, t) < 0.2) return Number.NaN;
  const [row, column] = [Math.floor(pixel / WIDTH), pixel % WIDTH];
  const isLost = t >= BEFORE_LOSS && row >= 29 && row < 35 && column >= 60 && column < 70;
  const isBack = t >= BEFORE_LOSS + 6 && column >= 66;
  const loss = isLost && !isBack ? 45 : 0;
  const speckle = noise(pixel + 1_000_003 * metric, t);
  return metric === 0 ? loss + Math.floor(3 * speckle) : 0.7 - loss / 100 + 0.03 * speckle;
}

const root = await mkdtemp(join(tmpdir(), 'groundwatch-alert-search-'));
const cube = new FolderCubeStore(root);
after(async () => {
  await cube.close();
  await rm(root, { recursive: true });
});

const timesOf = (scenes: number) =>
  Float64Array.from({ length: scenes }, (_, t) => Date.UTC(2023, 0, 5) + t * 6 * DAY_MS);

/** Makes the cubes contain the first scenes, and searches groups of metrics. With `about`, the state is saved. */
async function search(
  scenes: number,
  groups: ChangeTask['groups'],
  {
    threads = 1,
    about,
    progress = () => {},
  }: {
    readonly threads?: number;
    readonly about?: string;
    readonly progress?: (done: number, total: number) => void;
  } = {},
): Promise<readonly (readonly FoundChange[])[]> {
  const timesMs = timesOf(scenes);
  const used = METRICS.slice(0, Math.max(...groups.flat()) + 1);
  const series: ChangeTask['series'][number][] = [];
  for (const [m, metric] of used.entries()) {
    await cube.create(metric, { width: WIDTH, height: HEIGHT, sampleType: 'float32' });
    for (let t = (await cube.scenes(metric)).length; t < scenes; t++)
      await cube.append(
        metric,
        { key: `${t}`, timeMs: timesMs[t]! },
        Float32Array.from({ length: WIDTH * HEIGHT }, (_, pixel) => valueAt(m, pixel, t)),
      );
    series.push({
      metric,
      cubeId: metric,
      sampleType: 'float32',
      scale: 1,
      offset: 0,
      digests: (await cube.scenes(metric)).map(({ sha256 }) => sha256),
      at: Int32Array.from(timesMs.keys()),
    });
  }
  const spec = { width: WIDTH, height: HEIGHT, pixelAreaM2: 900, metric: METRICS[0]!, timesMs };
  const basis = about === undefined ? undefined : { about, moments: [...timesMs].map(String) };
  return await findChanges({ spec, series, groups, basis }, { cubes: cube.address, progress, threads });
}

test('alerts found after a second batch of scenes are those of a search over all scenes', async () => {
  const [early] = await search(BEFORE_LOSS + 4, [[0]], { about: 'alerts' });
  assert.deepEqual(
    early!.map(({ status, pixels }) => [status, pixels.length]),
    [['confirmed', 60]],
  );
  const [resumed] = await search(TIMES, [[0]], { about: 'alerts' });
  const [whole] = await search(TIMES, [[0]]);
  assert.deepEqual(resumed, whole);
  assert.deepEqual(
    whole!.map(({ seed: { pixel, firstAnomaly } }) => [pixel, firstAnomaly]),
    early!.map(({ seed: { pixel, firstAnomaly } }) => [pixel, firstAnomaly]),
  );
});

test('the result does not depend on the number of threads and equals that over arrays; progress reaches the total', async () => {
  const told: number[] = [];
  const [alone] = await search(TIMES, [[0]], { progress: (done, total) => void told.push(done / total) });
  const [shared] = await search(TIMES, [[0]], { threads: 3 });
  assert.deepEqual(shared, alone);
  assert.equal(told.at(-1), 1);
  const values = Float32Array.from({ length: WIDTH * HEIGHT * TIMES }, (_, i) =>
    valueAt(0, Math.floor(i / TIMES), i % TIMES),
  );
  const spec = {
    width: WIDTH,
    height: HEIGHT,
    pixelAreaM2: 900,
    metric: 'veg_anom',
    timesMs: timesOf(TIMES),
  };
  assert.deepEqual(
    alone!.map(({ evidence: _evidence, ...object }) => object),
    detectChanges({ ...spec, values }),
  );
});

test('alerts and an index in one search find the same as alone, also when the search resumes', async () => {
  const [alerts] = await search(TIMES, [[0]]);
  const together = await search(TIMES, [[0], [1]], { threads: 2 });
  assert.deepEqual(together[0], alerts);
  assert.ok(together[1]!.length > 0);
  assert.deepEqual(await search(TIMES, [[0], [1]], { about: 'both' }), together);
  assert.deepEqual(await search(TIMES, [[0], [1]], { about: 'both' }), together);
});
