// Long file: all tests share one database of a former release.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { sql } from 'kysely';
import { formerDatabase, type FormerDatabase } from '../../../test/fixtures/former-release.ts';
import { changeRecord, claimedChange, collectionRecord, putAoi } from '../../../test/fixtures/records.ts';
import { newId } from '../../base/ids.ts';
import { DAY_MS, formatDay } from '../../base/time.ts';
import { runsOf } from '../../raster/pixel-runs.ts';
import type { Owner } from '../owner.ts';
import type { Collection } from '../series/collection-store.ts';
import type { Storage } from '../storage.ts';
import type { ClaimedChange } from './claimed-change.ts';
import type { NewChange } from './change-store.ts';
import { objectKeyOf } from './known-change.ts';
import { presentWholeChange } from './present-change.ts';
import type { PublishReport } from './publish-changes.ts';
import { publishChanges } from '../../../test/fixtures/publish-changes.ts';

const SIDE = 20; // side of the grid [pixels]
const FORMER = { modelVersion: 'change-v0.7.0', softwareVersion: 'groundwatch 1.3.0' };
const NEWER = { modelVersion: 'change-v0.8.0', softwareVersion: 'groundwatch 1.4.0' };
const NEWEST = { modelVersion: 'change-v0.9.0', softwareVersion: 'groundwatch 1.5.0' };

/** Pixels of a row of the grid, from one column up to another. */
function row(line: number, from: number, to: number): number[] {
  return Array.from({ length: to - from }, (_, i) => line * SIDE + from + i);
}

