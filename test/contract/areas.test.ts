// Long file: it has tables of valid and invalid geometries, with one entry for each rule.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { newId } from '../../src/base/ids.ts';
import { square } from '../fixtures/records.ts';
import { refusal } from './refusals.ts';
import { assertNoServerError, contractWorld, type World } from './world.ts';

const polygon = (...rings: number[][][]) => ({ type: 'Polygon', coordinates: rings });

describe('areas of interest', () => {
  let world: World;
  before(async () => {
    world = await contractWorld();
  });
  after(() => assertNoServerError(world));
  const create = (geometry: unknown) =>
    world.service.call('/v1/aois', { method: 'POST', key: world.key, json: { name: 'an area', geometry } });

  test('a geometry that is no area is refused with the place at fault', async () => {
    const ring = square(1, 1).coordinates[0] as unknown as number[][];
    const cases: readonly (readonly [geometry: unknown, param: string, message: RegExp])[] = [
      [null, 'geometry', /Polygon or MultiPolygon/],
      [[], 'geometry', /got an array/],
      ['POLYGON((0 0, 1 0, 1 1, 0 0))', 'geometry', /got "POLYGON/],
      [{}, 'geometry.type', /got nothing/],
      [{ type: 'Point', coordinates: [1, 1] }, 'geometry.type', /got "Point"/],
      [{ type: 'Feature', geometry: square(1, 1) }, 'geometry.type', /got "Feature"/],
      [{ type: 'Polygon' }, 'geometry.coordinates', /got nothing/],
      [polygon(), 'geometry.coordinates', /empty/],
      [polygon([]), 'geometry.coordinates[0]', /empty/],
      [{ type: 'MultiPolygon', coordinates: [] }, 'geometry.coordinates', /empty/],
      [{ type: 'MultiPolygon', coordinates: [[]] }, 'geometry.coordinates[0]', /empty/],
      [
        polygon([
          [1, 1],
          [2, 2],
          [1, 1],
        ]),
        'geometry.coordinates[0]',
        /at least 4 positions/,
      ],
      [polygon(ring.slice(0, 4)), 'geometry.coordinates[0][3]', /close/],
      [
        polygon([
          [0, 0],
          [200, 0],
          [1, 1],
          [0, 0],
        ]),
        'geometry.coordinates[0][1][0]',
        /got 200/,
      ],
      [
        polygon([
          [0, 0],
          [1, 91],
          [1, 1],
          [0, 0],
        ]),
        'geometry.coordinates[0][1][1]',
        /got 91/,
      ],
      [
        polygon([
          [0, 0],
          [1, '1'],
          [1, 1],
          [0, 0],
        ] as number[][]),
        'geometry.coordinates[0][1][1]',
        /finite number/,
      ],
      [
        polygon([
          [0, 0],
          [1, null],
          [1, 1],
          [0, 0],
        ] as unknown as number[][]),
        'geometry.coordinates[0][1][1]',
        /finite/,
      ],
      [
        polygon([
          [0, 0],
          [1, 0, 5, 7],
          [1, 1],
          [0, 0],
        ]),
        'geometry.coordinates[0][1]',
        /array of 4/,
      ],
      [
        polygon([
          [5, 5],
          [5, 5],
          [5, 5],
          [5, 5],
        ]),
        'geometry.coordinates[0]',
        /encloses an area/,
      ],
      // A bow tie: its first and third segments cross at [0.5, 0.5].
      [
        polygon([
          [0, 0],
          [1, 1],
          [1, 0],
          [0, 1],
          [0, 0],
        ]),
        'geometry.coordinates[0][0]',
        /crosses.* at \[0.5, 0.5\d*\]/,
      ],
      [
        polygon([
          [-179.9, -60],
          [179.9, -60],
          [179.9, 60],
          [-179.9, 60],
          [-179.9, -60],
        ]),
        'geometry.coordinates[0][0]',
        /at most 180 degrees of longitude, got one of 359.8/,
      ],
      [
        polygon(ring, square(5, 5).coordinates[0] as unknown as number[][]),
        'geometry.coordinates[1]',
        /hole/,
      ],
    ];
    for (const [geometry, param, message] of cases) {
      const error = refusal(await create(geometry), 400, JSON.stringify(geometry));
      assert.equal(error.param, param, error.message);
      assert.match(error.message, message);
    }
    const band = [-60, 60].map((lng) => [lng, -45]).concat([60, -60].map((lng) => [lng, 45]));
    const large = refusal(await create(polygon([...band, band[0]!])), 400, 'a fifth of the Earth');
    assert.equal(large.param, 'geometry.coordinates');
    assert.match(large.message, /at most 25,000,000 km², got \d{3},\d{3},\d{3} km²; divide it/);
    const circle = Array.from({ length: 10_002 }, (_, i) => [Math.cos(i / 1592), Math.sin(i / 1592)]);
    circle[10_001] = circle[0]!;
    assert.match(refusal(await create(polygon(circle)), 400, 'vertices').message, /at most 10000 vertices/);
  });

  test('areas over the antimeridian, round a pole and with holes are taken; their areas are geodesic', async () => {
    // One square degree at the equator is 12,308.8 km2 on WGS84 (Karney 2013, GeographicLib's Planimeter).
    const cases: readonly (readonly [name: string, geometry: unknown, km2: number])[] = [
      [
        'a degree at the equator',
        polygon([
          [0, 0],
          [1, 0],
          [1, 1],
          [0, 1],
          [0, 0],
        ]),
        12_308.8,
      ],
      [
        'the same over the antimeridian',
        polygon([
          [179.5, 0],
          [-179.5, 0],
          [-179.5, 1],
          [179.5, 1],
          [179.5, 0],
        ]),
        12_308.8,
      ],
      [
        'the same, clockwise',
        polygon([
          [0, 0],
          [0, 1],
          [1, 1],
          [1, 0],
          [0, 0],
        ]),
        12_308.8,
      ],
      [
        'two of them, cut as RFC 7946 asks',
        {
          type: 'MultiPolygon',
          coordinates: [
            [
              [
                [179, 0],
                [180, 0],
                [180, 1],
                [179, 1],
                [179, 0],
              ],
            ],
            [
              [
                [-180, 0],
                [-179, 0],
                [-179, 1],
                [-180, 1],
                [-180, 0],
              ],
            ],
          ],
        },
        24_617.6,
      ],
    ];
    for (const [name, geometry, km2] of cases) {
      const answer = await create(geometry);
      assert.equal(answer.status, 201, `${name}: ${answer.text}`);
      const area = Number(answer.json()['area_m2']) / 1e6;
      // The antimeridian cuts an edge along a parallel into two geodesics. They are slightly nearer to the parallel
      // than a single geodesic, so the areas differ slightly.
      assert.ok(Math.abs(area - km2) < 0.3, `${name}: ${area} km2`);
    }
    const cap = await create(
      polygon([
        [-120, 85],
        [0, 85],
        [120, 85],
        [-120, 85],
      ]),
    );
    assert.equal(cap.status, 201, cap.text);
    const holed = await create(
      polygon(
        [
          [0, 0],
          [4, 0],
          [4, 4],
          [0, 4],
          [0, 0],
        ],
        [
          [1, 1],
          [1, 2],
          [2, 2],
          [2, 1],
          [1, 1],
        ],
      ),
    );
    assert.equal(holed.status, 201, holed.text);
  });

  test('an area of ten thousand vertices is taken while others are answered', async () => {
    const vertices = 9_999;
    const circle = Array.from({ length: vertices }, (_, i) => {
      const angle = (i / vertices) * 2 * Math.PI;
      return [10 + Math.cos(angle), 50 + Math.sin(angle)];
    });
    const making = create(polygon([...circle, circle[0]!]));
    assert.equal((await world.service.call('/v1/models', { key: world.key })).status, 200);
    assert.equal((await making).status, 201);
  });

  test('an area tells which images cover it, and that none do', async () => {
    const { service, key, collection, backstage } = world;
    await backstage.storage.collections.putScenes(
      collection.id,
      ['2026-01-01', '2026-01-04'].map((key) => ({
        id: newId('scene'),
        key,
        href: '',
        observedAt: new Date(key),
        sha256: '',
        clearFraction: 1,
      })),
    );
    const imagery = async (geometry: unknown) => {
      const { id } = (await create(geometry)).json();
      return (await service.call(`/v1/aois/${String(id)}`, { key })).json()['imagery'] as readonly {
        readonly collection: string;
      }[];
    };
    const covering = await imagery(square(14.002, 46.002, 0.003));
    assert.deepEqual(
      covering.find((series) => series.collection === collection.name),
      {
        collection: collection.name,
        metric: 'ndvi',
        scenes: 2,
        first_at: '2026-01-01T00:00:00.000Z',
        last_at: '2026-01-04T00:00:00.000Z',
      },
    );
    assert.deepEqual(await imagery(square(-100, 10)), []);
  });

  test('a subscription is paused, resumed and cancelled by its status; cancelled is for good', async () => {
    const { service, key } = world;
    const aoi = String((await create(square(14, 46, 0.004))).json()['id']);
    const json = { aoi_id: aoi, perils: ['storm'] };
    const made = await service.call('/v1/anomalies/subscribe', { method: 'POST', key, json });
    const path = `/v1/anomalies/subscriptions/${String(made.json()['subscription_id'])}`;
    for (const status of ['paused', 'active', 'cancelled']) {
      const set = await service.call(path, { method: 'PATCH', key, json: { status } });
      assert.equal(set.status, 200, set.text);
      assert.equal(set.json()['status'], status);
    }
    refusal(await service.call(path, { method: 'PATCH', key, json: { status: 'active' } }), 404, 'resumed');
    refusal(await service.call(path, { method: 'DELETE', key }), 404, 'cancelled twice');
    assert.equal((await service.call(path, { key })).json()['status'], 'cancelled');
  });

  test('an area is renamed and deleted; then it and its subscriptions are gone, its changes readable by id', async () => {
    const { service, key, backstage, change, picturedChange } = world;
    const made = await create(square(14, 46, 0.005));
    const id = String(made.json()['id']);
    assert.equal(made.headers['location'], `/v1/aois/${id}`);
    const list = await service.call(`/v1/changes?aoi_id=${id}`, { key });
    assert.deepEqual(
      new Set(list.json()['changes'] as object[]),
      new Set(
        [change, picturedChange].map(({ id: its, type, confidence }) => ({ id: its, type, confidence })),
      ),
    );
    const renamed = await service.call(`/v1/aois/${id}`, { method: 'PATCH', key, json: { name: ' Two ' } });
    assert.equal(renamed.json()['name'], 'Two');
    const json = { aoi_id: id, perils: ['flood'] };
    const subscribed = await service.call('/v1/anomalies/subscribe', { method: 'POST', key, json });
    const subscription = `/v1/anomalies/subscriptions/${String(subscribed.json()['subscription_id'])}`;
    assert.equal((await service.call(`/v1/aois/${id}`, { method: 'DELETE', key })).status, 204);
    for (const [method, path] of [
      ['GET', `/v1/aois/${id}`],
      ['DELETE', `/v1/aois/${id}`],
      ['GET', `/v1/changes?aoi_id=${id}`],
      ['PATCH', subscription],
    ] as const)
      refusal(
        await service.call(path, { method, key, ...(method === 'PATCH' && { json: { status: 'active' } }) }),
        404,
        `${method} ${path}`,
      );
    assert.equal((await service.call(subscription, { key })).json()['status'], 'cancelled');
    // A change that was only visible through the deleted area stays readable for 30 days after the deletion.
    const own = { ...world.owner, accountId: world.owner.accountId };
    const { storage, database } = backstage;
    const hidden = { ...change, id: `${change.id.slice(0, -2)}zz`, objectKey: 'hidden' };
    await storage.changes.insert(hidden);
    await storage.changes.link(hidden, [{ ...own, id }]);
    const byId = await service.call(`/v1/changes/${hidden.id}`, { key });
    assert.equal(byId.status, 200);
    assert.deepEqual(byId.json()['aoi_ids'], []);
    const aMonthAgo = new Date(Date.now() - 30 * 86_400_000 - 1000);
    await database.db.updateTable('aois').set({ deleted_at: aMonthAgo }).where('id', '=', id).execute();
    refusal(await service.call(`/v1/changes/${hidden.id}`, { key }), 404, 'after 30 days');
  });
});
