import assert from 'node:assert/strict';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { VectorTile, type VectorTileFeature } from '@mapbox/vector-tile';
import { sql } from 'kysely';
import { PbfReader } from 'pbf';
import { presentChange } from '../../src/app/changes/present-change.ts';
import { TILE_FEATURES } from '../../src/contract/limits.ts';
import type { VectorTiles } from '../../src/contract/pictures/vector-tiles.ts';
import { meetsBox } from '../../src/geo/area-in-box.ts';
import { type Bbox, bboxOf } from '../../src/geo/bbox.ts';
import type { AreaGeometry } from '../../src/geo/polygon.ts';
import { boundsOfTile, type Tile } from '../../src/geo/tile.ts';
import { vectorTile } from '../../src/http/tiles/vector-tile.ts';
import { gdal, withoutGdal } from '../fixtures/gdal.ts';
import { anomalyRecord, changeRecord, collectionRecord, putAoi, square } from '../fixtures/records.ts';
import { type SecuredApp, securedApp } from '../fixtures/secured-app.ts';
import { testStorage, type TestStorage } from '../fixtures/storage.ts';
import { newId } from '../../src/base/ids.ts';

const CHANGES = 120;
let seed = 11;
const random = () => (seed = (seed * 1_103_515_245 + 12_345) % 2 ** 31) / 2 ** 31;

/** A star around a place. @param reach [degrees] */
function star(lng: number, lat: number, reach: number): AreaGeometry {
  const ring = Array.from({ length: 12 }, (_, i): [number, number] => {
    const [turn, far] = [(i / 12) * 2 * Math.PI, reach * (0.3 + 0.7 * random())];
    return [lng + far * Math.cos(turn), lat + far * Math.sin(turn)];
  });
  return { type: 'Polygon', coordinates: [[...ring, ring[0]!]] };
}

