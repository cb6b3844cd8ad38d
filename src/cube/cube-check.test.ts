import assert from 'node:assert/strict';
import {
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import type { TestContext } from 'node:test';
import type { CubeSpec } from '../app/series/cube-store.ts';
import { FolderCubeStore } from './folder-cube-store.ts';

const SPEC: CubeSpec = { width: 40, height: 30, sampleType: 'int16' };
const PIXELS = SPEC.width * SPEC.height;
const SCENES = 10;

function samplesOf(scene: number): Int16Array {
  return new Int16Array(PIXELS).map((_, p) => ((p * 7919 + scene * 104_729) % 20_000) - 5000);
}

async function ingest(store: FolderCubeStore): Promise<number> {
  let added = 0;
  for (let i = 0; i < SCENES; i++) {
    const result = await store.append('c', { key: `k${i}`, timeMs: i }, samplesOf(i));
    if (result.added) added++;
  }
  return added;
}

/** A cube with three segments of three scenes each, and one scene in its open log. */
async function cubeIn(t: TestContext): Promise<{ store: () => FolderCubeStore; folder: string }> {
  const root = mkdtempSync(join(tmpdir(), 'groundwatch-check-'));
  t.after(() => rmSync(root, { recursive: true, force: true }));
  const store = (): FolderCubeStore => {
    const opened = new FolderCubeStore(root, { closeAt: 3, lockTimeoutMs: 5000 });
    t.after(() => opened.close());
    return opened;
  };
  const first = store();
  await first.create('c', SPEC);
  await ingest(first);
  await first.close();
  return { store, folder: join(root, 'c') };
}

const cases: readonly {
  readonly what: string;
  readonly file: RegExp;
  readonly damage: (path: string) => void;
  /** Number of scenes that must be ingested again. */
  readonly lost: number;
}[] = [
  { what: 'a bit of a strip', file: /segment/, damage: (path) => flip(path, 900), lost: 3 },
  { what: 'the end of a segment', file: /segment/, damage: (path) => truncateSync(path, 700), lost: 3 },
  { what: 'a whole segment', file: /segment/, damage: (path) => rmSync(path), lost: 3 },
  { what: 'a bit of the last scene', file: /\.log/, damage: (path) => flip(path, 4096 + 900), lost: 1 },
  { what: 'a bit of the head of the log', file: /\.log/, damage: (path) => flip(path, 9), lost: 0 },
  { what: 'the end of the log', file: /\.log/, damage: (path) => truncateSync(path, 5000), lost: 1 },
  { what: 'the log', file: /\.log/, damage: (path) => rmSync(path), lost: 1 },
  { what: 'a bit of the manifest', file: /manifest/, damage: (path) => flip(path, 60), lost: SCENES },
];

function flip(path: string, at: number): void {
  const bytes = readFileSync(path);
  bytes[at] = bytes[at]! ^ 4;
  writeFileSync(path, bytes);
}

for (const { what, file, damage, lost } of cases) {
  test(`when ${what} is lost, the check names the file, and after a repair and a new ingest the cube is the same`, async (t) => {
    const { store, folder } = await cubeIn(t);
    const whole = store();
    assert.deepEqual(await whole.check('c'), []);
    const want = await whole.readStrip('c', 0, PIXELS);
    await whole.close();
    const name = readdirSync(folder).find((entry) => file.test(entry))!;
    damage(join(folder, name));

    const damaged = store();
    await assert.rejects(damaged.readStrip('c', 0, PIXELS), (error: Error) =>
      error.message.startsWith(join(folder, name)),
    );
    const [sentence, ...others] = await damaged.check('c');
    assert.ok(sentence!.startsWith(join(folder, name)), sentence);
    assert.deepEqual(others, []);
    assert.deepEqual(await damaged.repair('c', SPEC), [sentence]);
    assert.deepEqual(await damaged.check('c'), []);
    assert.equal((await damaged.scenes('c')).length, SCENES - lost);
    assert.equal(await ingest(damaged), lost);
    assert.deepEqual(await damaged.readStrip('c', 0, PIXELS), want);
    await damaged.close();
    assert.deepEqual(await store().readStrip('c', 0, PIXELS), want);
    assert.ok(
      readdirSync(folder).every((entry) => /^(manifest\.json|segment-\d+\.gws|open-\d+\.log)$/.test(entry)),
    );
  });
}

test('repairing an intact cube changes nothing, and a missing cube becomes an empty one', async (t) => {
  const { store, folder } = await cubeIn(t);
  const manifest = readFileSync(join(folder, 'manifest.json'), 'utf8');
  const cube = store();
  assert.deepEqual(await cube.repair('c', SPEC), []);
  assert.equal(readFileSync(join(folder, 'manifest.json'), 'utf8'), manifest);
  rmSync(join(folder, 'manifest.json'));
  assert.match((await cube.check('c')).join(), /holds no cube/);
  assert.match((await cube.repair('c', SPEC)).join(), /holds no cube/);
  assert.deepEqual(await cube.scenes('c'), []);
  assert.equal(await ingest(cube), SCENES);
  rmSync(join(folder, 'manifest.json'));
  await cube.remove('c');
  assert.equal(existsSync(folder), false);
});
