import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { sql } from 'kysely';
import { putAoi, square } from '../../../test/fixtures/records.ts';
import { testStorage, type TestStorage } from '../../../test/fixtures/storage.ts';
import { newId } from '../../base/ids.ts';
import type { Bbox } from '../../geo/bbox.ts';
import { boxText, overlaps, parseBox } from './bounds.ts';

describe('bounds in the database', () => {
  let world: TestStorage;
  before(async () => {
    world = await testStorage();
  });
  after(() => world.close());
  let seed = 1;
  /** Lehmer's random number generator (Park & Miller 1988), in [0, 1). Gives the same boxes in every run. */
  const random = (): number => (seed = (seed * 48_271) % 2_147_483_647) / 2_147_483_647;
  /** Whether two boxes share a point on the globe. Tests points that are a quarter of a degree apart. */
  function share([w1, s1, e1, n1]: Bbox, [w2, s2, e2, n2]: Bbox): boolean {
    if (s1 > n2 || s2 > n1) return false;
    for (let lng = w1; lng <= e1; lng += 0.25) {
      for (const turned of [lng - 360, lng, lng + 360]) if (turned >= w2 && turned <= e2) return true;
    }
    return false;
  }
  const quarter = (from: number, to: number): number => from + Math.floor(random() * (to - from) * 4) / 4;
  function anyBox(): Bbox {
    const west = quarter(-180, 180);
    const south = quarter(-90, 89);
    return [west, south, west + quarter(0.25, 40), Math.min(90, south + quarter(0.25, 60))];
  }

  test('a stored box is read back unchanged', async () => {
    for (const box of [
      [-180, -90, 180, 90],
      [179.5, 1e-7, 181.25, 0.3],
      [5e-7, -1e-9, 0.1 + 0.2, 1e-9],
    ] as Bbox[]) {
      const { rows } = await sql<{ box: string }>`select ${boxText(box)}::box as box`.execute(
        world.database.db,
      );
      assert.deepEqual(parseBox(rows[0]!.box), box);
    }
  });

  test('overlap of boxes agrees with a test of single points, also across the antimeridian', async () => {
    const boxes = Array.from({ length: 60 }, anyBox);
    let shared = 0;
    for (const asked of Array.from({ length: 40 }, anyBox)) {
      const values = sql.join(boxes.map((box, i) => sql`(${i}::int, ${boxText(box)}::box)`));
      const { rows } = await sql<{ i: number }>`
        select i from (values ${values}) as b(i, bounds) where ${overlaps('bounds', asked)}`.execute(
        world.database.db,
      );
      const hit = new Set(rows.map(({ i }) => i));
      for (const [i, box] of boxes.entries()) {
        assert.equal(hit.has(i), share(box, asked), `${box.join(' ')} and ${asked.join(' ')}`);
        if (hit.has(i)) shared++;
      }
    }
    assert.ok(shared > 50);
  });

  test('an area across the antimeridian is found by boxes on both of its sides, and not by distant ones', async () => {
    const { storage, owner } = world;
    const aoi = await storage.aois.create({
      ...owner,
      id: newId('aoi'),
      name: 'Taveuni',
      geometry: square(179.9, -17, 0.05),
      bounds: [179.5, -17, 180.5, -16],
      areaM2: 1,
    });
    await putAoi(storage, owner, square(0, -17));
    const seen = async (bounds: Bbox) =>
      (await storage.aois.overlapping('production', null, bounds)).some(({ id }) => id === aoi.id);
    assert.equal(await seen([179.6, -16.5, 179.7, -16.4]), true);
    assert.equal(await seen([-179.7, -16.5, -179.6, -16.4]), true);
    assert.equal(await seen([180.2, -16.5, 180.3, -16.4]), true);
    assert.equal(await seen([-179.4, -16.5, -179.3, -16.4]), false);
    assert.equal(await seen([179.3, -16.5, 179.4, -16.4]), false);
    assert.equal(await seen([-1, -17, 1, -16]), false);
  });

  test('areas are found for one account or all accounts, in one environment', async () => {
    const { storage, owner, others } = world;
    const made = [];
    for (const each of [owner, ...others]) made.push(await putAoi(storage, each, square(50, 50)));
    const ids = async (environment: 'production' | 'sandbox' | 'staging', account: string | null) =>
      (await storage.aois.overlapping(environment, account, [50, 50, 51, 51])).map(({ id }) => id);
    assert.deepEqual(await ids('production', owner.accountId), [made[0]!.id]);
    assert.deepEqual(await ids('production', null), [made[0]!.id, made[2]!.id].toSorted());
    assert.deepEqual(await ids('staging', null), []);
    await storage.aois.remove(owner, made[0]!.id);
    assert.deepEqual(await ids('production', null), [made[2]!.id]);
  });
});
