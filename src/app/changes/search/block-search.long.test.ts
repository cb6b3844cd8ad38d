import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cp, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { after, before, describe, test } from 'node:test';
import { EDGE, makeStack, searchStack, TIMES } from '../../../../test/fixtures/divided-stack.ts';
import { uniform } from '../../../../test/oracles/simulated-series.ts';
import type { FoundChange } from './found-change.ts';
import { STRIP_PIXELS } from './strip-size.ts';
import type { UnitTurns } from './unit-turns.ts';
import { testProcess } from '../../../../test/fixtures/program.ts';

const PROGRAM = testProcess('test/fixtures/divided-stack.ts');
/** Number of kills. Full test: `GROUNDWATCH_TEST_KILLS=50 npm test -- src/app/changes/search/block-search.long.test.ts`. */
const KILLS = Number(process.env['GROUNDWATCH_TEST_KILLS'] ?? 2);
const EARLIER = TIMES - 8;

describe('a search that goes block by block', () => {
  let root: string;
  /** Folder of the stack with its earlier scenes. */
  let earlier: string;
  /** What the undivided search finds in the earlier scenes, and in all. */
  let expected: readonly FoundChange[];
  let expectedEarlier: readonly FoundChange[];
  before(async () => {
    root = await mkdtemp(join(tmpdir(), 'groundwatch-blocks-'));
    earlier = join(root, 'earlier');
    await makeStack(earlier, EARLIER);
    expectedEarlier = await searchStack(earlier, undefined);
    const whole = await copyOf(earlier, 'whole');
    await makeStack(whole);
    expected = await searchStack(whole, undefined);
  });
  after(() => rm(root, { recursive: true }));

  const copyOf = async (folder: string, name: string): Promise<string> => {
    await cp(folder, join(root, name), { recursive: true });
    return join(root, name);
  };
  const unitsIn = async (folder: string): Promise<readonly string[]> =>
    (await readdir(join(folder, 'ndvi'))).filter((name) => name.endsWith('.unit-state')).toSorted();
  /** Turns in a random order. */
  const shuffled = (seed: number, taken: string[]): UnitTurns => {
    const next = uniform(seed);
    return {
      take: async (_search, units) => {
        const unit = units[Math.floor(next() * units.length)]!;
        taken.push(unit);
        return unit;
      },
      giveBack: () => Promise.resolve(),
    };
  };

  test('finds what the undivided search finds, in any order of the blocks, also when it goes on from a state', async () => {
    const strips = expected.map(
      ({ pixels }) => new Set(Array.from(pixels, (pixel) => Math.floor(pixel / STRIP_PIXELS))).size,
    );
    assert.deepEqual(
      strips.toSorted((a, b) => a - b),
      [1, 2, (EDGE * EDGE) / STRIP_PIXELS],
      'one change crosses all blocks',
    );
    const orders = new Set<string>();
    for (const [seed, blockStrips, threads] of [
      [1, 1, 2],
      [2, 3, 1],
    ] as const) {
      const folder = await copyOf(earlier, `order ${seed}`);
      const taken: string[] = [];
      const how = { turns: shuffled(seed, taken), threads };
      assert.deepEqual(await searchStack(folder, blockStrips, how), expectedEarlier);
      assert.equal(taken.length, 4 * Math.ceil(4 / blockStrips), 'each unit is run once');
      orders.add(taken.join());
      await makeStack(folder, TIMES - 6);
      const state = await readFile(join(folder, 'ndvi', 'monitoring.state'));
      const units = await unitsIn(folder);
      await searchStack(folder, blockStrips, how);
      assert.deepEqual(await unitsIn(folder), units, 'what two scenes more need is dropped again');
      assert.deepEqual(await readFile(join(folder, 'ndvi', 'monitoring.state')), state);
      await makeStack(folder);
      assert.deepEqual(await searchStack(folder, blockStrips, how), expected);
      assert.notDeepEqual(await unitsIn(folder), units, 'the new state replaces the former one');
      assert.equal((await unitsIn(folder)).length, units.length);
    }
    assert.ok(orders.size > 1);
  });

  test('goes on from a state of before it was divided, and from one in other blocks', async () => {
    const folder = await copyOf(earlier, 'former');
    await searchStack(folder, 4);
    assert.deepEqual(await unitsIn(folder), []);
    // The state of another stack gives another result, which shows that it is used.
    const state = await readFile(join(folder, 'ndvi', 'monitoring.state'));
    await makeStack(folder);
    assert.deepEqual(await searchStack(folder, 2), expected);
    await writeFile(join(folder, 'ndvi', 'monitoring.state'), state);
    assert.deepEqual(await searchStack(folder, 1), expected);
    const undivided = await copyOf(earlier, 'undivided again');
    await searchStack(undivided, 1);
    await makeStack(undivided);
    assert.deepEqual(await searchStack(undivided, 4), expected);
    assert.deepEqual(await unitsIn(undivided), [], 'the units of the former state are dropped');
  });

  test('starts again from the first scene when a unit of its state is lost or damaged', async () => {
    const saved = await copyOf(earlier, 'saved');
    await searchStack(saved, 1);
    const unit = (await unitsIn(saved)).find((name) => name.includes('.follow-2.'));
    for (const harm of ['lost', 'damaged']) {
      const folder = await copyOf(saved, harm);
      const path = join(folder, 'ndvi', unit!);
      if (harm === 'lost') await rm(path);
      else {
        const bytes = await readFile(path);
        bytes[100]! ^= 8;
        await writeFile(path, bytes);
      }
      await makeStack(folder);
      assert.deepEqual(await searchStack(folder, 1), expected, harm);
    }
  });

  test(`${KILLS} times kill -9: each search goes on from the units that were done, and the last one finds the same`, async () => {
    const next = uniform(77);
    let done = 0;
    for (let kill = 1; kill <= KILLS; kill++) {
      const folder = await copyOf(earlier, `killed ${kill}`);
      if (kill % 2 === 0) {
        await searchStack(folder, 1);
        await makeStack(folder);
      }
      const before = new Set(await unitsIn(folder));
      const fresh = async (): Promise<readonly string[]> =>
        (await unitsIn(folder)).filter((name) => !before.has(name));
      const child = spawn(process.execPath, [PROGRAM, 'search', folder, '1'], { stdio: 'inherit' });
      const ended = once(child, 'exit');
      const until = Math.floor(next() * 16);
      while (child.exitCode === null && (await fresh()).length < until) await sleep(1);
      await sleep(next() * 20);
      child.kill('SIGKILL');
      await ended;
      const left = await fresh();
      const written = async (): Promise<readonly number[]> =>
        await Promise.all(left.map(async (name) => (await stat(join(folder, 'ndvi', name))).ino));
      const inodes = await written();
      const taken: string[] = [];
      const found = await searchStack(folder, 1, { turns: shuffled(kill, taken) });
      assert.deepEqual(found, kill % 2 === 0 ? expected : expectedEarlier, `kill ${kill}`);
      if (child.exitCode === 0) continue;
      assert.equal(taken.length, 16 - left.length, 'the units that were done are not run again');
      assert.deepEqual(await written(), inodes);
      done += left.length;
    }
    assert.ok(done > 0);
  });
});
