import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { newId } from '../../base/ids.ts';
import { DAY_MS } from '../../base/time.ts';
import { collectionRecord, putAoi, square } from '../../../test/fixtures/records.ts';
import { uniform } from '../../../test/oracles/simulated-series.ts';
import { testStorage, type TestStorage } from '../../../test/fixtures/storage.ts';
import { principal, testApp, type TestApp } from '../../../test/fixtures/test-app.ts';
import { FolderCubeStore } from '../../cube/folder-cube-store.ts';
import type { Collection } from '../series/collection-store.ts';
import { monitorCollection } from './monitor-collection.ts';

const SIDE = 16; // side of the grid [pixels]
const STEP_DAYS = 16;
const FIRST_MS = Date.UTC(2015, 0, 3);
/** First scene in which the block is low. */
const FALL = 57;
/** Scenes in which the block is low for a second time begin with this one, 256 days later. */
const AGAIN = FALL + 16;
const next = uniform(5);

/** The next scene of evergreen forest, of which 25 pixels are low in two scenes and again within a year. */
function samplesOf(scene: number): Int16Array {
  const season = 200 * Math.cos((2 * Math.PI * (scene * STEP_DAYS - 66)) / 365.25);
  return Int16Array.from({ length: SIDE * SIDE }, (_, pixel) => {
    const [row, column] = [Math.floor(pixel / SIDE), pixel % SIDE];
    const isBlock = row >= 4 && row <= 8 && column >= 4 && column <= 8;
    const isLow = isBlock && (scene === FALL || scene === FALL + 1 || scene >= AGAIN);
    const noise = 600 * (next() + next() + next() - 1.5); // standard deviation .03
    return Math.round((isLow ? 3000 : 7800) + season + noise);
  });
}

describe('a change that two looks showed', () => {
  let world: TestStorage;
  let folder: string;
  let cube: FolderCubeStore;
  let api: TestApp;
  let collection: Collection;
  let aoiId: string;
  let put = 0;

  before(async () => {
    world = await testStorage();
    const { storage, owner } = world;
    folder = await mkdtemp(join(tmpdir(), 'groundwatch-noted-'));
    cube = new FolderCubeStore(folder);
    const authenticator = { authenticate: () => principal(owner) };
    api = await testApp({ storage, cube, authenticator });
    const size = SIDE * 0.0003;
    collection = collectionRecord({
      id: newId('collection'),
      pixelAreaM2: 900,
      grid: {
        ...collectionRecord().grid,
        width: SIDE,
        height: SIDE,
        transform: [14, 0.0003, 0, 46 + size, 0, -0.0003],
      },
      bounds: [14, 46, 14 + size, 46 + size],
    });
    aoiId = (await putAoi(storage, owner, square(14, 46, size))).id;
    await storage.collections.create(collection);
    await cube.create(collection.id, { width: SIDE, height: SIDE, sampleType: 'int16' });
  });
  after(async () => {
    await api[Symbol.asyncDispose]();
    await cube.close();
    await world.close();
    await rm(folder, { recursive: true, force: true });
  });

  const get = async (url: string) => (await api.call({ method: 'GET', url })).json();

  /** Ingests the scenes up to a number of them, and searches. @returns what the API lists, and what events told */
  async function seen(scenes: number) {
    for (; put < scenes; put++) {
      const key = `scene-${put}`;
      const timeMs = FIRST_MS + put * STEP_DAYS * DAY_MS;
      const { sha256 } = await cube.append(collection.id, { key, timeMs }, samplesOf(put));
      const href = `stack.tif#band=${put + 1}`;
      const source = {
        id: newId('scene'),
        key,
        href,
        observedAt: new Date(timeMs),
        sha256,
        clearFraction: 1,
      };
      await world.storage.collections.putScenes(collection.id, [source]);
    }
    await monitorCollection({ storage: world.storage, cube, version: '9.9.9' }, collection, () => undefined);
    const { changes } = await get(`/v1/changes?aoi_id=${aoiId}&status=all`);
    const ids = (changes as { id: string }[]).map((change) => change.id);
    const { events } = await get('/v1/events');
    return {
      changes: await Promise.all(ids.map((id) => get(`/v1/changes/${id}`))),
      told: (events as { type: string; data: Record<string, unknown> }[])
        .filter(({ type }) => type.startsWith('change.'))
        .map(({ type, data }) => [type, data['id'], data['status']]),
    };
  }

  test('it recovers after 90 days and is confirmed again under its id: detected once, then updated', async () => {
    const confirmed = await seen(FALL + 2);
    const [first] = confirmed.changes;
    const id = first!['id'];
    assert.deepEqual(
      confirmed.changes.map(({ status, recovered_at: at }) => [status, at]),
      [['confirmed', null]],
    );
    assert.deepEqual(confirmed.told, [['change.detected', id, 'confirmed']]);

    const recovered = await seen(FALL + 8);
    const last = new Date(FIRST_MS + (FALL + 7) * STEP_DAYS * DAY_MS).toISOString().slice(0, 10);
    assert.deepEqual(
      recovered.changes.map((change) => [change['id'], change['status'], change['recovered_at']]),
      [[id, 'recovered', last]],
    );

    const again = await seen(AGAIN + 6);
    assert.deepEqual(
      again.changes.map((change) => [change['id'], change['status'], change['recovered_at']]),
      [[id, 'confirmed', null]],
    );
    for (const field of ['first_anomaly_at', 'detected_at', 'confirmed_at'])
      assert.equal(again.changes[0]![field], first![field], field);
    assert.deepEqual(
      again.told.toSorted((a, b) => (String(a) < String(b) ? -1 : 1)),
      [
        ['change.detected', id, 'confirmed'],
        ['change.updated', id, 'confirmed'],
        ['change.updated', id, 'recovered'],
      ],
    );
    // The same model states all of this, so it is one version.
    assert.deepEqual(
      (again.changes[0]!['versions'] as { status: string }[]).map(({ status }) => status),
      ['confirmed'],
    );
  });
});
