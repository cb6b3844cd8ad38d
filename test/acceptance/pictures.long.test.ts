// Long file: one suite uses one service with a real stack.
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { after, before, describe, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { decode, type DecodedPng } from 'fast-png';
import { fromFile } from 'geotiff';
import proj4 from 'proj4';
import type { SceneTiles } from '../../src/contract/pictures/tiles.ts';
import * as sample from '../../src/contract/example-resources.ts';
import type { Change, ChangeImages, Collection, Scene } from '../../src/client/index.ts';
import { type MailServer, startMailServer } from '../fixtures/mail-server.ts';
import { startService, type TestService } from '../fixtures/service.ts';

const STACK = new URL('../../../shared/data/slovenia-sentinel2-ndvi/', import.meta.url);
const skip = existsSync(STACK) ? false : 'the measured data of slovenia-sentinel2-ndvi are not here';

/** Columns of the stack. */
const WIDTH = 76;

describe('a change of a real stack has pictures before and after it', { skip }, () => {
  let service: TestService;
  let mails: MailServer;
  let key: string;
  let change: Change;
  const get = async <T>(path: string): Promise<T> => {
    const answer = await service.call(path, { key });
    assert.equal(answer.status, 200, answer.text);
    return answer.json() as T;
  };
  const file = (name: string) => new URL(name, STACK).pathname;
  before(async () => {
    mails = await startMailServer();
    service = await startService({
      GROUNDWATCH_SMTP_URL: mails.url,
      GROUNDWATCH_SMTP_FROM: 'Groundwatch <alerts@example.com>',
    });
    await service.cli('accounts', 'create', 'pictures');
    key = String(
      (await service.cli('keys', 'create', '--account', 'pictures', '--scopes', 'all', '--limit', '0'))[
        'key'
      ],
    );
    const [west, south, east, north] = [14.5, 45.8, 14.7, 45.95];
    const ring = [
      [west, south],
      [east, south],
      [east, north],
      [west, north],
      [west, south],
    ];
    const aoi = await service.call('/v1/aois', {
      key,
      method: 'POST',
      json: { name: 'Ljubljana moor', geometry: { type: 'Polygon', coordinates: [ring] } },
    });
    const stack = [
      '--values',
      file('ndvi.tif'),
      '--dates',
      file('dates.csv'),
      '--mask',
      file('cloud_mask.tif'),
    ];
    const of = ['--collection', 'moor', '--metric', 'ndvi', '--scale', '0.0001'];
    await service.cli('ingest', 'stack', ...of, ...stack);
    const { changes } = await get<{ changes: { id: string }[] }>(
      `/v1/changes?aoi_id=${String(aoi.json()['id'])}`,
    );
    assert.equal(changes.length, 1);
    change = await get(`/v1/changes/${changes[0]!.id}`);
  });
  after(async () => {
    await service?.stop();
    await mails?.[Symbol.asyncDispose]();
  });

  const picture = async (url: string): Promise<DecodedPng> => {
    const answer = await service.call(url, { key });
    assert.equal(answer.status, 200, answer.text);
    assert.equal(answer.headers['content-type'], 'image/png');
    assert.equal(answer.headers['cache-control'], 'private');
    return decode(answer.bytes);
  };

  test('a mail about it says what happened and shows both pictures', async () => {
    const email = 'ada@example.com';
    const made = await service.call('/v1/webhooks', {
      key,
      method: 'POST',
      json: { email, events: ['change.detected'] },
    });
    assert.equal(made.status, 201, made.text);
    const { mail: asked } = await mails.next(0);
    const [, link] = /https:\/\/[^/]+(\/mail\/confirm\/[\w-]+)/.exec(asked.text)!;
    assert.equal((await service.call(link!, { method: 'POST' })).status, 200);
    const { storage } = await service.backstage();
    const account = await storage.accounts.byName('pictures');
    const owner = { accountId: account!.id, environment: 'production' } as const;
    const {
      provenance: _,
      versions: _versions,
      ...data
    } = change as Change & { readonly versions?: unknown };
    await storage.events.emit(owner, 'change.detected', data, String(made.json()['id']));
    const { mail } = await mails.next(1);
    assert.match(
      mail.headers.get('subject')!,
      /^Change confirmed: Loss of vegetation on .* at Ljubljana moor$/,
    );
    assert.ok(mail.html.includes(`/#/changes/${change.id}"`));
    for (const moment of ['before', 'after']) {
      const part = mail.parts.find(({ headers }) => headers.get('content-id') === `<${moment}@groundwatch>`);
      const { bytes } = await service.call(`/v1/changes/${change.id}/images/${moment}`, { key });
      assert.deepEqual(part!.bytes, bytes, moment);
      assert.ok(mail.html.includes(`src="cid:${moment}@groundwatch"`));
      assert.match(mail.text, new RegExp(`Picture: the ground ${moment} the change`));
    }
    assert.equal(
      (await service.call(`/v1/webhooks/${String(made.json()['id'])}`, { key, method: 'DELETE' })).status,
      204,
    );
  });

  test('a mail about weather shows the ground of its area, and a plain map where no scene shows it', async () => {
    const email = 'grace@example.com';
    const from = mails.taken.length;
    const json = { email, events: ['incident.opened'] };
    const made = await service.call('/v1/webhooks', { key, method: 'POST', json });
    const { mail: asked } = await mails.next(from);
    const [, link] = /https:\/\/[^/]+(\/mail\/confirm\/[\w-]+)/.exec(asked.text)!;
    assert.equal((await service.call(link!, { method: 'POST' })).status, 200);
    const ring = [10, 11].flatMap((lng) => (lng === 10 ? [0, 1] : [1, 0]).map((lat) => [lng, lat]));
    const sea = await service.call('/v1/aois', {
      key,
      method: 'POST',
      json: { name: 'Gulf', geometry: { type: 'Polygon', coordinates: [[...ring, ring[0]]] } },
    });
    const { aois } = await get<{ aois: { id: string; name: string }[] }>('/v1/aois');
    const moor = aois.find(({ name }) => name === 'Ljubljana moor')!.id;
    const { storage } = await service.backstage();
    const account = await storage.accounts.byName('pictures');
    const owner = { accountId: account!.id, environment: 'production' } as const;
    const mailAbout = async (area: string) => {
      const at = mails.taken.length;
      const data = { ...sample.incidentData, images_url: null, aoi_ids: [area], area_count: 1 };
      await storage.events.emit(owner, 'incident.opened', data, String(made.json()['id']));
      return (await mails.next(at)).mail;
    };
    for (const [area, cid, alt] of [
      [moor, 'area', 'the ground of Ljubljana moor, with its outline'],
      [String(sea.json()['id']), 'map', 'a map of Gulf'],
    ] as const) {
      const mail = await mailAbout(area);
      const part = mail.parts.find(({ headers }) => headers.get('content-id') === `<${cid}@groundwatch>`);
      const { width, height } = decode(part!.bytes);
      assert.ok(width >= 256 && height >= 256, `${width} x ${height}`);
      assert.ok(mail.html.includes(`src="cid:${cid}@groundwatch"`));
      assert.ok(mail.text.includes(`[Picture: ${alt}]`), mail.text);
    }
    assert.equal(
      (await service.call(`/v1/aois/${String(sea.json()['id'])}`, { key, method: 'DELETE' })).status,
      204,
    );
  });

  test('the collection and its scenes are listed, newest first', async () => {
    const { collections } = await get<{ collections: Collection[] }>('/v1/collections');
    const [{ id, name, metric, width, height, first_at, last_at }] = collections as [Collection];
    assert.deepEqual(
      { name, metric, width, height },
      { name: 'moor', metric: 'ndvi', width: 76, height: 101 },
    );
    const scenes: Scene[] = [];
    let next = `/v1/collections/${id}/scenes?limit=30`;
    for (let pages = 1; ; pages++) {
      const page = await get<{ scenes: Scene[]; next_cursor?: string }>(next);
      scenes.push(...page.scenes);
      if (page.next_cursor === undefined) {
        assert.equal(pages, 3);
        break;
      }
      next = `/v1/collections/${id}/scenes?limit=30&cursor=${page.next_cursor}`;
    }
    assert.equal(scenes.length, 68);
    assert.deepEqual([scenes[0]!.datetime, scenes.at(-1)!.datetime], [last_at, first_at]);
    const times = scenes.map(({ datetime }) => datetime);
    assert.deepEqual(times, times.toSorted().toReversed());
    assert.equal(new Set(scenes.map((scene) => scene.id)).size, 68);
  });

  test('the scenes are clear, one before the first anomaly and one since the confirmation', async () => {
    const images = await get<ChangeImages>(`/v1/changes/${change.id}/images`);
    assert.equal(images.collection.name, 'moor');
    interface Told {
      readonly events: readonly { readonly data: { readonly id: string; readonly images_url: string } }[];
    }
    const toldOf = async () =>
      (await get<Told>('/v1/events?type=change.detected')).events.find(({ data }) => data.id === change.id);
    // The event was written by the process of the command, and is numbered for the list a moment later.
    let told = await toldOf();
    for (let i = 0; told === undefined && i < 2_400; i++) {
      await delay(100);
      told = await toldOf();
    }
    assert.ok(told, 'the event of the change is listed');
    assert.deepEqual(await get<ChangeImages>(told.data.images_url), images);
    const { before, after } = images;
    assert.ok(before!.scene.datetime < change.first_anomaly_at);
    assert.ok(after!.scene.datetime >= change.confirmed_at!);
    assert.ok(before!.clear_fraction >= 0.95 && after!.clear_fraction >= 0.95);
    const keys = new Set(change.provenance.scenes.map(({ id }) => id));
    assert.ok(keys.has(before!.scene.id) && keys.has(after!.scene.id));
    // The evidence is of the pixel at the seed: its record has the values of the evidence.
    const { lat, lng } = images.seed;
    const { series } = await get<{ readonly series: readonly { readonly t: string; readonly v: number }[] }>(
      `/v1/historical?lat=${lat}&lng=${lng}&metric=${images.metric}`,
    );
    const steps = change.provenance.evidence as unknown as readonly {
      readonly t: string;
      readonly value: number;
    }[];
    assert.ok(steps.length > 0);
    for (const { t, value } of steps)
      assert.ok(
        series.some((one) => one.t === t.slice(0, 10) && Math.abs(one.v - value) < 1e-3),
        t,
      );
    // Pixels of Sentinel-2 are 10 m wide.
    assert.ok(Math.abs(images.pixel_m - 10) < 0.1, `${images.pixel_m} m`);
    assert.ok(Math.abs(images.width_m - 320) < 3, `${images.width_m} m`);
  });

  test('a picture has the colours of the values in the file, and the outline around the pixels of the change', async () => {
    const images = await get<ChangeImages>(`/v1/changes/${change.id}/images`);
    const { legend, after } = images;
    const { width, height, data, palette } = await picture(after!.url);
    assert.deepEqual([width, height], [images.width, images.height]);
    const raw = await bandOf(after!.scene.href);
    const inside = new Set<number>();
    const { runs } = change.provenance.pixels;
    for (let i = 0; i < runs.length; i += 2) for (let k = 0; k < runs[i + 1]!; k++) inside.add(runs[i]! + k);
    const block = width / 32;
    // The window is found by its outline: dark, white, white and dark pixels follow each other on the edge of a block.
    const outlined = (column: number, row: number): boolean => {
      const [x, y] = [column * block + block / 2, row * block];
      return isWhite(palette![data[y * width + x]!]!);
    };
    const tops = [...inside].filter((pixel) => !inside.has(pixel - WIDTH));
    const starts = Array.from({ length: 101 - 32 + 1 }, (_, row) =>
      Array.from({ length: WIDTH - 32 + 1 }, (_, col) => ({ row, col })),
    ).flat();
    const windows = starts.filter(({ row, col }) =>
      tops.every((pixel) => {
        const [c, r] = [(pixel % WIDTH) - col, Math.floor(pixel / WIDTH) - row];
        return c >= 0 && c < 32 && r >= 0 && r < 32 && outlined(c, r);
      }),
    );
    assert.equal(windows.length, 1, 'the outline of the change is in one place of the picture');
    const [{ row, col }] = windows as [(typeof windows)[0]];
    let compared = 0;
    for (let r = 0; r < 32; r++)
      for (let c = 0; c < 32; c++) {
        const pixel = (row + r) * WIDTH + col + c;
        if (inside.has(pixel)) continue;
        const drawn = palette![data[(r * block + block / 2) * width + c * block + block / 2]!]!;
        assertColour(legend, raw[pixel]! * 0.0001, drawn, `row ${r}, column ${c}`);
        compared++;
      }
    assert.ok(compared > 900);
  });

  test('tiles of a scene show its values at their place, and nothing beside it', async () => {
    const images = await get<ChangeImages>(`/v1/changes/${change.id}/images`);
    const { scenes } = await get<{ scenes: Scene[] }>(`/v1/collections/${images.collection.id}/scenes`);
    const scene = scenes.find((one) => one.key === images.after!.scene.id)!;
    const { tiles, legend, minzoom, maxzoom, bounds } = await get<SceneTiles>(`/v1/tiles/scenes/${scene.id}`);
    assert.deepEqual(tiles, [`${service.baseUrl}/v1/tiles/scenes/${scene.id}/{z}/{x}/{y}`]);
    assert.deepEqual([minzoom, maxzoom], [0, 14]);
    const raw = await bandOf(scene.href);
    const tiff = await fromFile(file('ndvi.tif'));
    const [x0, y0] = (await tiff.getImage()).getOrigin() as [number, number];
    let compared = 0;
    for (const z of [15, 17]) {
      const [west, , , north] = bounds as [number, number, number, number];
      // The tile in which the north-west corner of the scene lies: both the scene and what is beside it.
      const [x, y] = mercatorTile(west + 0.0005, north - 0.0005, z);
      const { width, height, data, palette } = await picture(`/v1/tiles/scenes/${scene.id}/${z}/${x}/${y}`);
      assert.deepEqual([width, height], [256, 256]);
      for (let py = 3; py < 256; py += 11)
        for (let px = 3; px < 256; px += 11) {
          const [lng, lat] = mercatorPlace(x + (px + 0.5) / 256, y + (py + 0.5) / 256, z);
          const [east, up] = proj4('WGS84', UTM33, [lng, lat]) as [number, number];
          const [col, row] = [(east - x0) / 10, (y0 - up) / 10];
          // Places near the edge of a pixel may fall to either side of it.
          if ([col, row].some((at) => Math.abs(at - Math.round(at)) < 0.02)) continue;
          const drawn = palette![data[py * 256 + px]!]!;
          const where = `${z}/${x}/${y}, pixel ${px}, ${py}`;
          if (col < 0 || row < 0 || col >= WIDTH || row >= 101) assert.equal(drawn[3], 0, where);
          else {
            const value = raw[Math.floor(row) * WIDTH + Math.floor(col)]! * 0.0001;
            if (drawn[3] !== 0) assertColour(legend!, value, drawn, where);
            compared += Number(drawn[3] !== 0);
          }
        }
    }
    assert.ok(compared > 300, `${compared} pixels show the scene`);
    const elsewhere = await picture(`/v1/tiles/scenes/${scene.id}/10/0/0`);
    assert.ok(elsewhere.data.every((index) => elsewhere.palette![index]![3] === 0));
    const whole = await picture(`/v1/tiles/scenes/${scene.id}/0/0/0`);
    assert.deepEqual([whole.width, whole.height], [256, 256]);
    const webp = await get<SceneTiles>(`/v1/tiles/scenes/${scene.id}?f=webp`);
    assert.deepEqual(webp.tiles, [`${tiles[0]}?f=webp`]);
    for (const colours of ['', '&colours=metric']) {
      const answer = await service.call(`/v1/tiles/scenes/${scene.id}/0/0/0?f=webp${colours}`, { key });
      assert.equal(answer.headers['content-type'], 'image/webp');
      assert.equal(answer.bytes.subarray(8, 12).toString('latin1'), 'WEBP');
    }
    for (const [path, param] of [
      ['0/0/0?f=jpeg', 'f'],
      ['23/0/0', 'z'],
      ['3/a/0', 'x'],
      ['3/0/a', 'y'],
    ] as const) {
      const refused = await service.call(`/v1/tiles/scenes/${scene.id}/${path}`, { key });
      assert.equal(refused.status, 400);
      assert.equal((refused.json()['error'] as { param?: string }).param, param);
    }
    assert.equal((await service.call(`/v1/tiles/scenes/${scene.id}/3/8/0`, { key })).status, 404);
  });

  test('a picture that is held is not sent again, and that of another account is not found', async () => {
    const url = `/v1/changes/${change.id}/images/before`;
    const { headers } = await service.call(url, { key });
    const again = await service.call(url, { key, headers: { 'if-none-match': headers['etag']! } });
    assert.deepEqual([again.status, again.bytes.length], [304, 0]);
    const unknown = await service.call(`/v1/changes/${change.id}/images/later`, { key });
    assert.equal(unknown.status, 404);
    assert.match(unknown.text, /expected before or after/);
    await service.cli('accounts', 'create', 'others');
    const other = await service.cli('keys', 'create', '--account', 'others', '--scopes', 'all');
    assert.equal((await service.call(url, { key: String(other['key']) })).status, 404);
  });
});

const UTM33 = '+proj=utm +zone=33 +datum=WGS84 +units=m';

/** Samples of the scene of a stack that is read from `href`. */
async function bandOf(href: string): Promise<Int16Array> {
  const band = Number(/#band=(\d+)/.exec(href)![1]);
  const tiff = await fromFile(new URL('ndvi.tif', STACK).pathname);
  const [raw] = await (await tiff.getImage()).readRasters({ samples: [band - 1] });
  return raw as unknown as Int16Array;
}

/** Asserts that a colour is that of a value in a legend, within what 240 steps differ by. */
function assertColour(
  { min, max, colours }: ChangeImages['legend'],
  value: number,
  drawn: readonly number[],
  where: string,
): void {
  const at = Math.min(1, Math.max(0, (value - min) / (max - min))) * (colours.length - 1);
  const low = Math.min(colours.length - 2, Math.floor(at));
  for (let part = 0; part < 3; part++) {
    const [from, to] = [low, low + 1].map((i) =>
      parseInt(colours[i]!.slice(1 + 2 * part, 3 + 2 * part), 16),
    ) as [number, number];
    const expected = from + (to - from) * (at - low);
    assert.ok(Math.abs(drawn[part]! - expected) <= 3, `${where}: ${value} is drawn as ${drawn.join(' ')}`);
  }
}

function mercatorTile(lng: number, lat: number, z: number): [number, number] {
  const [x, y] = proj4('WGS84', 'EPSG:3857', [lng, lat]) as [number, number];
  const half = Math.PI * 6_378_137;
  return [Math.floor(((x + half) / (2 * half)) * 2 ** z), Math.floor(((half - y) / (2 * half)) * 2 ** z)];
}

/** Longitude and latitude of a place in columns and rows of tiles. */
function mercatorPlace(column: number, row: number, z: number): [number, number] {
  const half = Math.PI * 6_378_137;
  const side = (2 * half) / 2 ** z;
  return proj4('EPSG:3857', 'WGS84', [-half + column * side, half - row * side]) as [number, number];
}

const isWhite = (colour: readonly number[]): boolean => colour.slice(0, 3).every((part) => part === 255);
