import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, test } from 'node:test';
import { collectionRecord, putAoi } from '../../../test/fixtures/records.ts';
import { testStorage, type TestStorage } from '../../../test/fixtures/storage.ts';
import type { Owner } from '../owner.ts';
import type { Storage } from '../storage.ts';
import type { ClaimedChange } from './claimed-change.ts';
import type { EventType } from '../../contract/events.ts';
import type { Collection } from '../series/collection-store.ts';
import { publishChanges } from '../../../test/fixtures/publish-changes.ts';

const CHANGE_EVENTS = ['change.suspected', 'change.detected', 'change.updated'] as const;

const SUSPECTED = { status: 'suspected', confidence: 0.84, confirmedMs: null } as const;
const CONFIRMED = {
  status: 'confirmed',
  confidence: 0.97,
  detectedMs: Date.UTC(2026, 6, 1),
  confirmedMs: Date.UTC(2026, 6, 1),
} as const;
const REJECTED = { status: 'rejected', confidence: 0.1, confirmedMs: null } as const;

describe('events of a change, from suspicion on', () => {
  let world: TestStorage;
  let collection: Collection;
  let owner: Owner;
  before(async () => {
    world = await testStorage();
  });
  after(() => world.close());
  beforeEach(async () => {
    const { storage } = world;
    collection = collectionRecord();
    await storage.collections.create(collection);
    const { id: accountId } = await storage.accounts.create(collection.name);
    owner = { accountId, environment: 'production' };
    await putAoi(storage, owner);
  });

  /** Two pixels of the collection that departed on 2026-05-02 and were flagged on 2026-06-01. */
  const found = (over: Partial<ClaimedChange>): ClaimedChange =>
    ({
      collection,
      metrics: ['ndvi'],
      scenes: [],
      type: 'vegetation_loss',
      pixels: Uint32Array.of(0, 1),
      seed: { pixel: 0 },
      seedAnomalyMs: Date.UTC(2026, 4, 2),
      firstAnomalyMs: Date.UTC(2026, 4, 2),
      detectedMs: Date.UTC(2026, 5, 1),
      recoveredMs: null,
      experience: null,
      metric: 'ndvi',
      magnitude: -0.4,
      moves: {},
      evidence: {
        baseline: {
          metric: 0,
          kind: 'harmonic',
          fromMs: 0,
          toMs: 0,
          observations: 40,
          coefficients: [0.8],
          scale: 0.03,
          rho: 0,
        },
        path: [],
        scenes: [],
      },
      ...over,
    }) as unknown as ClaimedChange;
  /** Publishes the result of a search: no change, or the change with the given properties. */
  const publish = (...changes: Partial<ClaimedChange>[]) =>
    publishChanges(world.storage, {
      stack: [{ collection, scenes: [] }],
      objects: changes.map(found),
      by: { modelVersion: 'change-v1.0.0', softwareVersion: 'groundwatch 1.4.0' },
    });
  /** The events of the owner with their statuses, of each type in the order in which they were sent. */
  async function told(): Promise<[EventType, string][]> {
    const events: [EventType, string][] = [];
    for (const type of CHANGE_EVENTS) {
      const page = await world.storage.eventLog.page(owner, { after: undefined, type, limit: 100 });
      for (const { body } of page.events)
        events.push([type, (JSON.parse(body) as { data: { status: string } }).data.status]);
    }
    return events;
  }

  test('a suspicion from .8 on is told once, however often it is published and whatever its confidence does', async () => {
    await publish({ ...SUSPECTED, confidence: 0.79 });
    assert.deepEqual(await told(), []);
    await publish({ ...SUSPECTED, confidence: 0.8 });
    assert.deepEqual(await told(), [['change.suspected', 'suspected']]);
    await publish({ ...SUSPECTED, confidence: 0.8 });
    await publish({ ...SUSPECTED, confidence: 0.5 });
    await publish({ ...SUSPECTED, confidence: 0.9, pixels: Uint32Array.of(0, 1, 2) });
    assert.deepEqual(await told(), [['change.suspected', 'suspected']]);
  });

  test('a suspicion that is confirmed is told by change.detected, and its recovery by change.updated', async () => {
    await publish(SUSPECTED);
    await publish(CONFIRMED);
    await publish(CONFIRMED);
    await publish({ ...CONFIRMED, status: 'recovered', recoveredMs: Date.UTC(2027, 0, 1) });
    assert.deepEqual(await told(), [
      ['change.suspected', 'suspected'],
      ['change.detected', 'confirmed'],
      ['change.updated', 'recovered'],
    ]);
  });

  test('a told suspicion that comes to nothing is withdrawn once, by the same type of event', async () => {
    await publish(SUSPECTED);
    await publish(REJECTED);
    await publish(REJECTED);
    const once = [
      ['change.suspected', 'suspected'],
      ['change.suspected', 'rejected'],
    ];
    assert.deepEqual(await told(), once);
    await publish(SUSPECTED);
    await publish(REJECTED);
    assert.deepEqual(await told(), once, 'suspected a second time');
    await publish(CONFIRMED);
    assert.deepEqual(await told(), [...once, ['change.detected', 'confirmed']]);
  });

  test('a told suspicion that the next search does not find is withdrawn; one that was never told is not', async () => {
    await publish(SUSPECTED);
    await publish();
    await publish();
    assert.deepEqual(await told(), [
      ['change.suspected', 'suspected'],
      ['change.suspected', 'rejected'],
    ]);
    collection = collectionRecord();
    await world.storage.collections.create(collection);
    await publish({ ...SUSPECTED, confidence: 0.6 });
    await publish();
    assert.equal((await told()).length, 2);
  });

  test('a confirmed change is told neither as suspected nor as detected again when late scenes take it back', async () => {
    await publish(CONFIRMED);
    await publish({ ...SUSPECTED, confidence: 0.95 });
    await publish({ ...SUSPECTED, confidence: 0.85 });
    await publish(CONFIRMED);
    assert.deepEqual(await told(), [
      ['change.detected', 'confirmed'],
      ['change.updated', 'suspected'],
      ['change.updated', 'suspected'],
      ['change.updated', 'confirmed'],
    ]);
  });

  test('a change that the monitor states as rejected has no confidence left, and nothing more is told of it', async () => {
    await publish(CONFIRMED);
    await publish(REJECTED);
    const [change] = await world.storage.changes.ofCollection(collection.id);
    assert.deepEqual([change!.status, change!.confidence], ['rejected', 0]);
    assert.deepEqual(
      change!.versions.map((version) => version.confidence),
      [0.97, 0],
    );
    await publish({ ...REJECTED, pixels: Uint32Array.of(0, 1, 2) });
    await publish();
    assert.deepEqual(await told(), [
      ['change.detected', 'confirmed'],
      ['change.updated', 'rejected'],
    ]);
  });

  test('a part of a confirmed change is neither suspected nor detected: its ground is known', async () => {
    const pixels = Uint32Array.of(0, 1, 2, 3);
    const part = { pixels: Uint32Array.of(3), seed: { pixel: 3 } } as unknown as Partial<ClaimedChange>;
    await publish({ ...CONFIRMED, pixels });
    const first = { ...CONFIRMED, pixels: Uint32Array.of(0, 1, 2) };
    await publish(first, { ...SUSPECTED, ...part });
    await publish(first, { ...CONFIRMED, ...part });
    assert.deepEqual(await told(), [
      ['change.detected', 'confirmed'],
      ['change.updated', 'confirmed'], // the first change is smaller
      ['change.updated', 'confirmed'], // the part is confirmed
    ]);
  });

  test('a publication that is rolled back tells nothing, and the next one tells it', async () => {
    const { storage } = world;
    const crashing: Storage = {
      ...storage,
      transaction: (work) =>
        storage.transaction(async (stores) => {
          await work(stores);
          throw new Error('crashed');
        }),
    };
    const run = {
      stack: [{ collection, scenes: [] }],
      objects: [found(SUSPECTED)],
      by: { modelVersion: 'change-v1.0.0', softwareVersion: 'groundwatch 1.4.0' },
    } as const;
    await assert.rejects(publishChanges(crashing, run), /crashed/);
    assert.deepEqual(await told(), []);
    await publish(SUSPECTED);
    assert.deepEqual(await told(), [['change.suspected', 'suspected']]);
  });
});
