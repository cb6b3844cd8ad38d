import assert from 'node:assert/strict';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { decode } from 'fast-png';
import type { Change, ChangeImages, Collection, Scene } from '../../src/client/index.ts';
import type { SceneTiles } from '../../src/contract/pictures/tiles.ts';
import { sharedService, type TestService } from '../fixtures/service.ts';
import { tiffFixture } from '../fixtures/tiff-fixture.ts';

const EDGE = 24;
const PIXEL_M = 30;
/** Rows and columns that are felled. */
const FELLED = { from: 6, to: 18 };
const DATES = Array.from({ length: 56 }, (_, i) => new Date(Date.UTC(2022, 0, 5) + i * 16 * 86_400_000));
const EVENT_MS = Date.UTC(2024, 1, 10);
/** Reflectance times 10,000: of forest, of felled ground, and of a cloud in the first scene's corner. */
const FOREST = { B02: 300, B03: 500, B04: 400, B8A: 3500 } as const;
const SOIL = { B02: 900, B03: 1400, B04: 2000, B8A: 2600 } as const;
const CLOUD = 9000;
/** UTM 33 north (OGC 19-008). */
const KEYS = { 1024: 1, 1025: 1, 3072: 32633 } as const;

/** Brightness as docs/pictures.md has it. */
const shown = (raw: number): number => 1 + Math.round(254 * Math.min(1, raw / 1e4 / 0.35) ** (1 / 1.8));

/** Writes the files of the first scenes of HLS; the second scene has no blue. */
async function writeScenes(folder: string, count = DATES.length): Promise<void> {
  for (const [scene, date] of DATES.slice(0, count).entries()) {
    const year = date.getUTCFullYear();
    const dayOfYear = 1 + Math.round((date.getTime() - Date.UTC(year, 0, 1)) / 86_400_000);
    const name = `HLS.S30.T33TVM.${year}${String(dayOfYear).padStart(3, '0')}T100000.v2.0`;
    for (const band of ['B02', 'B03', 'B04', 'B8A', 'Fmask'] as const) {
      if (scene === 1 && band === 'B02') continue;
      const samples = Array.from({ length: EDGE * EDGE }, (_, i) => {
        const [row, col] = [Math.floor(i / EDGE), i % EDGE];
        const isCloud = scene === 0 && i < 3;
        if (band === 'Fmask') return isCloud ? 2 : 0;
        if (isCloud) return CLOUD;
        const isFelled =
          date.getTime() >= EVENT_MS && [row, col].every((at) => at >= FELLED.from && at < FELLED.to);
        return (isFelled ? SOIL : FOREST)[band] + ((i * 7 + scene * 13) % 5);
      });
      await writeFile(
        join(folder, `${name}.${band}.tif`),
        tiffFixture({
          width: EDGE,
          height: EDGE,
          bands: [samples],
          kind: band === 'Fmask' ? 'uint8' : 'int16',
          origin: [500_000, 5_100_000],
          pixel: [PIXEL_M, PIXEL_M],
          keys: KEYS,
        }),
      );
    }
  }
}