describe('vector tiles show what the GeoJSON answer has', () => {
  let world: TestStorage;
  let app: SecuredApp;
  let key: string;
  const shapes = new Map<string, AreaGeometry>();
  const properties = new Map<string, Record<string, unknown>>();
  before(async () => {
    world = await testStorage();
    app = await securedApp(world);
    key = await app.key();
    const { storage, owner } = world;
    const collection = collectionRecord({ environment: owner.environment, accountId: owner.accountId });
    await storage.collections.create(collection);
    const aoi = await putAoi(storage, owner, square(5, 40, 20));
    for (let i = 0; i < CHANGES; i++) {
      // From 10 m to 100 km.
      const reach = 1e-4 * 10 ** (4 * random());
      const geometry = star(5 + 20 * random(), 40 + 20 * random(), reach);
      const change = changeRecord(collection.id, {
        geometry,
        bounds: bboxOf(geometry),
        environment: owner.environment,
        areaM2: (reach * 1e5) ** 2,
      });
      await storage.changes.insert(change);
      await storage.changes.link(change, [aoi]);
      shapes.set(change.id, geometry);
      const now = new Date();
      const { geometry: _none, ...rest } = presentChange({ ...change, createdAt: now, updatedAt: now }, [
        aoi.id,
      ]);
      properties.set(change.id, rest);
    }
    await storage.subscriptions.create({
      ...owner,
      id: newId('subscription'),
      aoiId: aoi.id,
      perils: ['wildfire'],
      status: 'active',
    });
    await storage.anomalies.put([anomalyRecord(aoi, collection.id)]);
  });
  after(async () => {
    await app[Symbol.asyncDispose]();
    await world.close();
  });

  const call = (path: string, headers: Record<string, string> = {}) =>
    app.app.inject({ url: path, headers: { authorization: `Bearer ${key}`, ...headers } });
  const tileAt = async (kind: string, { z, x, y }: Tile) => {
    const answer = await call(`/v1/tiles/${kind}/${z}/${x}/${y}`);
    assert.equal(answer.statusCode, 200, answer.body);
    assert.equal(answer.headers['content-type'], 'application/vnd.mapbox-vector-tile');
    return { answer, layers: new VectorTile(new PbfReader(answer.rawPayload)).layers };
  };
  const featuresOf = (layer: VectorTile['layers'][string] | undefined): VectorTileFeature[] =>
    Array.from({ length: layer?.length ?? 0 }, (_, i) => layer!.feature(i));
  /** The tile of a zoom in which an area has a vertex. */
  const tileOf = ({ coordinates }: AreaGeometry, z: number): Tile => {
    const [lng, lat] = positionsOf(coordinates)[0]!;
    const turn = Math.log(Math.tan(Math.PI / 4 + (lat * Math.PI) / 360));
    return {
      z,
      x: Math.floor(((lng + 180) / 360) * 2 ** z),
      y: Math.floor(((1 - turn / Math.PI) / 2) * 2 ** z),
    };
  };
  /** The tiles of a zoom that hold some of the changes. */
  const tilesAt = (z: number): readonly Tile[] => {
    const tiles = new Map<string, Tile>();
    for (const geometry of shapes.values()) {
      const tile = tileOf(geometry, z);
      tiles.set(`${tile.x}/${tile.y}`, tile);
    }
    return [...tiles.values()].slice(0, 12);
  };

  test('at every zoom each change that meets the tile is in it once, with its properties and its place', async () => {
    let [asPolygon, asPoint] = [0, 0];
    for (let z = 0; z <= 22; z += 2)
      for (const tile of tilesAt(z)) {
        const { answer, layers } = await tileAt('changes', tile);
        assert.equal(answer.headers['x-features-omitted'], '0');
        const bounds = boundsOfTile(tile);
        const [polygons, points] = [featuresOf(layers['changes']), featuresOf(layers['changes_points'])];
        const ids = [...polygons, ...points].map((feature) => String(feature.properties['id']));
        const meeting = [...shapes].filter(([, geometry]) => meetsBox(geometry, bounds));
        assert.deepEqual(ids.toSorted(), meeting.map(([id]) => id).toSorted(), JSON.stringify(tile));
        for (const feature of [...polygons, ...points]) {
          const told = properties.get(String(feature.properties['id']))!;
          for (const [name, value] of Object.entries(feature.properties))
            if (!['created_at', 'updated_at'].includes(name))
              assert.deepEqual(name === 'aoi_ids' ? JSON.parse(String(value)) : value, told[name], name);
          const unit = 360 / 2 ** z / 4096;
          const [west, south, east, north] = bboxOf(shapes.get(String(feature.properties['id']))!);
          const wide: Bbox = [west - 4 * unit, south - 4 * unit, east + 4 * unit, north + 4 * unit];
          const shown = feature.toGeoJSON(tile.x, tile.y, tile.z).geometry as { coordinates: unknown };
          for (const [lng, lat] of positionsOf(shown.coordinates)) {
            assert.ok(lng >= wide[0] && lng <= wide[2] && lat >= wide[1] && lat <= wide[3], `${lng} ${lat}`);
          }
        }
        asPolygon += polygons.length;
        asPoint += points.length;
      }
    assert.ok(asPolygon > 100 && asPoint > 100, `${asPolygon} polygons, ${asPoint} points`);
  });

  test('areas and anomalies have tiles too; where nothing lies the tile is empty', async () => {
    const tile = { z: 3, x: 4, y: 2 };
    assert.equal(featuresOf((await tileAt('areas', tile)).layers['areas']).length, 1);
    const [anomaly] = featuresOf((await tileAt('anomalies', tile)).layers['anomalies']);
    assert.equal(anomaly!.properties['severity'], 'high');
    const empty = await tileAt('changes', { z: 3, x: 0, y: 7 });
    assert.deepEqual(Object.keys(empty.layers), []);
    assert.equal(empty.answer.rawPayload.length, 0);
  });

  test('TileJSON names the layers and the properties of the tiles', async () => {
    const answer = await call('/v1/tiles/changes');
    const { tiles, vector_layers: layers } = answer.json<VectorTiles>();
    assert.match(tiles[0]!, /\/v1\/tiles\/changes\/\{z\}\/\{x\}\/\{y\}$/);
    assert.deepEqual(
      layers.map(({ id }) => id),
      ['changes', 'changes_points', 'omitted'],
    );
    const { layers: seen } = await tileAt('changes', { z: 0, x: 0, y: 0 });
    for (const feature of [...featuresOf(seen['changes']), ...featuresOf(seen['changes_points'])])
      for (const [name, value] of Object.entries(feature.properties)) {
        const declared = layers[0]!.fields[name];
        assert.equal(declared, typeof value === 'number' ? 'Number' : 'String', name);
      }
  });

  test('a tile that the caller has is a 304; a zoom, column or row that is none is a 400 or a 404', async () => {
    const path = '/v1/tiles/changes/2/2/1';
    const first = await call(path);
    const again = await call(path, { 'if-none-match': String(first.headers['etag']) });
    assert.equal(again.statusCode, 304);
    assert.equal(first.headers['cache-control'], 'private');
    for (const [bad, status] of [
      ['23/0/0', 400],
      ['2/4/0', 404],
      ['2/0/4', 404],
      ['2/x/0', 400],
      ['-1/0/0', 400],
    ] as const)
      assert.equal((await call(`/v1/tiles/changes/${bad}`)).statusCode, status, bad);
  });

  test('ogrinfo opens a tile without a warning', { skip: withoutGdal }, async (t) => {
    const folder = await mkdtemp(join(tmpdir(), 'groundwatch-mvt-'));
    t.after(() => rm(folder, { recursive: true }));
    for (const tile of [{ z: 0, x: 0, y: 0 }, tilesAt(6)[0]!, tileOf([...shapes.values()][0]!, 14)]) {
      const { answer, layers } = await tileAt('changes', tile);
      await mkdir(join(folder, `${tile.z}`, `${tile.x}`), { recursive: true });
      const file = join(folder, `${tile.z}`, `${tile.x}`, `${tile.y}.mvt`);
      await writeFile(file, answer.rawPayload);
      const { stdout, stderr } = await gdal('ogrinfo', ['-al', file]);
      assert.equal(stderr, '');
      assert.doesNotMatch(stdout, /warning|error|invalid/i);
      for (const [name, { length }] of Object.entries(layers))
        assert.match(stdout, new RegExp(`Layer name: ${name}[^]*?Feature Count: ${length}\\b`));
    }
  });

  test('of more features than a tile holds it shows the largest, and says how many it leaves out', async () => {
    const { storage, owner } = world;
    const more = 30;
    const aoi = await putAoi(storage, owner, square(-100, -50, 1));
    const { db } = world.database;
    const geometry = JSON.stringify(square(-99.5, -49.5, 0.001));
    await db.transaction().execute(async (transaction) => {
      await sql`set local session_replication_role = replica`.execute(transaction);
      await sql`insert into changes (environment, collection_id, id, model_version, object_key, type, status, confidence,
          metric, magnitude, area_m2, geometry, bounds, first_anomaly_at, detected_at, digest, provenance, versions, told_as)
        select ${owner.environment}::environment, 'col', 'chg_01kzzzzzz' || lpad(to_hex(i), 17, '0'), 'v', i::text,
          'vegetation_loss', 'confirmed', 0.9, 'ndvi', -0.4, i, ${geometry}::jsonb,
          box(point(-99.499, -49.499), point(-99.5, -49.5)), '2020-01-01', '2020-01-02', 'd', '{}', '[]', 'confirmed'
        from generate_series(1, ${TILE_FEATURES + more}::int) i`.execute(transaction);
      await sql`insert into aoi_changes (account_id, environment, aoi_id, change_id, status, detected_at)
        select ${owner.accountId}, ${owner.environment}::environment, ${aoi.id}, id, status, detected_at
        from changes where collection_id = 'col'`.execute(transaction);
      await sql`update changes set collection_id = (select collection_id from changes where collection_id <> 'col' limit 1)
        where collection_id = 'col'`.execute(transaction);
    });
    for (const z of [0, 4, 12]) {
      const tile = tileOf(square(-99.5, -49.5), z);
      const { answer, layers } = await tileAt('changes', tile);
      const drawn = [...featuresOf(layers['changes']), ...featuresOf(layers['changes_points'])];
      const total = TILE_FEATURES + more + (z === 0 ? CHANGES : 0);
      // The geometries of all at zoom 0 are more than a megabyte in the database.
      if (z > 0) assert.equal(drawn.length, TILE_FEATURES);
      assert.ok(
        drawn.length <= TILE_FEATURES && drawn.length > 0.9 * TILE_FEATURES,
        `${drawn.length} features`,
      );
      const omitted = total - drawn.length;
      assert.equal(answer.headers['x-features-omitted'], String(omitted));
      const [note] = featuresOf(layers['omitted']);
      assert.equal(note!.properties['features'], omitted);
      const sizes = drawn.map((feature) => Number(feature.properties['area_m2']));
      if (z > 0) assert.equal(Math.min(...sizes), more + 1);
    }
  });

  test('where not all are looked at, the tile says that there may be more', async () => {
    const { storage, owner } = world;
    const aoi = await putAoi(storage, owner, square(100, -50, 1));
    await sql`insert into aoi_changes (account_id, environment, aoi_id, change_id, status, detected_at)
      select ${owner.accountId}, ${owner.environment}::environment, ${aoi.id}, id, status, detected_at from changes`.execute(
      world.database.db,
    );
    const { layers: whole } = await tileAt('changes', { z: 12, x: 0, y: 0 });
    assert.deepEqual(Object.keys(whole), []);
    const few = await storage.changes.pickPlaced(
      owner,
      { status: 'confirmed', bounds: [-180, -85, 180, 85] },
      { look: 100, most: 10 },
    );
    assert.equal(few.items.length, 10);
    assert.equal(few.isWhole, false);
    const all = { look: 10_000, most: 10 };
    const looked = await storage.changes.pickPlaced(
      owner,
      { status: 'confirmed', bounds: [-180, -85, 180, 85] },
      all,
    );
    assert.deepEqual([looked.isWhole, looked.omitted], [true, TILE_FEATURES + 30 + CHANGES - 10]);
    const note = new VectorTile(
      new PbfReader(
        await vectorTile('changes', { z: 0, x: 0, y: 0 }, { items: [], omitted: 3, isWhole: false }),
      ),
    ).layers['omitted']!.feature(0);
    assert.deepEqual({ ...note.properties }, { features: 3, more: true });
  });
});

function positionsOf(coordinates: unknown): readonly (readonly [number, number])[] {
  const list = coordinates as readonly unknown[];
  return typeof list[0] === 'number'
    ? [list as unknown as readonly [number, number]]
    : list.flatMap((part) => positionsOf(part));
}
