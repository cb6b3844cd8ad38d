import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { after, before, describe, test } from 'node:test';
import { sql } from 'kysely';
import { createAoi } from '../../src/app/areas/manage-aois.ts';
import { readCollectionStack } from '../../src/app/changes/collection-stack.ts';
import { searchCollection } from '../../src/app/changes/search-collection.ts';
import type { Collection } from '../../src/app/series/collection-store.ts';
import { MODEL_VERSION } from '../../src/change/parameters.ts';
import { FolderCubeStore } from '../../src/cube/folder-cube-store.ts';
import { EDGE, makeStack } from '../fixtures/divided-stack.ts';
import { collectionRecord, square } from '../fixtures/records.ts';
import { testStorage, type TestStorage } from '../fixtures/storage.ts';
import { uniform } from '../oracles/simulated-series.ts';
import { testProcess } from '../fixtures/program.ts';
import { publishChanges } from '../fixtures/publish-changes.ts';

const NODE = testProcess('test/fault/searching-node.ts');
/** Number of kills. Full test: `GROUNDWATCH_TEST_KILLS=50 npm test -- test/fault/shared-search.long.test.ts`. */
const KILLS = Number(process.env['GROUNDWATCH_TEST_KILLS'] ?? 2);
const BLOCKS = 4;
const UNITS = 4 * BLOCKS;