// The first test upgrades the database; the others use it afterwards.
describe('changes of a former model, in a database that the release of that model made', () => {
  let former: FormerDatabase;
  let storage: Storage;
  let owner: Owner;
  let aoiId: string;

  before(async () => {
    former = await formerDatabase();
    ({ storage, owner } = former);
    aoiId = (await putAoi(storage, owner)).id;
  });
  after(() => former.close());

  /** A collection over the area, in the database. */
  async function newCollection(over: Partial<Collection> = {}): Promise<Collection> {
    const collection = collectionRecord({
      grid: {
        ...collectionRecord().grid,
        width: SIDE,
        height: SIDE,
        transform: [14, 0.001, 0, 46.02, 0, -0.001],
      },
      ...over,
    });
    await storage.collections.create(collection);
    return collection;
  }

  /** Writes the record of a change as the release of the former model wrote it. @returns its id */
  async function write(object: ClaimedChange, over: Partial<NewChange> = {}): Promise<string> {
    const change = changeRecord(object.collection.id, {
      modelVersion: FORMER.modelVersion,
      objectKey: objectKeyOf(object),
      metric: object.metric,
      firstAnomalyAt: formatDay(object.firstAnomalyMs),
      magnitude: object.magnitude,
      status: object.status,
      ...over,
    });
    const pixels = { seed: object.pixels[0]!, runs: runsOf(object.pixels) };
    await former.writeChange({ ...change, provenance: { ...change.provenance, pixels } }, aoiId);
    return change.id;
  }

  const publish = async (
    collection: Collection,
    objects: readonly ClaimedChange[],
    by = NEWER,
  ): Promise<PublishReport> => publishChanges(storage, { stack: [{ collection, scenes: [] }], objects, by });
  /** Type and change of each event since the last call, in order. */
  let read = 0;
  const events = async (): Promise<readonly (readonly [string, string])[]> => {
    const { rows } = await sql<{ body: string }>`select body from events order by xid, id`.execute(
      former.database.db,
    );
    const bodies = rows
      .slice(read)
      .map(({ body }) => JSON.parse(body) as { type: string; data: { id: string } });
    read = rows.length;
    return bodies.map(({ type, data }) => [type, data.id] as const);
  };
  /** Ids of the changes of a collection that the area lists. */
  const listed = async (status: 'all' | 'confirmed', collection: Collection): Promise<string[]> => {
    const filter = { aoiId, status, since: undefined, publishedSince: undefined };
    const { items } = await storage.changes.list(owner, filter, { limit: 100, after: undefined });
    return items.filter(({ collectionId }) => collectionId === collection.id).map(({ id }) => id);
  };
  const whole = async (id: string) => {
    const found = (await storage.changes.find(owner, id))!;
    return presentWholeChange(found.change, found.aoiIds);
  };

  test('each change is found again once, under its id, and is not told again', async () => {
    const collection = await newCollection();
    const same = claimedChange(collection, row(2, 2, 10));
    const moved = claimedChange(collection, row(5, 2, 12));
    const lost = claimedChange(collection, row(9, 2, 10));
    const ids = [await write(same), await write(moved), await write(lost, { areaM2: 1 })] as const;
    const suspected = await write(claimedChange(collection, row(12, 2, 10)), {
      status: 'suspected',
      confirmedAt: null,
    });
    assert.deepEqual((await former.upgrade()).slice(0, 1), ['0012-change-versions']);
    assert.deepEqual(await events(), []);

    // The new model says the same of the first change. The second one begins six weeks later at another pixel, with
    // another outline. The third one and the suspected one are not found again.
    const again = [
      same,
      claimedChange(collection, row(5, 4, 15), { firstAnomalyMs: moved.firstAnomalyMs + 42 * DAY_MS }),
    ];
    const report = await publish(collection, again);
    assert.deepEqual(report, { inserted: 0, updated: 4, unchanged: 0, confirmed: 2 });
    const told = await events();
    assert.deepEqual(
      new Set(told.map(([type, id]) => `${type} ${ids.indexOf(id)}`)),
      // The areas of the records differ from those that the new model states.
      new Set(['change.updated 0', 'change.updated 1', 'change.updated 2']),
    );
    assert.deepEqual(new Set(await listed('confirmed', collection)), new Set(ids.slice(0, 2)));
    assert.deepEqual(new Set(await listed('all', collection)), new Set([...ids, suspected]));

    const { versions, provenance, status } = await whole(ids[1]);
    assert.equal(status, 'confirmed');
    assert.deepEqual(
      versions.map(({ model_version, software_version, status, digest }) => [
        model_version,
        software_version,
        status,
        digest,
      ]),
      [
        ['change-v0.7.0', 'groundwatch 1.3.0', 'confirmed', 'd'.repeat(64)],
        ['change-v0.8.0', 'groundwatch 1.4.0', 'confirmed', provenance.digest],
      ],
    );
    const taken = await whole(ids[2]);
    assert.deepEqual([taken.status, taken.confidence], ['rejected', 0]);
    assert.deepEqual(
      taken.versions.map((version) => [version.model_version, version.status, version.confidence]),
      [
        ['change-v0.7.0', 'confirmed', 0.98],
        ['change-v0.8.0', 'rejected', 0],
      ],
    );

    // The same run again changes nothing.
    assert.deepEqual(await publish(collection, again), {
      inserted: 0,
      updated: 0,
      unchanged: 4,
      confirmed: 2,
    });
    assert.deepEqual(await events(), []);

    // A later model finds the lost change again, a season later: it is the change of before.
    const returned = claimedChange(collection, row(9, 3, 9), {
      firstAnomalyMs: lost.firstAnomalyMs + 150 * DAY_MS,
    });
    await publish(collection, [...again, returned], NEWEST);
    assert.deepEqual(await events(), [['change.updated', ids[2]]]);
    const back = await whole(ids[2]);
    assert.deepEqual(
      back.versions.map((version) => [version.model_version, version.status]),
      [
        ['change-v0.7.0', 'confirmed'],
        ['change-v0.8.0', 'rejected'],
        ['change-v0.9.0', 'confirmed'],
      ],
    );
    assert.equal((await listed('all', collection)).length, 4);
  });

  test('a change that the former release rejected loses its confidence at the next run, and that is no news', async () => {
    const collection = await newCollection();
    const object = claimedChange(collection, row(2, 2, 10));
    const rejected = changeRecord(collection.id, { status: 'rejected', confidence: 0.91 });
    await storage.changes.insert({
      ...rejected,
      provenance: { ...rejected.provenance, pixels: { seed: 90, runs: [90, 4] } },
    });
    await storage.changes.link(rejected, [{ id: aoiId, ...owner }]);
    await publish(collection, [object], FORMER);
    assert.deepEqual(
      (await events()).map(([type]) => type),
      ['change.detected'],
    );
    const { status, confidence, versions } = await whole(rejected.id);
    assert.deepEqual([status, confidence], ['rejected', 0]);
    assert.deepEqual(
      versions.map((version) => version.confidence),
      [0.91, 0],
    );
    assert.equal((await publish(collection, [object], FORMER)).unchanged, 2);
  });

  test('the same statement of another model is no news at all', async () => {
    const collection = await newCollection();
    const object = claimedChange(collection, row(2, 2, 10));
    await publish(collection, [object], FORMER);
    assert.deepEqual(
      (await events()).map(([type]) => type),
      ['change.detected'],
    );
    await publish(collection, [object], NEWER);
    assert.deepEqual(await events(), []);
  });

  test('a change that fell back to a suspicion is not told as new when it is confirmed again', async () => {
    const collection = await newCollection();
    const object = claimedChange(collection, row(2, 2, 10));
    await publish(collection, [object], FORMER);
    const doubted = { ...object, status: 'suspected', confirmedMs: null } as const;
    await publish(collection, [doubted], NEWER);
    await publish(collection, [object], NEWEST);
    assert.deepEqual(
      (await events()).map(([type]) => type),
      ['change.detected', 'change.updated', 'change.updated'],
    );
  });

  test('a change that counts as two now, and two that count as one, are not told as new', async () => {
    const collection = await newCollection();
    const large = claimedChange(collection, row(2, 2, 14));
    const [left, right] = [claimedChange(collection, row(6, 2, 9)), claimedChange(collection, row(6, 9, 13))];
    await publish(collection, [large, left, right], FORMER);
    const before = new Map((await events()).map(([, id], i) => [id, ['large', 'left', 'right'][i]!]));
    const parts = [claimedChange(collection, row(2, 2, 9)), claimedChange(collection, row(2, 10, 14))];
    const both = claimedChange(collection, row(6, 2, 13));
    await publish(collection, [...parts, both], NEWER);
    const told = await events();
    assert.deepEqual(told.map(([type, id]) => `${type} ${before.get(id) ?? 'part'}`).toSorted(), [
      'change.updated large',
      'change.updated left',
      'change.updated part',
      'change.updated right',
    ]);
    const idOf = (name: string) => told.find(([, id]) => (before.get(id) ?? 'part') === name)![1];
    const part = await whole(idOf('part'));
    assert.deepEqual(
      part.versions.map(({ model_version, id }) => [model_version, id]),
      [
        ['change-v0.7.0', idOf('large')],
        ['change-v0.8.0', undefined],
      ],
    );
    const merged = await whole(idOf('right'));
    assert.equal(merged.status, 'rejected');
    assert.equal(merged.versions.at(-1)!.id, idOf('left'));
  });

  test('later images of the same model may split a change; its parts are not told as new either', async () => {
    const collection = await newCollection();
    await publish(collection, [claimedChange(collection, row(2, 2, 14))]);
    await publish(collection, [
      claimedChange(collection, row(2, 2, 9)),
      claimedChange(collection, row(2, 10, 14)),
    ]);
    const [[first, id], ...later] = (await events()) as [[string, string], ...[string, string][]];
    assert.equal(first, 'change.detected');
    assert.deepEqual(
      later.map(([type]) => type),
      ['change.updated', 'change.updated'],
    );
    const part = later.find(([, other]) => other !== id)![1];
    assert.deepEqual(
      (await whole(part)).versions.map((version) => [version.model_version, version.id]),
      [
        ['change-v0.8.0', id],
        ['change-v0.8.0', undefined],
      ],
    );
  });

  test('records of two former models for one change become one', async () => {
    const collection = await newCollection();
    const object = claimedChange(collection, row(2, 2, 10));
    const [firstId, secondId] = [newId('change'), newId('change')].toSorted() as [string, string];
    const first = changeRecord(collection.id, {
      id: firstId,
      modelVersion: 'change-v0.6.0',
      objectKey: objectKeyOf(object),
      firstAnomalyAt: formatDay(object.firstAnomalyMs),
    });
    const runs = { seed: 42, runs: [42, 8] };
    const second = { ...first, id: secondId, modelVersion: FORMER.modelVersion };
    for (const record of [first, second]) {
      await storage.changes.insert({ ...record, provenance: { ...record.provenance, pixels: runs } });
      await storage.changes.link(record, [{ id: aoiId, ...owner }]);
    }
    await publish(collection, [object]);
    assert.deepEqual(await listed('confirmed', collection), [first.id]);
    assert.equal((await whole(second.id)).versions.at(-1)!.id, first.id);
    assert.ok((await events()).every(([type]) => type === 'change.updated'));
  });

  test('another sensor of the same collection may state the change of before', async () => {
    const optical = await newCollection();
    const radar = await newCollection({ name: optical.name, metric: 'vh' });
    const object = claimedChange(optical, row(2, 2, 10));
    const stack = [optical, radar].map((collection) => ({ collection, scenes: [] }));
    const [first, second] = stack as [(typeof stack)[0], (typeof stack)[0]];
    const run = (objects: readonly ClaimedChange[], by: typeof NEWER) =>
      publishChanges(storage, { stack: [first, second], objects, by });
    await run([object], FORMER);
    const [[, id]] = (await events()) as [[string, string]];
    await run([claimedChange(radar, row(2, 3, 10), { magnitude: -2 })], NEWER);
    assert.deepEqual(await events(), [['change.updated', id]]);
    assert.equal((await whole(id)).metric, 'vh');
  });

  test('a change that is found years sooner keeps its id', async () => {
    const collection = await newCollection();
    await publish(collection, [claimedChange(collection, row(2, 2, 10))], FORMER);
    const [[, id]] = (await events()) as [[string, string]];
    const sooner = { firstAnomalyMs: Date.parse('2023-07-12') };
    await publish(collection, [claimedChange(collection, row(2, 3, 10), sooner)], NEWER);
    assert.deepEqual(await events(), [['change.updated', id]]);
    assert.equal((await whole(id)).first_anomaly_at, '2023-07-12');
  });

  for (const [why, other] of [
    ['more than a year later', { firstAnomalyMs: Date.parse('2027-08-12') }],
    [
      'more than a year earlier that was over',
      {
        firstAnomalyMs: Date.parse('2024-07-12'),
        recoveredMs: Date.parse('2026-06-01'),
        status: 'recovered',
      },
    ],
    ['in the other direction', { magnitude: 0.15 }],
  ] as const)
    test(`a change ${why} is another change, and is told`, async () => {
      const collection = await newCollection();
      await publish(collection, [claimedChange(collection, row(2, 2, 10))], FORMER);
      await events();
      await publish(collection, [claimedChange(collection, row(2, 3, 10), other)], NEWER);
      assert.deepEqual((await events()).map(([type]) => type).toSorted(), [
        'change.detected',
        'change.updated',
      ]);
    });
});
