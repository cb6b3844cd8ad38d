import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, open, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { crc32 } from 'node:zlib';
import { findChanges } from '../../src/app/changes/search/find-changes.ts';
import type { FoundChange } from '../../src/app/changes/search/found-change.ts';
import type { SavedState } from '../../src/app/changes/search/saved-state.ts';
import { FolderCubeStore } from '../../src/cube/folder-cube-store.ts';

const DAY_MS = 86_400_000;
const [WIDTH, HEIGHT, TIMES] = [8, 6, 40];
const CUBE = 'fields';
/** Number of kills. Full test: `GROUNDWATCH_TEST_KILLS=50 npm test -- test/fault/monitoring-state.test.ts`. */
const KILLS = Number(process.env['GROUNDWATCH_TEST_KILLS'] ?? 3);
/** Maximum time from the first reported commit to the kill [ms]; long enough for dozens of commits. */
const LONGEST_MS = 60;

let root: string;
let store: FolderCubeStore;
let path: string;

before(async () => {
  root = await mkdtemp(join(tmpdir(), 'groundwatch-monitoring-state-'));
  store = new FolderCubeStore(root);
  await store.create(CUBE, { width: WIDTH, height: HEIGHT, sampleType: 'int16' });
  path = join(root, CUBE, 'monitoring.state');
});
after(async () => {
  await store.close();
  await rm(root, { recursive: true, force: true });
});

/**
 * Returns the simulated value of a pixel in scene `t`. There is one scene per month for a little over three years, with
 * a season, clouds and a cleared corner.
 */
function valueAt(pixel: number, t: number): number {
  if ((pixel * 7 + t * 13) % 6 === 0) return -32_768;
  const isCleared = t >= 26 && pixel % WIDTH < 4 && pixel < 4 * WIDTH;
  const scatter = ((pixel * 31 + t * 17) % 23) * 8;
  return 6500 + scatter + Math.round(500 * Math.cos((2 * Math.PI * t) / 12.17)) - (isCleared ? 4000 : 0);
}

/**
 * Puts the first `times` scenes into the cube and searches them for changes. With `keeps`, the search continues from
 * the saved state and saves its own state at the end.
 */
async function search(times: number, keeps = true): Promise<readonly FoundChange[]> {
  for (let t = (await store.scenes(CUBE)).length; t < times; t++)
    await store.append(
      CUBE,
      { key: `scene ${t}`, timeMs: timeOf(t) },
      Int16Array.from({ length: WIDTH * HEIGHT }, (_, pixel) => valueAt(pixel, t)),
    );
  const digests = (await store.scenes(CUBE)).map(({ sha256 }) => sha256);
  const [found] = await findChanges(
    {
      spec: {
        width: WIDTH,
        height: HEIGHT,
        pixelAreaM2: 400,
        metric: 'ndvi',
        timesMs: Float64Array.from({ length: times }, (_, t) => timeOf(t)),
      },
      series: [
        {
          metric: 'ndvi',
          cubeId: CUBE,
          sampleType: 'int16',
          scale: 1e-4,
          offset: 0,
          digests,
          at: Int32Array.from({ length: times }, (_, t) => t),
        },
      ],
      groups: [[0]],
      basis: keeps ? { about: 'test', moments: digests } : undefined,
    },
    { cubes: store.address, progress: () => undefined, threads: 1 },
  );
  return found!;
}

function timeOf(t: number): number {
  return Date.UTC(2020, 0, 5) + t * 30 * DAY_MS;
}

/** Returns the names of the parts of a state file, from the index of the file. */
function partsOf(file: Buffer): readonly string[] {
  const end = file.length - 16;
  const index = file.subarray(end - file.readUInt32LE(end), end);
  return Object.keys((JSON.parse(index.toString()) as { readonly parts: object }).parts);
}