describe('workers that share the search of one collection', () => {
  let world: TestStorage;
  let root: string;
  /** Folder of cubes with the stack. */
  let stack: string;
  let collections = 0;
  before(async () => {
    world = await testStorage();
    root = await mkdtemp(join(tmpdir(), 'groundwatch-shared-'));
    stack = join(root, 'stack');
    await makeStack(stack);
  });
  after(async () => {
    await world.close();
    await rm(root, { recursive: true });
  });

  /** A collection with the stack. */
  const newCollection = async (): Promise<Searched> => {
    const grid = { ...collectionRecord().grid, width: EDGE, height: EDGE };
    const north = 46 - (collections += 2);
    const collection = collectionRecord({
      grid: { ...grid, transform: [14, 0.001, 0, north, 0, -0.001] },
      bounds: [14, north - EDGE * 0.001, 14 + EDGE * 0.001, north],
      pixelAreaM2: 400,
    });
    await world.storage.collections.create(collection);
    const { owner, storage } = world;
    const geometry = square(14, north - EDGE * 0.001, EDGE * 0.001);
    await storage
      .boundTo(owner)
      .transaction((stores) => createAoi(stores, owner, { name: collection.name, geometry }));
    const folder = join(root, collection.id);
    await cp(join(stack, 'ndvi'), join(folder, collection.id), { recursive: true });
    return { collection, folder };
  };
  const until = async (isSo: () => boolean | Promise<boolean>): Promise<void> => {
    while (!(await isSo())) await sleep(20);
  };
  /** Starts a worker. @returns it when it takes jobs */
  const start = async ({ folder, collection }: Searched, ...isHeld: readonly 'held'[]): Promise<Worker> => {
    const child = spawn(process.execPath, [NODE, world.database.url, folder, collection.id, ...isHeld], {
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    const worker: Worker = { child, said: [] };
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      for (const line of text.trimEnd().split('\n')) worker.said.push({ line, at: performance.now() });
    });
    await until(() => worker.said.length > 0);
    return worker;
  };
  const stop = async (worker: Worker): Promise<void> => {
    const ended = worker.child.exitCode ?? worker.child.signalCode;
    if (ended === null) {
      worker.child.kill('SIGKILL');
      await once(worker.child, 'exit');
    }
  };
  const linesOf = (workers: readonly Worker[], word: string) =>
    workers.flatMap(({ said }) => said).filter(({ line }) => line.startsWith(`${word} `));
  /** Checks that what is published is what an undivided search finds, and that each change was told once. */
  const checkPublished = async ({ collection, folder }: Searched): Promise<void> => {
    const { storage, database } = world;
    const cube = new FolderCubeStore(folder);
    const read = await readCollectionStack({ storage, cube }, collection);
    const objects = (await searchCollection({ cube }, read, () => undefined))!;
    await cube.close();
    const confirmed = objects.filter(({ status }) => status === 'confirmed').length;
    assert.ok(confirmed > 1);
    const { rows } = await sql<{ told: number }>`select count(*)::int as told from events
      where type = 'change.detected' and body::jsonb #>> '{data,id}' in
        (select id from changes where collection_id = ${collection.id})`.execute(database.db);
    assert.equal(rows[0]!.told, confirmed);
    const by = { modelVersion: MODEL_VERSION, softwareVersion: 'groundwatch 9.9.9' };
    const { inserted, updated, unchanged } = await publishChanges(storage, { stack: read, objects, by });
    assert.deepEqual(
      { inserted, updated, unchanged },
      { inserted: 0, updated: 0, unchanged: objects.length },
    );
  };

  test('run its units together, and publish what one search finds', async () => {
    const searched = await newCollection();
    const workers: Worker[] = [];
    try {
      for (let n = 0; n < 3; n++) workers.push(await start(searched, 'held'));
      await world.storage.jobs.monitorCollection({ collectionId: searched.collection.id });
      // They wait for each other here: one worker could end all units before another gets the processor.
      await until(() => workers.every((worker) => linesOf([worker], 'take').length > 0));
      for (const { child } of workers) child.stdin!.write('\n');
      await until(() => isPublished(workers));
      const taken = linesOf(workers, 'take').map(({ line }) => line);
      assert.equal(new Set(taken).size, UNITS);
      await checkPublished(searched);
    } finally {
      for (const worker of workers) await stop(worker);
    }
  });

  test('a worker without others is not overdue with its calls for help, and withdraws them at the end', async () => {
    const searched = await newCollection();
    const worker = await start(searched, 'held');
    const calls = async () => (await world.storage.jobs.counts()).find(({ name }) => name === 'help-search')!;
    try {
      await world.storage.jobs.monitorCollection({ collectionId: searched.collection.id });
      await until(async () => linesOf([worker], 'take').length > 0 && (await calls()).running > 0);
      const { waiting, overdueS } = await calls();
      assert.deepEqual({ waiting, overdueS }, { waiting: BLOCKS - 1, overdueS: 0 });
      worker.child.stdin!.write('\n');
      await until(() => isPublished([worker]));
      assert.equal((await calls()).waiting, 0);
    } finally {
      await stop(worker);
    }
  });

  test(`${KILLS} times kill -9 of a worker: another runs its unit, and the end is the same`, async (t) => {
    const next = uniform(5);
    const waited: number[] = [];
    for (let kill = 1; kill <= KILLS; kill++) {
      const searched = await newCollection();
      const workers: Worker[] = [];
      try {
        for (let n = 0; n < 2; n++) workers.push(await start(searched));
        await world.storage.jobs.monitorCollection({ collectionId: searched.collection.id });
        // The worker that leads the search dies too.
        const at = Math.floor(next() * (UNITS - 1));
        await until(() => linesOf(workers, 'take').length > at);
        const { line } = linesOf(workers, 'take').at(-1)!;
        const victim = workers.find(({ said }) => said.some((each) => each.line === line))!;
        victim.child.kill('SIGKILL');
        const died = performance.now();
        await once(victim.child, 'exit');
        workers.push(await start(searched));
        await until(() => isPublished(workers));
        const again = linesOf(workers, 'take').filter((each) => each.line === line && each.at > died);
        for (const { at: taken } of again.slice(0, 1)) waited.push(Math.round(taken - died));
        await checkPublished(searched);
      } finally {
        for (const worker of workers) await stop(worker);
      }
    }
    t.diagnostic(`units of killed workers were taken again after ${waited.join(', ')} ms`);
  });
});

interface Searched {
  readonly collection: Collection;
  /** Folder of its cube. */
  readonly folder: string;
}

interface Worker {
  readonly child: ChildProcess;
  readonly said: { readonly line: string; readonly at: number }[];
}

function isPublished(workers: readonly Worker[]): boolean {
  return workers.some(({ said }) => said.some(({ line }) => line === 'published'));
}
