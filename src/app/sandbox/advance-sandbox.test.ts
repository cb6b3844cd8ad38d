import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { FolderCubeStore } from '../../cube/folder-cube-store.ts';
import { testStorage, type TestStorage } from '../../../test/fixtures/storage.ts';
import { advanceSandbox } from './advance-sandbox.ts';
import { readSandbox } from './read-sandbox.ts';
import { SandboxRegion } from './sandbox-region.ts';

const START = 900; // a day in summer, with passes on the following days
const DAYS = 9;

/** An installation with its own database and folder. The history of its region is marked as complete. */
interface Installation {
  readonly fixture: TestStorage;
  readonly cube: FolderCubeStore;
  readonly region: SandboxRegion;
  advance(days: number): ReturnType<typeof advanceSandbox>;
  close(): Promise<void>;
}

async function install(): Promise<Installation> {
  const fixture = await testStorage();
  const folder = await mkdtemp(join(tmpdir(), 'groundwatch-sandbox-'));
  const cube = new FolderCubeStore(folder);
  const region = new SandboxRegion(7);
  const { sandbox } = fixture.storage;
  await sandbox.begin(7);
  await sandbox.hold('test', 10_000);
  await sandbox.moveTo('test', START);
  await sandbox.finish('test', new Date());
  await sandbox.release('test');
  const deps = {
    clock: { now: () => Date.now() },
    storage: fixture.storage,
    cube,
    region,
    layers: undefined as never,
    version: '0.0.0',
    wakeDelivery: () => undefined,
  };
  return {
    fixture,
    cube,
    region,
    advance: (days) => advanceSandbox(deps, days),
    async close() {
      await region.close();
      await cube.close();
      await fixture.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** All ingested data by collection: digests of scenes and values of stations. */
async function contents({ fixture: { storage }, cube }: Installation): Promise<readonly unknown[]> {
  const told: unknown[] = [];
  for (const { id, name, metric } of await storage.collections.list())
    told.push([name, metric, (await cube.scenes(id)).map(({ key, sha256 }) => [key, sha256])]);
  for (const { id, name, metric } of await storage.stations.list()) {
    const stations = await storage.stations.stations(id, [-180, -90, 180, 90]);
    const series = await storage.stations.read(id, stations, -Infinity, Infinity);
    told.push([name, metric, series.map(({ station, values }) => [station.key, ...values])]);
  }
  return told;
}

describe('the clock of the simulated region', () => {
  let once: Installation;
  let often: Installation;
  before(async () => {
    [once, often] = [await install(), await install()];
  });
  after(async () => {
    await once.close();
    await often.close();
  });

  test('the result does not depend on the number of calls that advance the clock', async () => {
    const step = await once.advance(DAYS);
    for (const days of [1, 5, 3]) await often.advance(days);
    const told = await contents(once);
    assert.deepEqual(await contents(often), told);
    assert.deepEqual(await readSandbox(once.fixture.storage), await readSandbox(often.fixture.storage));
    assert.equal(step.date, '2024-06-28');
    assert.equal(step.observations, DAYS * 18);
    assert.ok(step.scenes >= 1);
    assert.ok(told.length >= 3 + 8, `${told.length} collections`);
  });

  test('a call made ahead gives its result to one later call', async () => {
    const { region } = once;
    const [day] = await region.deliveredPasses(START, START + 60);
    const waiting = region.ahead('scene', day!);
    const first = await region.scene(day!);
    assert.equal(await waiting, first);
    const again = await region.scene(day!);
    assert.notEqual(again, first);
    assert.deepEqual(again, first);
    // Each caller gets its own copy, because the ingest overwrites masked samples.
    first.indices[0]!.fill(-1);
    assert.notDeepEqual(await region.scene(day!), first);
  });
});
