import assert from 'node:assert/strict';
import { after, afterEach, before, beforeEach, describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { putAoi } from '../../../test/fixtures/records.ts';
import { sentinelScene } from '../../../test/fixtures/sentinel-scene.ts';
import { type StacServer, stacServer } from '../../../test/fixtures/stac-server.ts';
import { type TestStorage, testStorage } from '../../../test/fixtures/storage.ts';
import { MemoryCubeStore } from '../../../test/fakes/memory-cube.ts';
import type { AreaGeometry } from '../../geo/polygon.ts';
import { StacSceneSource } from '../../sources/imagery/stac-scene-source.ts';
import { DAY_MS, HOUR_MS } from '../../base/time.ts';
import { addCatalogue } from './add-catalogue.ts';
import { catalogueCollectionName, type FollowReport } from './follow-catalogue.ts';
import { keepFeeds } from '../feed-turns.ts';
import { takeTurn } from './keep-catalogues.ts';
import type { FollowedCatalogue } from './catalogue-store.ts';
import type { Aoi } from '../areas/aoi-store.ts';
import type { Owner } from '../owner.ts';

const RAW = { green: 1000, red: 2000, nir: 6000, swir16: 3000, swir22: 1500, scl: 4 } as const;
/** 3 x 2 pixels of 20 m, inside the scene. */
const FIELD: AreaGeometry = {
  type: 'Polygon',
  coordinates: [
    [
      [15.00003, 46.05324],
      [15.00074, 46.05324],
      [15.00074, 46.05355],
      [15.00003, 46.05355],
      [15.00003, 46.05324],
    ],
  ],
};

describe('following catalogues', () => {
  let world: TestStorage;
  let server: StacServer;
  let cube: MemoryCubeStore;
  let nowMs: number;
  let made: string[] = [];
  before(async () => {
    world = await testStorage();
  });
  after(() => world.close());
  beforeEach(async () => {
    server = await stacServer();
    cube = new MemoryCubeStore();
    // The clock of the database decides which catalogue is due, so the test clock starts at the real time.
    nowMs = Date.now();
  });
  afterEach(async () => {
    await server[Symbol.asyncDispose]();
    for (const id of made.splice(0)) await world.storage.catalogues.remove(id);
    for (const owner of [world.owner, ...world.others])
      for (const { id } of (await world.storage.aois.list(owner, { limit: 100, after: undefined })).items)
        await world.storage.aois.remove(owner, id);
  });

  const deps = () => ({
    clock: { now: () => nowMs },
    storage: world.storage,
    cube,
    version: '0.0.0',
    wakeDelivery: () => undefined,
    scenes: new StacSceneSource(server.reader),
  });
  const publish = (id: string, daysAgo: number, over: Partial<typeof RAW> = {}): void => {
    const { item, files } = sentinelScene(server.base, {
      id,
      datetime: new Date(nowMs - daysAgo * DAY_MS).toISOString(),
      raw: { ...RAW, ...over },
    });
    server.items.push(item);
    for (const [path, bytes] of files) server.files.set(path, bytes);
  };
  const add = async (over: Partial<FollowedCatalogue> = {}): Promise<string> => {
    const id = await addCatalogue(deps(), {
      environment: 'production',
      accountId: null,
      name: `s2-${made.length}`,
      url: `${server.base}/v1/collections/s2`,
      metrics: ['ndvi'],
      maxCloudShare: 0.9,
      isTrueColour: true,
      startsAt: new Date(nowMs - 400 * DAY_MS),
      everyMs: DAY_MS,
      ...over,
    });
    made = [...made, id];
    return id;
  };
  const turn = async (id?: string): Promise<FollowReport | undefined> => {
    let report: FollowReport | undefined;
    await takeTurn(deps(), (_, done) => (report = done), new AbortController().signal, id);
    return report;
  };
  const scenesOf = async (aoi: Aoi, name = 's2-0'): Promise<readonly string[]> => {
    const members = await world.storage.collections.byName(
      aoi.environment,
      aoi.accountId,
      catalogueCollectionName({ name }, aoi.id),
    );
    return members[0] === undefined ? [] : (await cube.scenes(members[0].id)).map(({ key }) => key);
  };
  const passOf = (daysAgo: number): string =>
    `sentinel-2a_${new Date(nowMs - daysAgo * DAY_MS).toISOString().slice(0, 10)}_79`;
  const filesAsked = (): number => server.asked.filter((line) => line.includes('/files/')).length;

  test('a scene dated in the future is skipped and reported, and the others are ingested', async () => {
    publish('a', 20);
    publish('tomorrow', -2);
    publish('b', 10);
    const id = await add();
    const aoi = await putAoi(world.storage, world.owner, FIELD);
    const report = await turn(id);
    assert.deepEqual([report?.added, report?.problems], [2, []]);
    const [dated, latest] = [nowMs + 2 * DAY_MS, nowMs + DAY_MS].map((ms) => new Date(ms).toISOString());
    const reason = `dated ${dated}, in the future; expected at most ${latest}`;
    assert.deepEqual(report?.future, [{ aoiId: aoi.id, id: 'tomorrow', reason }]);
    assert.deepEqual(await scenesOf(aoi), [passOf(20), passOf(10)]);
  });

  test('every area first gets its history and later only new scenes, in a collection of its account', async () => {
    publish('old', 500);
    publish('b', 20);
    publish('a', 300);
    const [ours, theirs] = [
      await putAoi(world.storage, world.owner, FIELD),
      await putAoi(world.storage, world.others[1]!, FIELD),
    ];
    const id = await add();
    assert.deepEqual(await turn(), { areas: 2, added: 4, problems: [], future: [] });
    for (const aoi of [ours, theirs]) assert.deepEqual(await scenesOf(aoi), [passOf(300), passOf(20)]);
    const [member] = await world.storage.collections.byName(
      'production',
      ours.accountId,
      catalogueCollectionName({ name: 's2-0' }, ours.id),
    );
    const { accountId, grid } = member!;
    assert.equal(accountId, ours.accountId);
    assert.deepEqual([grid.width, grid.height], [6, 4]); // the box of the area in pixels of 10 m

    assert.equal(await turn(), undefined); // nothing is due
    publish('late', 10); // a scene that is published only after a search covered its date
    server.asked.length = 0;
    assert.deepEqual(await turn(id), { areas: 2, added: 2, problems: [], future: [] });
    assert.deepEqual(await scenesOf(ours), [passOf(300), passOf(20), passOf(10)]);
    assert.equal(
      server.asked.some((line) => line.includes('/files/a/') || line.includes('/files/b/')),
      false,
    );
    assert.ok(filesAsked() > 0);
  });

  test('a new area gets its history at once, and other areas are not searched for', async () => {
    publish('a', 30);
    const first = await putAoi(world.storage, world.owner, FIELD);
    await add();
    await turn();
    const second = await putAoi(world.storage, world.owner, FIELD);
    publish('b', 1);
    assert.deepEqual(await turn(), { areas: 1, added: 2, problems: [], future: [] });
    assert.deepEqual([(await scenesOf(first)).length, (await scenesOf(second)).length], [1, 2]);
    assert.equal(await turn(), undefined);
  });

  test('a catalogue serves only its account and environment, and no closed account', async () => {
    publish('a', 30);
    const elsewhere: readonly Owner[] = world.others;
    for (const owner of elsewhere) await putAoi(world.storage, owner, FIELD);
    const ours = await putAoi(world.storage, world.owner, FIELD);
    const id = await add({ accountId: world.owner.accountId });
    assert.equal((await turn())!.areas, 1);
    assert.equal((await scenesOf(ours)).length, 1);
    await world.storage.accounts.setDisabled(world.owner.accountId, new Date());
    assert.equal((await turn(id))!.areas, 0);
    await world.storage.accounts.setDisabled(world.owner.accountId, null);
  });

  test('a search completes when its catalogue is removed meanwhile', async () => {
    publish('a', 30);
    const aoi = await putAoi(world.storage, world.owner, FIELD);
    const id = await add();
    const { catalogues } = world.storage;
    const removedOnceLooked = {
      ...catalogues,
      async areas(catalogue: FollowedCatalogue) {
        const found = await catalogues.areas(catalogue);
        await catalogues.remove(id);
        return found;
      },
    };
    let report: FollowReport | undefined;
    const storage = { ...world.storage, catalogues: removedOnceLooked };
    const { signal } = new AbortController();
    assert.equal(await takeTurn({ ...deps(), storage }, (_, done) => (report = done), signal, id), true);
    assert.deepEqual(report, { areas: 1, added: 1, problems: [], future: [] });
    assert.equal((await scenesOf(aoi)).length, 1);
  });

  test('an area that fails is reported and retried within an hour, and other areas are processed', async () => {
    publish('a', 30);
    const good = await putAoi(world.storage, world.owner, FIELD);
    const far = structuredClone(FIELD) as { type: 'Polygon'; coordinates: number[][][] };
    far.coordinates = far.coordinates.map((ring) => ring.map(([lng, lat]) => [lng! + 0.5, lat!]));
    const huge = await putAoi(world.storage, world.owner, {
      type: 'Polygon',
      coordinates: [
        [
          [12, 44],
          [18, 44],
          [18, 48],
          [12, 48],
          [12, 44],
        ],
      ],
    });
    await add();
    const report = (await turn())!;
    assert.deepEqual([report.areas, report.added], [2, 1]);
    assert.deepEqual(
      report.problems.map(({ aoiId }) => aoiId),
      [huge.id],
    );
    assert.match(report.problems[0]!.problem, /at most \d+ pixels/);
    assert.equal((await scenesOf(good)).length, 1);
    const [catalogue] = await world.storage.catalogues.list();
    assert.ok(catalogue!.nextAt.getTime() <= Date.now() + HOUR_MS + 1000);
    const followed = await world.storage.catalogues.areas(catalogue!);
    assert.deepEqual(
      followed.map(({ takenTo, problem }) => [takenTo !== null, problem === null]),
      [
        [true, true],
        [false, false],
      ],
    );
  });

  test('only one process searches a catalogue at a time, and the lease of a dead process runs out', async () => {
    publish('a', 30);
    await putAoi(world.storage, world.owner, FIELD);
    const id = await add();
    const catalogues = world.storage.catalogues;
    assert.equal((await catalogues.hold('dead', 60_000))?.id, id);
    assert.equal(await catalogues.hold('second', 60_000), undefined);
    assert.equal(await catalogues.renew(id, 'second', 60_000), false);
    await world.database.db
      .updateTable('standing_feeds')
      .set({ held_until: new Date(0) })
      .execute();
    assert.equal((await catalogues.hold('second', 60_000))?.id, id);
    assert.equal(await catalogues.renew(id, 'dead', 60_000), false);
    await catalogues.release(id, 'dead', { againInMs: DAY_MS }); // no effect: the lease belongs to `second`
    assert.equal(await turn(id), undefined);
    await catalogues.release(id, 'second');
    assert.equal((await turn())!.added, 1);
  });

  test('the loop searches a catalogue that is due, and can be stopped', async () => {
    publish('a', 30);
    await putAoi(world.storage, world.owner, FIELD);
    await add();
    const turns: FollowReport[] = [];
    const stop = keepFeeds(
      (signal) => takeTurn(deps(), (_, report) => turns.push(report), signal),
      (error) => assert.fail(String(error)),
      5,
    );
    while (turns.length === 0) await sleep(5);
    await stop();
    assert.deepEqual(turns[0], { areas: 1, added: 1, problems: [], future: [] });
  });

  test('taken and invalid names, and addresses that are not catalogues, are refused', async () => {
    await add();
    await assert.rejects(add({ name: 's2-0' }), /There is a feed s2-0 in production already/);
    await assert.rejects(add({ name: 'a b' }), /letters, digits/);
    await assert.rejects(add({ url: `${server.base}/v1` }), /expected the address of a STAC item/);
    await assert.rejects(add({ url: `${server.base}/nowhere` }), /404/);
    await assert.rejects(add({ url: 'http://example.com' }), /https/);
  });
});