/** Returns whether a state is undefined, or at least one of its parts does not match its checksum. */
async function isRefused(state: SavedState | undefined, parts: readonly string[]): Promise<boolean> {
  if (state === undefined) return true;
  try {
    for (const name of parts) {
      const bytes = Buffer.from(await state.part(name));
      if (crc32(bytes.subarray(0, -4)) !== bytes.readUInt32LE(bytes.length - 4)) return true;
    }
    return false;
  } finally {
    await state.close();
  }
}

test('a state with any one byte altered is told from a whole one, and a search finds the same with it', async () => {
  await search(TIMES - 1);
  const whole = await readFile(path);
  const parts = partsOf(whole);
  assert.ok(parts.length >= 4);
  assert.equal(await isRefused(await store.openState(CUBE), parts), false);
  // Tests one altered file per byte, with one flipped bit: for every 29th byte, and for every byte near the end.
  // The same file is changed in place and mended, since writing it whole for each byte would take most of the time.
  await writeFile(path, whole);
  const file = await open(path, 'r+');
  try {
    for (let at = 0; at < whole.length; at += at > whole.length - 64 ? 1 : 29) {
      await file.write(Buffer.of(whole[at]! ^ (1 << (at % 8))), 0, 1, at);
      assert.ok(await isRefused(await store.openState(CUBE), parts), `byte ${at} of ${whole.length}`);
      await file.write(whole, at, 1, at);
    }
  } finally {
    await file.close();
  }
  assert.deepEqual(await readFile(path), whole);
  const expected = await search(TIMES, false);
  assert.ok(expected.some(({ type }) => type === 'vegetation_loss'));
  const altered = Buffer.from(whole);
  altered[whole.length >> 1]! ^= 32;
  for (const bytes of [altered, whole.subarray(0, whole.length >> 1)]) {
    await writeFile(path, bytes);
    assert.deepEqual(await search(TIMES), expected, `${bytes.length} bytes of ${whole.length}`);
    assert.equal(await isRefused(await store.openState(CUBE), parts), false, 'what it leaves is whole');
  }
  await writeFile(path, whole);
  assert.deepEqual(await search(TIMES), expected, 'whole');
});

/**
 * Program that saves small states in an endless loop and reports each commit. Because the states are small, most of the
 * time is spent in commits.
 */
const SAVE_LOOP = `
  import { writeSync } from 'node:fs';
  import { FolderCubeStore } from ${JSON.stringify(new URL('../../src/cube/folder-cube-store.ts', import.meta.url).href)};
  const store = new FolderCubeStore(process.argv[1]);
  for (let i = Number(process.argv[2]); ; i++) {
    const writer = await store.writeState('${CUBE}', 4000);
    for (const name of ['one', 'two']) await writer.add(name, new Uint8Array(2000).fill(i % 251));
    await writer.commit(String(i));
    writeSync(1, i + '\\n');
  }
`;

test(`${KILLS} times kill -9 while states are committed: the last one told of, or a later one, is there and whole`, async () => {
  for (let kill = 1; kill <= KILLS; kill++) {
    const child = spawn(
      process.execPath,
      ['--input-type=module', '-e', SAVE_LOOP, root, String(kill * 100_000)],
      { stdio: ['ignore', 'pipe', 'inherit'] },
    );
    let told = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => (told += text));
    await once(child.stdout, 'data');
    await sleep(Math.random() * LONGEST_MS);
    child.kill('SIGKILL');
    await once(child, 'close');
    const last = Number(told.trimEnd().split('\n').at(-1));
    const state = await store.openState(CUBE);
    assert.ok(state !== undefined, 'there is a state');
    const saved = Number(state.heading);
    assert.ok(saved >= last, `${saved} is there, ${last} was told of`);
    for (const name of ['one', 'two'])
      assert.deepEqual(await state.part(name), new Uint8Array(2000).fill(saved % 251));
    await state.close();
  }
  // The incomplete files of the killed processes are never read, so a search works although they are in the folder.
  await search(TIMES);
  const names = await readdir(join(root, CUBE));
  assert.ok(names.filter((name) => name.endsWith('.state-part')).length <= KILLS);
  assert.equal(await isRefused(await store.openState(CUBE), partsOf(await readFile(path))), false);
});
