import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { ACCOUNT_LIMITS, AREA_BATCH } from '../../src/contract/limits.ts';
import { claimedChange, collectionRecord, square } from '../fixtures/records.ts';
import { type SecuredApp, securedApp } from '../fixtures/secured-app.ts';
import { testStorage, type TestStorage } from '../fixtures/storage.ts';
import { refusal } from './refusals.ts';
import { publishChanges } from '../fixtures/publish-changes.ts';

describe('several areas in one call', () => {
  let world: TestStorage;
  let app: SecuredApp;
  let key: string;
  before(async () => {
    world = await testStorage();
    app = await securedApp(world, { accountLimits: { ...ACCOUNT_LIMITS, areas: 10_020 } });
    key = await app.key();
  });
  after(async () => {
    await app[Symbol.asyncDispose]();
    await world.close();
  });

  const area = (i: number) => ({
    name: `area ${i}`,
    geometry: square((i % 100) * 0.01, Math.floor(i / 100) * 0.01, 0.005),
  });
  const areas = (count: number) => Array.from({ length: count }, (_, i) => area(i));
  const create = (aois: unknown, headers: Readonly<Record<string, string>> = {}) =>
    app.call({ method: 'POST', url: '/v1/aois/batch', payload: { aois }, key, headers });
  const count = async (): Promise<number> =>
    (await world.storage.aois.list(world.owner, { limit: 20_000, after: undefined })).items.length;
  type Made = readonly { readonly id: string; readonly name: string; readonly area_m2: number }[];

  test('are created in the order given, once for each Idempotency-Key', async () => {
    const start = await count();
    const first = await create(areas(3), { 'idempotency-key': 'parcels' });
    assert.equal(first.status, 201, first.text);
    const made = first.json()['aois'] as Made;
    assert.deepEqual(
      made.map(({ name }) => name),
      ['area 0', 'area 1', 'area 2'],
    );
    assert.ok(made.every(({ area_m2 }) => area_m2 > 300_000 && area_m2 < 310_000));
    const again = await create(areas(3), { 'idempotency-key': 'parcels' });
    assert.deepEqual(again.json(), first.json());
    refusal(await create(areas(4), { 'idempotency-key': 'parcels' }), 400, 'another body');
    assert.equal(await count(), start + 3);
  });

  test('each faulty one is named by its index, and none is created', async () => {
    const start = await count();
    const given = [
      area(0),
      { name: '  ', geometry: area(1).geometry },
      { name: 'a point', geometry: { type: 'Point', coordinates: [1, 1] } },
      area(3),
    ];
    const { param, details, message } = refusal(await create(given), 400, 'faults');
    assert.equal(param, 'aois[1].name');
    assert.match(message, /2 of 4 areas cannot be used; none was created/);
    assert.deepEqual(
      details?.map((one) => one.param),
      ['aois[1].name', 'aois[2].geometry.type'],
    );
    assert.equal(await count(), start);
  });

  test('faults of the schema, of names and of geometries are all named in one answer', async () => {
    const start = await count();
    const bowtie = {
      type: 'Polygon',
      coordinates: [
        [
          [0, 0],
          [1, 1],
          [1, 0],
          [0, 1],
          [0, 0],
        ],
      ],
    };
    const given = [
      area(0),
      { name: 'a point', geometry: { type: 'Point', coordinates: [1, 1] } },
      { geometry: bowtie },
      { name: 7, geometry: area(3).geometry },
      { name: '  ' },
      'no area',
      { name: 'more', geometry: area(6).geometry, colour: 'red' },
    ];
    const { details, message } = refusal(await create(given), 400, 'faults');
    assert.match(message, /^aois\[1\]\.geometry\.type: .*\(6 of 7 areas cannot be used; none was created\)$/);
    assert.deepEqual(
      details?.map((one) => one.param),
      [
        'aois[1].geometry.type',
        'aois[2].name',
        'aois[2].geometry.coordinates[0][0]',
        'aois[3].name',
        'aois[4].geometry',
        'aois[4].name',
        'aois[5]',
        'aois[6].colour',
      ],
    );
    assert.ok(
      details?.every((one) => one.message.startsWith(`${one.param}: `)),
      JSON.stringify(details),
    );
    const long = areas(3000).map((one, i) => (i % 1000 === 999 ? { ...one, name: undefined } : one));
    const far = refusal(await create(long), 400, 'a long body');
    assert.deepEqual(
      far.details?.map((one) => one.param),
      ['aois[999].name', 'aois[1999].name', 'aois[2999].name'],
    );
    refusal(await create('none'), 400, 'no list');
    assert.equal(await count(), start);
  });

  test('heights are dropped, and the answer says how many, also when it is given again', async () => {
    const high = (i: number) => {
      const { name, geometry } = area(i);
      const rings = geometry.coordinates as readonly (readonly (readonly number[])[])[];
      return {
        name,
        geometry: { ...geometry, coordinates: rings.map((ring) => ring.map((at) => [...at, 312])) },
      };
    };
    const one = (payload: object) =>
      app.call({ method: 'POST', url: '/v1/aois', payload, key, headers: { 'idempotency-key': 'high' } });
    for (let time = 0; time < 2; time++) {
      const answer = await one(high(0));
      assert.equal(answer.status, 201, answer.text);
      assert.equal(answer.headers['x-heights-omitted'], '5');
      assert.doesNotMatch(answer.text, /,312\]/);
    }
    assert.equal((await create([high(1), area(2), high(3)])).headers['x-heights-omitted'], '10');
    assert.equal((await create([area(4)])).headers['x-heights-omitted'], undefined);
  });

  test('none, too many, or too many positions are refused', async () => {
    refusal(await create([]), 400, 'none');
    refusal(await create(undefined), 400, 'nothing');
    refusal(await create(areas(AREA_BATCH.areas + 1)), 400, 'too many');
    const ring = Array.from({ length: 9_000 }, (_, i) => [i / 1000, 0] as const);
    const long = { name: 'long', geometry: { type: 'Polygon', coordinates: [ring] } };
    const { message } = refusal(await create(Array.from({ length: 12 }, () => long)), 400, 'positions');
    assert.match(message, /at most 100,000 positions in all/);
    const padded = [{ name: 'x'.repeat(AREA_BATCH.bytes), geometry: null }];
    assert.match(refusal(await create(padded), 400, 'bytes').message, /at most 8 MiB/);
  });

  test('each shows the earlier changes that it touches, and no others', async () => {
    const { storage, owner } = world;
    const collection = collectionRecord({
      grid: { ...collectionRecord().grid, transform: [50, 0.01, 0, 10.02, 0, -0.01] },
      bounds: [50, 10, 50.02, 10.02],
    });
    await storage.collections.create(collection);
    await publishChanges(storage, {
      stack: [{ collection, scenes: [] }],
      objects: [claimedChange(collection, [0])],
      by: { modelVersion: 'change-v1.0.0', softwareVersion: 'groundwatch 1.4.0' },
    });
    // The change covers [50, 50.01] x [10.01, 10.02].
    const places = [square(49.8, 9.8, 0.5), square(50.02, 10, 0.5), square(50.005, 10.015, 0.5)];
    const answer = await create(places.map((geometry, i) => ({ name: `place ${i}`, geometry })));
    assert.equal(answer.status, 201, answer.text);
    const seen: number[] = [];
    for (const { id } of answer.json()['aois'] as Made) {
      const filter = { aoiId: id, status: 'all', since: undefined, publishedSince: undefined } as const;
      seen.push((await storage.changes.list(owner, filter, { limit: 10, after: undefined })).items.length);
    }
    assert.deepEqual(seen, [1, 0, 1]);
  });

  test('ten thousand at once, and none above the cap of the account', async () => {
    const start = await count();
    const unlimited = await app.key({ rateLimit: 0 });
    const call = (aois: object) =>
      app.call({ method: 'POST', url: '/v1/aois/batch', payload: { aois }, key: unlimited });
    const answer = await call(areas(AREA_BATCH.areas));
    assert.equal(answer.status, 201, answer.text.slice(0, 500));
    assert.equal((answer.json()['aois'] as Made).length, AREA_BATCH.areas);
    assert.equal(await count(), start + AREA_BATCH.areas);
    assert.match(refusal(await call(areas(50)), 400, 'the cap').message, /GROUNDWATCH_ACCOUNT_AREAS/);
    assert.equal(await count(), start + AREA_BATCH.areas);
  });
});