describe('scenes with red, green and blue have a picture in true colour', () => {
  let service: TestService;
  let folder: string;
  let key: string;
  let collections: readonly Collection[];
  let scenes: readonly Scene[];
  const get = async <T>(path: string): Promise<T> => {
    const answer = await service.call(path, { key });
    assert.equal(answer.status, 200, answer.text);
    return answer.json() as T;
  };
  const picture = async (path: string) => {
    const answer = await service.call(path, { key });
    assert.equal(answer.status, 200, answer.text);
    return decode(answer.bytes);
  };
  before(async () => {
    service = await sharedService();
    folder = await mkdtemp(join(tmpdir(), 'groundwatch-colours-'));
    await writeScenes(folder);
    await service.cli('accounts', 'create', 'colours');
    const made = await service.cli(
      'keys',
      'create',
      '--account',
      'colours',
      '--scopes',
      'all',
      '--limit',
      '0',
    );
    key = String(made['key']);
    const ring = [
      [14.99, 46.03],
      [15.02, 46.03],
      [15.02, 46.06],
      [14.99, 46.06],
      [14.99, 46.03],
    ];
    await service.call('/v1/aois', {
      key,
      method: 'POST',
      json: { name: 'Forest', geometry: { type: 'Polygon', coordinates: [ring] } },
    });
    await service.cli('ingest', 'scenes', folder, '--collection', 'felled', '--account', 'colours');
    collections = (await get<{ collections: Collection[] }>('/v1/collections')).collections.filter(
      ({ name }) => name === 'felled',
    );
    scenes = (
      await get<{ scenes: Scene[] }>(`/v1/collections/${collections[0]!.id}/scenes`)
    ).scenes.toReversed();
  });
  after(() => rm(folder, { recursive: true, force: true }));

  test('the lists say which scenes have one', () => {
    assert.ok(collections.length > 0);
    assert.ok(collections.every(({ true_colour }) => true_colour));
    assert.equal(scenes.length, DATES.length);
    assert.deepEqual(
      scenes.slice(0, 3).map(({ true_colour }) => true_colour),
      [true, false, true],
    );
  });

  test('its tiles show the reflectance of red, green and blue, and clouds', async () => {
    const [{ id }] = scenes as [Scene];
    const described = await get<SceneTiles>(`/v1/tiles/scenes/${id}?colours=true`);
    assert.equal(described.legend, undefined);
    assert.match(described.tiles[0]!, /\/v1\/tiles\/scenes\/scn_\w+\/\{z\}\/\{x\}\/\{y\}\?colours=true$/);
    assert.match(described.name, /^felled, true colour, 2022-01-05$/);
    const [west, south, east, north] = described.bounds as [number, number, number, number];
    const z = described.maxzoom + 2;
    const at = (lng: number, lat: number): [number, number] => {
      const y = Math.asinh(Math.tan((lat * Math.PI) / 180));
      return [((lng + 180) / 360) * 2 ** z, ((1 - y / Math.PI) / 2) * 2 ** z];
    };
    const colourAt = async (lng: number, lat: number): Promise<readonly number[]> => {
      const [x, y] = at(lng, lat);
      const path = described.tiles[0]!.slice(described.tiles[0]!.indexOf('/v1/'));
      const filled = path
        .replace('{z}', String(z))
        .replace('{x}', String(Math.floor(x)))
        .replace('{y}', String(Math.floor(y)));
      const { data, channels } = await picture(filled);
      const pixel = Math.floor((y % 1) * 256) * 256 + Math.floor((x % 1) * 256);
      return Array.from(data.slice(channels * pixel, channels * (pixel + 1)), Number);
    };
    const middle = await colourAt((west + east) / 2, (south + north) / 2);
    for (const [band, raw] of [FOREST.B04, FOREST.B03, FOREST.B02].entries())
      assert.ok(Math.abs(middle[band]! - shown(raw)) <= 2, `${middle.join(' ')} has no ${shown(raw)}`);
    // The cloud is masked in the index, and seen in the picture: 9 m east and 9 m south of the corner.
    assert.deepEqual((await colourAt(west + 1.2e-4, north - 0.8e-4)).slice(0, 3), [255, 255, 255]);
  });

  test('a change has both pictures in true colour, with its outline', async () => {
    const { aois } = await get<{ aois: { id: string }[] }>('/v1/aois');
    const { changes } = await get<{ changes: Change[] }>(`/v1/changes?aoi_id=${aois[0]!.id}`);
    const [change] = changes;
    assert.ok(change, 'the felled forest is a change');
    const images = await get<ChangeImages>(`/v1/changes/${change.id}/images`);
    for (const [moment, ground] of [
      ['before', FOREST],
      ['after', SOIL],
    ] as const) {
      const url = images[moment]?.true_colour_url;
      assert.equal(url, `/v1/changes/${change.id}/images/${moment}?colours=true`);
      const { width, height, data, channels } = await picture(url);
      assert.deepEqual([width, height], [images.width, images.height]);
      const middle = (Math.floor(height / 2) * width + Math.floor(width / 2)) * channels;
      for (const [band, raw] of [ground.B04, ground.B03, ground.B02].entries())
        assert.ok(Math.abs(data[middle + band]! - shown(raw)) <= 2, `${moment}, band ${band}`);
      const isOutlined = Array.from({ length: width * height }, (_, i) => i * channels).some((i) =>
        [0, 1, 2].every((band) => data[i + band] === 255),
      );
      assert.ok(isOutlined, `${moment} has an outline`);
    }
  });

  test('a scene without blue says that it has none, and only the owner sees the others', async () => {
    const none = await service.call(`/v1/tiles/scenes/${scenes[1]!.id}?colours=true`, { key });
    assert.equal(none.status, 404);
    assert.match(none.text, /has no picture in true colour: its source had no red, green and blue/);
    const bad = await service.call(`/v1/tiles/scenes/${scenes[0]!.id}?colours=infrared`, { key });
    assert.equal(bad.status, 400);
    await service.cli('accounts', 'create', 'strangers');
    const stranger = await service.cli('keys', 'create', '--account', 'strangers', '--scopes', 'all');
    const refused = await service.call(`/v1/tiles/scenes/${scenes[0]!.id}/0/0/0?colours=true`, {
      key: String(stranger['key']),
    });
    assert.equal(refused.status, 404);
  });

  test('a scene that is removed takes its picture along, and a metric with the pictures those of the others', async () => {
    const named = ['--collection', 'felled', '--account', 'colours'];
    const [first] = scenes as [Scene];
    await service.cli('collections', 'remove-scenes', first.key, ...named);
    const tile = await service.call(`/v1/tiles/scenes/${first.id}/0/0/0?colours=true`, { key });
    assert.equal(tile.status, 404);
    await service.cli('collections', 'check', ...named);
    // The first metric has the pictures of the scenes.
    const [holder] = collections.toSorted((a, b) => (a.id < b.id ? -1 : 1)) as [Collection];
    await service.cli('collections', 'remove', ...named, '--metric', holder.metric);
    const left = (await get<{ collections: Collection[] }>('/v1/collections')).collections;
    const others = left.filter(({ name }) => name === 'felled');
    assert.equal(others.length, collections.length - 1);
    assert.deepEqual(
      others.map(({ true_colour }) => true_colour),
      others.map(() => false),
    );
  });

  test('an ingest without true colour makes none', async () => {
    const into = ['--collection', 'plain', '--account', 'colours'];
    const few = join(folder, 'few');
    await mkdir(few);
    await writeScenes(few, 3);
    await service.cli('ingest', 'scenes', few, ...into, '--metrics', 'ndvi', '--no-true-colour');
    const all = (await get<{ collections: Collection[] }>('/v1/collections')).collections;
    const [plain, ...others] = all.filter(({ name }) => name === 'plain');
    assert.deepEqual(others, []);
    assert.deepEqual([plain!.metric, plain!.true_colour], ['ndvi', false]);
    const { scenes: made } = await get<{ scenes: Scene[] }>(`/v1/collections/${plain!.id}/scenes`);
    assert.equal(made.length, 3);
    assert.ok(made.every(({ true_colour }) => !true_colour));
    await service.cli('collections', 'remove', ...into);
  });
});
