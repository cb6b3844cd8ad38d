import assert from 'node:assert/strict';
import { watch } from 'node:fs';
import { copyFile, mkdir, mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { crc32 } from 'node:zlib';
import { DAY_MS } from '../../../base/time.ts';
import { FolderCubeStore } from '../../../cube/folder-cube-store.ts';
import type { ChangeTask } from './change-task.ts';
import { findChanges } from './find-changes.ts';
import { SCENES_PER_STATE } from './resumable-search.ts';
import { unsealed } from './saved-part.ts';
import type { FoundChange } from './found-change.ts';

const [WIDTH, HEIGHT, TIMES] = [16, 12, 48];
const METRICS = ['ndvi', 'nbr'];

/** A pseudo-random number in [0, 1) from two integers. */
function noise(a: number, b: number): number {
  const mixed = Math.imul(a ^ (b * 0x9e3779b1), 0x85ebca6b);
  return ((Math.imul(mixed ^ (mixed >>> 15), 0xc2b2ae35) >>> 8) % 65_536) / 65_536;
}

/**
 * Value of a pixel in a series of monthly scenes over four years. One corner of the grid is cleared after two and a
 * half years; another corner has low values for some months.
 */
function valueAt(metric: number, pixel: number, t: number): number {
  if (noise(pixel + 7, t) < 0.2) return Number.NaN;
  const [row, column] = [Math.floor(pixel / WIDTH), pixel % WIDTH];
  const isCleared = t >= 30 && row < 5 && column < 5;
  const isLow = t >= 26 && t < 32 && row > 6 && column > 10;
  const season = 600 * Math.cos((2 * Math.PI * t) / 12.17);
  const level = (metric === 0 ? 6500 : 4500) + season - (isCleared || isLow ? 4000 : 0);
  return Math.round(level + 300 * (noise(pixel + 1_000_003 * metric, t) - 0.5));
}

const root = await mkdtemp(join(tmpdir(), 'groundwatch-resume-'));
after(() => rm(root, { recursive: true }));

/** A stack and its saved state, in a folder of their own. */
class World {
  readonly folder: string;
  readonly statePath: string;
  groups: ChangeTask['groups'] = [[0, 1]];
  readonly #cube: FolderCubeStore;
  readonly #value: typeof valueAt;

  constructor(name: string, value = valueAt) {
    this.folder = join(root, name, METRICS[0]!);
    this.statePath = join(this.folder, 'monitoring.state');
    this.#cube = new FolderCubeStore(join(root, name));
    this.#value = value;
    after(() => this.#cube.close());
  }

  /** Makes the cubes contain exactly these scenes and searches them. Without `about`, no state is used or saved. */
  async run(
    scenes: readonly number[],
    about?: string,
    threads = 1,
    signal?: AbortSignal,
  ): Promise<readonly FoundChange[]> {
    const digests: (readonly string[])[] = [];
    for (const [m, metric] of METRICS.entries()) {
      await this.#cube.create(metric, { width: WIDTH, height: HEIGHT, sampleType: 'float64' });
      const gone = (await this.#cube.scenes(metric)).filter(({ key }) => !scenes.includes(Number(key)));
      await this.#cube.removeScenes(
        metric,
        gone.map(({ key }) => key),
      );
      for (const t of scenes)
        await this.#cube.append(
          metric,
          { key: String(t), timeMs: timeOf(t) },
          Float64Array.from({ length: WIDTH * HEIGHT }, (_, pixel) => this.#value(m, pixel, t)),
        );
      digests.push((await this.#cube.scenes(metric)).map(({ sha256 }) => sha256));
    }
    const found = await findChanges(
      {
        spec: {
          width: WIDTH,
          height: HEIGHT,
          pixelAreaM2: 400,
          metric: 'ndvi',
          timesMs: Float64Array.from(scenes, timeOf),
        },
        series: METRICS.map((metric, m) => ({
          metric,
          cubeId: metric,
          sampleType: 'float64',
          scale: 1e-4,
          offset: 0,
          digests: digests[m]!,
          at: Int32Array.from(scenes, (_, i) => i),
        })),
        groups: this.groups,
        basis: about === undefined ? undefined : { about, moments: scenes.map((t) => `scene ${t}`) },
      },
      { cubes: this.#cube.address, progress: () => undefined, threads, signal },
    );
    return found.flat();
  }

  /** Flips a bit in the middle of one part of the saved state. */
  async damage(name: string): Promise<void> {
    await this.#rewrite((bytes, part) => {
      if (part === name) bytes[bytes.length >> 1]! ^= 16;
      return bytes;
    });
  }

  /** Makes the saved state one of an earlier release, which did not compress its parts. */
  async makeEarlier(): Promise<void> {
    await this.#rewrite(
      (part) => {
        const bytes = unsealed(part)!;
        const plain = new Uint8Array(bytes.byteLength + 4);
        plain.set(bytes);
        new DataView(plain.buffer).setUint32(bytes.byteLength, crc32(bytes), true);
        return plain;
      },
      (heading) => ({ ...heading, encoding: undefined }),
    );
  }

  async #rewrite(
    partOf: (bytes: Uint8Array, part: string) => Uint8Array,
    headingOf = (heading: Record<string, unknown>): object => heading,
  ): Promise<void> {
    const saved = (await this.#cube.openState(METRICS[0]!))!;
    const writer = await this.#cube.writeState(METRICS[0]!, 1000, 'it');
    for (const part of PARTS) await writer.add(part, partOf(await saved.part(part), part));
    const heading = JSON.parse(saved.heading) as Record<string, unknown>;
    await writer.commit(JSON.stringify(headingOf(heading)));
    await saved.close();
  }
}

function timeOf(t: number): number {
  return Date.UTC(2020, 0, 5) + t * 30 * DAY_MS;
}

const SOFTWARE = 'this software';
const ALL = Array.from({ length: TIMES }, (_, t) => t);
const PARTS = [
  'contexts 0',
  'contexts 1',
  'like 0 0',
  'like 1 0',
  'context 0 0',
  'context 1 0',
  'follow 0+1 0',
];

const replayed = new World('replayed');
const replays = new Map<string, Promise<readonly FoundChange[]>>();
function replay(scenes: readonly number[]): Promise<readonly FoundChange[]> {
  const known = replays.get(scenes.join()) ?? replayed.run(scenes);
  replays.set(scenes.join(), known);
  return known;
}

/** A stack in which nothing was cleared. */
const unbroken = new World('unbroken', (metric, pixel) => valueAt(metric, pixel, pixel % 12));

test('a resumed search finds the same as a search from the first scene', async () => {
  const world = new World('onwards');
  for (const [count, threads] of [
    [28, 1],
    [33, 2],
    [TIMES, 1],
  ] as const) {
    const scenes = ALL.slice(0, count);
    assert.deepEqual(await world.run(scenes, SOFTWARE, threads), await replay(scenes), `${count} scenes`);
  }
  const found = await world.run(ALL, SOFTWARE);
  assert.deepEqual(found, await replay(ALL), 'nothing new');
  assert.ok(found.some(({ status, type }) => status === 'confirmed' && type === 'vegetation_loss'));
  // Resumed from the state of another stack, the search gives another result: this shows that the state is used.
  await unbroken.run(ALL, SOFTWARE);
  await copyFile(unbroken.statePath, world.statePath);
  assert.notDeepEqual(await world.run(ALL, SOFTWARE), found);
});

test('a state is saved again after some scenes only, and searches between find the same, also after a late scene', async () => {
  const world = new World('seldom');
  const [first, later] = [36, 36 + SCENES_PER_STATE];
  await world.run(ALL.slice(0, first), SOFTWARE);
  const saved = await readFile(world.statePath);
  for (let count = first + 1; count <= later; count++) {
    const scenes = ALL.slice(0, count);
    assert.deepEqual(await world.run(scenes, SOFTWARE), await replay(scenes), `${count} scenes`);
    const isSame = saved.equals(await readFile(world.statePath));
    assert.equal(isSame, count < later, `after ${count} scenes`);
  }
  // A scene later than the state may come late: the state is still that of the scenes before it.
  await world.run(ALL.slice(0, later), 'other software');
  const late = ALL.slice(0, later + 3).toSpliced(later, 1);
  await world.run(late, 'other software');
  const before = await readFile(world.statePath);
  const scenes = ALL.slice(0, later + 3);
  assert.deepEqual(await world.run(scenes, 'other software'), await replay(scenes));
  assert.deepEqual(await readFile(world.statePath), before);
});

test('the search starts from the first scene after a late, replaced or removed scene and with other software', async () => {
  const world = new World('late');
  const late = ALL.filter((t) => t !== 11 && t !== 40);
  await unbroken.run(late.slice(0, -2), SOFTWARE);
  for (const [scenes, about] of [
    [ALL.filter((t) => t !== 40), SOFTWARE],
    [late.toSpliced(20, 1), SOFTWARE],
    [late, 'other software'],
  ] as const) {
    await mkdir(world.folder, { recursive: true });
    await copyFile(unbroken.statePath, world.statePath);
    assert.deepEqual(await world.run(scenes, about), await replay(scenes));
  }
});

test('a state can be used when it contains all groups of the search', async () => {
  const world = new World('groups');
  const fresh = new World('fresh');
  await world.run(ALL.slice(0, 40), SOFTWARE);
  for (const groups of [[[0, 1], [1]], [[1]]]) {
    fresh.groups = world.groups = groups;
    assert.deepEqual(await world.run(ALL, SOFTWARE), await fresh.run(ALL));
  }
});

test('a state with a damaged part is ignored', async () => {
  const world = new World('damaged');
  for (const [name, threads] of [
    ['contexts 1', 1],
    ['follow 0+1 0', 2],
  ] as const) {
    await world.run(ALL.slice(0, 40), SOFTWARE);
    await world.damage(name);
    assert.deepEqual(await world.run(ALL, SOFTWARE, threads), await replay(ALL), name);
  }
});

test('a state of a release that did not compress it is ignored, and replaced', async () => {
  const world = new World('earlier');
  await world.run(ALL.slice(0, 40), SOFTWARE);
  const saved = await readFile(world.statePath);
  await world.makeEarlier();
  assert.ok((await readFile(world.statePath)).byteLength > saved.byteLength);
  assert.deepEqual(await world.run(ALL.slice(0, 40), SOFTWARE), await replay(ALL.slice(0, 40)));
  assert.deepEqual(await readFile(world.statePath), saved);
});

test('a search succeeds when its state cannot be saved, and leaves no files behind', async () => {
  const world = new World('unsaved');
  await mkdir(join(world.statePath, 'in the way'), { recursive: true });
  assert.deepEqual(await world.run(ALL, SOFTWARE), await replay(ALL));
  assert.deepEqual(
    (await readdir(world.folder)).filter((name) => name.endsWith('.state-part')),
    [],
  );
});

test('an aborted search keeps the previous state and leaves no half-written file', async () => {
  const world = new World('given up');
  await world.run(ALL.slice(0, 40), SOFTWARE);
  const before = await readFile(world.statePath);
  const stop = new AbortController();
  const begun = watch(world.folder, (_event, name) => {
    if (name?.endsWith('.state-part') === true) stop.abort(new RangeError('aborted'));
  });
  // Other software makes the search start from the first scene, so that it does not finish before the abort.
  await assert.rejects(world.run(ALL, 'other software', 1, stop.signal), { message: 'aborted' });
  begun.close();
  assert.deepEqual(await readFile(world.statePath), before);
  assert.deepEqual(
    (await readdir(world.folder)).filter((name) => name.endsWith('.state-part')),
    [],
  );
});
