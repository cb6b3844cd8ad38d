import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { type StacServer, stacServer } from '../../../test/fixtures/stac-server.ts';
import { FolderLayerShelf } from '../../sources/layers/folder-layer-shelf.ts';
import { LayerStore } from '../../sources/layers/layer-store.ts';
import { StacSceneSource } from '../../sources/imagery/stac-scene-source.ts';
import { tiffFixture, WGS84_KEYS } from '../../../test/fixtures/tiff-fixture.ts';
import { installPublicLayer } from './install-public-layer.ts';
import { degreeTiles, publicLayer } from './public-layers.ts';

test('tile names follow the documentation of the providers', () => {
  const near = [8.1, 47.1, 8.2, 47.2] as const;
  const named = (name: string, bounds: typeof near, years: number | null = null, index: unknown = null) =>
    publicLayer(name)
      .tiles(bounds, years, index)
      .map((tile) => publicLayer(name).base + tile);
  // Addresses from the documentation of the providers.
  assert.deepEqual(named('copernicus-dem-30', near), [
    'https://copernicus-dem-30m.s3.amazonaws.com/Copernicus_DSM_COG_10_N47_00_E008_00_DEM/Copernicus_DSM_COG_10_N47_00_E008_00_DEM.tif',
  ]);
  assert.deepEqual(named('worldcover', near), [
    'https://esa-worldcover.s3.eu-central-1.amazonaws.com/v200/2021/map/ESA_WorldCover_10m_2021_v200_N45E006_Map.tif',
  ]);
  assert.deepEqual(named('glo-30-hand', near), [
    'https://glo-30-hand.s3.amazonaws.com/v1/2021/Copernicus_DSM_COG_10_N47_00_E008_00_HAND.tif',
  ]);
  const square = (id: number, name: string, west: number, north: number) => ({
    properties: { id, name },
    geometry: {
      type: 'Polygon',
      coordinates: [
        [
          [west, north],
          [west + 10, north],
          [west + 10, north - 10],
          [west, north - 10],
          [west, north],
        ],
      ],
    },
  });
  const index = { features: [square(118, 'N10_W0', 0, 10), square(119, 'N10_E10', 10, 10)] };
  assert.deepEqual(named('jrc-flood', [5, 5, 6, 6] as unknown as typeof near, 100, index), [
    'https://jeodpp.jrc.ec.europa.eu/ftp/jrc-opendata/CEMS-GLOFAS/flood_hazard/RP100/ID118_N10_W0_RP100_depth.tif',
  ]);
});

test('tile names in all hemispheres and across the antimeridian, without tiles that only touch the box', () => {
  assert.deepEqual(degreeTiles([-0.5, -0.5, 0.5, 0.5], 1), [
    'S01_00_W001_00',
    'S01_00_E000_00',
    'N00_00_W001_00',
    'N00_00_E000_00',
  ]);
  assert.deepEqual(degreeTiles([179.5, 10, 180.5, 11], 1), ['N10_00_E179_00', 'N10_00_W180_00']);
  assert.deepEqual(degreeTiles([-72, -34, -70, -33], 3), ['S36_00_W072_00']);
});

describe('installing a public map for a box', () => {
  let folder: string;
  let server: StacServer;
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'groundwatch-install-'));
    server = await stacServer();
    // A tile of one degree with 100 x 100 pixels. The value of a pixel is row * 100 + col; the first pixel is nodata.
    const bands = [Array.from({ length: 10_000 }, (_, i) => (i === 0 ? -32_768 : i))];
    const grid = { width: 100, height: 100, bands, pixel: [0.01, 0.01], keys: WGS84_KEYS } as const;
    const dem = (west: number): Buffer =>
      tiffFixture({ ...grid, origin: [west, 48], tile: 32, deflate: true, nodata: '-32768' });
    for (const lng of [8, 9]) {
      const name = `Copernicus_DSM_COG_10_N47_00_E00${lng}_00_DEM`;
      server.files.set(`/dem/${name}/${name}.tif`, dem(lng));
    }
  });
  after(async () => {
    await server[Symbol.asyncDispose]();
    await rm(folder, { recursive: true });
  });
  const home = () => ({ catalogues: [], folder });
  const install = (bounds: readonly [number, number, number, number]) =>
    installPublicLayer(
      {
        clock: { now: () => Date.UTC(2026, 0, 1) },
        shelf: new FolderLayerShelf(home()),
        files: new StacSceneSource(server.reader),
      },
      { name: 'copernicus-dem-30', bounds, environment: 'production', mirror: `${server.base}/dem` },
      () => undefined,
    );

  test('installs only the pixels of the box, from two tiles, with nodata and card', async () => {
    const added = await install([8.9, 47.9, 9.1, 48]);
    assert.equal(added.length, 2);
    const [{ card, piece }] = added as [(typeof added)[0]];
    assert.deepEqual(
      [card.layer, card.version, card.licence.slice(0, 14), card.date],
      ['elevation', 'copernicus-glo30', 'Copernicus DEM', '2015-01-31'],
    );
    assert.deepEqual(
      piece.coverage.map((edge) => Math.round(edge * 1000) / 1000),
      [8.9, 47.9, 9, 48],
    );
    const store = await LayerStore.open({ ...home(), onProblem: assert.fail });
    try {
      const snapshot = store.snapshot('production');
      const lngs = Float64Array.of(8.905, 9.095, 9.005, 8.5);
      const lats = Float64Array.of(47.995, 47.905, 47.995, 47.95);
      const answers = await snapshot.sample(snapshot.cards('elevation')[0]!, lngs, lats);
      assert.deepEqual(
        answers.map((answer) => (answer.ok ? Math.round(answer.value) : answer.reason)),
        [90, 909, 'nodata', 'outside'],
      );
    } finally {
      store.close();
    }
  });

  test('a repeated installation changes nothing, and missing tiles are skipped', async () => {
    assert.deepEqual(
      (await install([8.9, 47.9, 9.1, 48])).map(({ added }) => added),
      [false, false],
    );
    assert.equal((await install([9.9, 47.1, 10.1, 47.2])).length, 1);
    await assert.rejects(
      install([20.1, 47.1, 20.2, 47.2]),
      /none of its 1 tiles there exists: .*E020_00_DEM/,
    );
  });

  test('the error for an unknown name lists the known ones', async () => {
    assert.throws(() => publicLayer('srtm'), /expected one of copernicus-dem-30, .*jrc-flood; got "srtm"/);
  });
});
