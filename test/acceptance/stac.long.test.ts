// Long file: one account with scenes and changes, which takes seconds to make, serves all tests.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { before, describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { fromArrayBuffer } from 'geotiff';
import { RASTER_UNIT_BYTES } from '../../src/contract/limits.ts';
import type { StacLink } from '../../src/contract/stac/landing.ts';
import { DAY_MS } from '../../src/base/time.ts';
import { gdal, withoutGdal } from '../fixtures/gdal.ts';
import { sharedService, type TestService } from '../fixtures/service.ts';
import {
  makeStacAccount,
  rawAt,
  RUNS,
  SCENE_DAYS,
  type StacAccount,
  UTM_GRID,
} from '../fixtures/stac-account.ts';

const PYTHON = process.env['GROUNDWATCH_TEST_PYTHON'] ?? 'python3';
const CHECKS = fileURLToPath(new URL('stac_checks.py', import.meta.url));
const run = promisify(execFile);
const without = (modules: string) =>
  run(PYTHON, ['-c', `import ${modules}`]).then(
    () => false as const,
    () => `${PYTHON} has no ${modules} (GROUNDWATCH_TEST_PYTHON)`,
  );
const [withoutStac, withoutCogeo] = await Promise.all([
  without('stac_api_validator, pystac_client, pystac'),
  without('rio_cogeo'),
]);
const { width, height } = UTM_GRID;

interface Item {
  readonly id: string;
  readonly properties: Readonly<Record<string, unknown>>;
  readonly assets: Readonly<Record<string, { readonly href: string; readonly type: string }>>;
  readonly links: readonly StacLink[];
}
interface Items {
  readonly features: readonly Item[];
  readonly links: readonly StacLink[];
}

describe('STAC at /stac', () => {
  let service: TestService;
  let account: StacAccount;
  let stranger: StacAccount;
  before(async () => {
    service = await sharedService();
    const backstage = await service.backstage();
    account = await makeStacAccount(service, backstage, 'stac');
    stranger = await makeStacAccount(service, backstage, 'stac-stranger');
  });
  const call = (path: string, headers: Record<string, string> = {}, key = account.key) =>
    service.call(path.replace(service.baseUrl, ''), { key, headers });
  const get = async <T>(path: string): Promise<T> => {
    const answer = await call(path);
    assert.equal(answer.status, 200, answer.text);
    return answer.json() as T;
  };
  const post = (json: object) => service.call('/stac/search', { key: account.key, method: 'POST', json });
  const newestFirst = (): string[] => account.scenes.map(({ id }) => id).toReversed();
  const itemPath = (of = account, scene = SCENE_DAYS.length - 1): string =>
    `/stac/collections/${of.collection.id}/items/${of.scenes[scene]!.id}`;

  test('a slash at the end of an address changes nothing', async () => {
    for (const [path, same] of [
      ['/stac/', '/stac'],
      ['/ogc/', '/ogc'],
      ['/stac/collections/', '/stac/collections'],
      ['/ogc/collections/?f=json', '/ogc/collections?f=json'],
    ] as const)
      assert.deepEqual(await get(path), await get(same), path);
    assert.equal((await call('/v1/aois/')).status, 404);
    assert.equal((await call('/stack/')).status, 404);
  });

  test('from the landing page every link and asset leads somewhere', async () => {
    const seen = new Set<string>();
    const follow = async (links: readonly StacLink[]): Promise<void> => {
      for (const { href, type, method = 'GET' } of links) {
        if (seen.has(href) || method === 'POST') continue;
        seen.add(href);
        const answer = await call(href);
        assert.equal(answer.status, 200, href);
        assert.equal(answer.headers['content-type']?.split(';')[0], type?.split(';')[0], href);
        if (type === 'text/html' || type?.startsWith('image/')) continue;
        const {
          links: more = [],
          collections = [],
          features = [],
        } = answer.json() as {
          links?: StacLink[];
          collections?: { links: StacLink[] }[];
          features?: Item[];
        };
        const assets = features
          .slice(0, 1)
          .flatMap((item) =>
            Object.values(item.assets).map((asset): StacLink => ({ ...asset, rel: 'asset' })),
          );
        await follow([...more, ...[...collections, ...features].flatMap(({ links }) => links), ...assets]);
      }
    };
    await follow((await get<{ links: StacLink[] }>('/stac')).links);
    for (const path of ['/stac/api', itemPath(), `${itemPath()}/values.tif`])
      assert.ok(seen.has(service.baseUrl + path), path);
  });

  test('pages follow each other by their links, by GET and by POST', async () => {
    for (const limit of [1, 2, 5, 10_000]) {
      const found: string[] = [];
      let next: string | undefined = `/stac/search?collections=${account.collection.id}&limit=${limit}`;
      while (next !== undefined) {
        const page: Items = await get<Items>(next);
        assert.ok(page.features.length > 0 && page.features.length <= limit);
        found.push(...page.features.map(({ id }) => id));
        next = page.links.find(({ rel }) => rel === 'next')?.href;
      }
      assert.deepEqual(found, newestFirst(), `limit ${limit}`);
    }
    const found: string[] = [];
    let body: object | undefined = { collections: [account.collection.id], limit: 2 };
    while (body !== undefined) {
      const answer = await post(body);
      assert.equal(answer.status, 200, answer.text);
      const page = answer.json() as unknown as Items;
      found.push(...page.features.map(({ id }) => id));
      const link = page.links.find(({ rel }) => rel === 'next');
      assert.ok(link === undefined || (link.method === 'POST' && link.merge));
      body = link && { ...body, ...link.body };
    }
    assert.deepEqual(found, newestFirst());
  });

  test('each filter selects its scenes', async () => {
    const all = newestFirst();
    // Other tests leave scenes that every account can read.
    const known = new Set([...account.scenes, ...stranger.scenes].map(({ id }) => id));
    const idsOf = ({ features }: Items): readonly string[] =>
      features.map(({ id }) => id).filter((id) => known.has(id));
    const point = (lng: number, lat: number) => ({ type: 'Point', coordinates: [lng, lat] });
    for (const [given, expected] of [
      [{}, all],
      [{ datetime: '2026-06-01T00:00:00Z/2026-08-01T10:00:00Z' }, all.slice(1, 4)],
      [{ datetime: '2026-08-01T10:00:00Z' }, all.slice(1, 2)],
      [{ datetime: '../2026-06-30T00:00:00+02:00' }, all.slice(3)],
      [{ ids: [all[2], all[0], stranger.scenes[0]!.id, 'x'] }, [all[0], all[2]]],
      [{ collections: [] }, []],
      [{ collections: [stranger.collection.id] }, []],
      [{ bbox: [14.5, 46.01, 14.51, 46.02] }, all],
      [{ bbox: [14.5, 46.01, -100, 14.51, 46.02, 100] }, all],
      // It meets the box around the grid, and no pixel of the grid: its west edge leans.
      [{ bbox: [14.48285, 46.0047, 14.4829, 46.0048] }, []],
      [{ bbox: [20, 20, 21, 21] }, []],
      [{ intersects: point(14.5, 46.02) }, all],
      [{ intersects: point(14.4829, 46.0048) }, []],
      [
        {
          intersects: {
            type: 'LineString',
            coordinates: [
              [14, 46.02],
              [15, 46.03],
            ],
          },
        },
        all,
      ],
    ] as const) {
      const filter = { ...given, limit: 10_000 };
      const answer = await post(filter);
      assert.equal(answer.status, 200, `${JSON.stringify(filter)}: ${answer.text}`);
      assert.deepEqual(idsOf(answer.json() as unknown as Items), expected, JSON.stringify(filter));
      const query = Object.entries(filter).flatMap(([name, value]): [string, string][] =>
        Array.isArray(value) && value.length === 0
          ? []
          : [
              [
                name,
                Array.isArray(value)
                  ? value.join(',')
                  : typeof value === 'string'
                    ? value
                    : JSON.stringify(value),
              ],
            ],
      );
      if (query.length < Object.keys(filter).length) continue;
      const byGet = await get<Items>(`/stac/search?${new URLSearchParams(query).toString()}`);
      assert.deepEqual(idsOf(byGet), expected, `GET ${JSON.stringify(filter)}`);
    }
  });

  test('what is wrong in a search is named', async () => {
    for (const [body, param] of [
      [{ bbox: [1, 2, 3] }, 'bbox'],
      [{ bbox: [1, 2, 3, 4, 5] }, 'bbox'],
      [{ bbox: [0, 5, 1, 4] }, 'bbox'],
      [{ bbox: [0, 0, 1, 1], intersects: { type: 'Point', coordinates: [0, 0] } }, 'intersects'],
      [{ intersects: { type: 'Point', coordinates: [0, 95] } }, 'intersects.coordinates'],
      [{ datetime: '2026-01-01' }, 'datetime'],
      [{ datetime: '2026-01-01T00:00:00' }, 'datetime'],
      [{ datetime: '../..' }, 'datetime'],
      [{ limit: 0 }, 'limit'],
      [{ ids: 'a' }, 'ids'],
      [{ cursor: 'x' }, 'cursor'],
      [{ query: {} }, 'query'],
    ] as const) {
      const answer = await post(body);
      assert.equal(answer.status, 400, JSON.stringify(body));
      assert.equal((answer.json()['error'] as { param?: string }).param, param, answer.text);
    }
    assert.equal((await call('/stac/search?intersects=%7B')).status, 400);
  });

  test('nothing of another account can be read', async () => {
    const { collections } = await get<{ collections: { id: string }[] }>('/stac/collections');
    assert.ok(!collections.some(({ id }) => id === stranger.collection.id));
    for (const path of [
      `/stac/collections/${stranger.collection.id}`,
      `/stac/collections/${stranger.collection.id}/items`,
      itemPath(stranger),
      `${itemPath(stranger)}/values.tif`,
      `${itemPath(stranger)}/changes/confidence.tif`,
      // A scene of ours in a collection that is not its own.
      `/stac/collections/${stranger.collection.id}/items/${account.scenes[0]!.id}`,
    ])
      assert.equal((await call(path)).status, 404, path);
    assert.equal((await call(itemPath(), {}, stranger.key)).status, 404);
  });

  const samplesOf = async (path: string, level = 0): Promise<ArrayLike<number>> => {
    const { bytes, status, text } = await call(path);
    assert.equal(status, 200, text);
    const tiff = await fromArrayBuffer(new Uint8Array(bytes).buffer);
    return (await (await tiff.getImage(level)).readRasters())[0] as Int16Array;
  };

  test('the samples of a scene are those of the cube, in its overviews too', async () => {
    for (const level of [0, 1, 2]) {
      const samples = await samplesOf(`${itemPath()}/values.tif`, level);
      const [step, across] = [2 ** level, Math.ceil(width / 2 ** level)];
      assert.equal(samples.length, across * Math.ceil(height / step));
      for (let i = 0; i < samples.length; i++) {
        const pixel = Math.floor(i / across) * step * width + (i % across) * step;
        if (samples[i] !== rawAt(pixel, SCENE_DAYS.length - 1)) assert.fail(`level ${level}, sample ${i}`);
      }
    }
  });

  test('the changes are those of the day of the scene', async () => {
    const [first, second] = RUNS.map((runs) =>
      Array.from({ length: runs.length / 2 }, (_, i) => [runs[2 * i]!, runs[2 * i + 1]!] as const).flatMap(
        ([start, length]) => Array.from({ length }, (_, k) => start + k),
      ),
    );
    const expected = new Map<number, ReadonlyMap<number, number>>();
    const [none, one, two]: readonly (readonly [number, number])[][] = [
      [],
      first!.map((pixel) => [pixel, 0.75]),
      second!.map((pixel) => [pixel, 0.5]),
    ];
    // The first was confirmed on 20 May and recovered on 20 August; the second was confirmed on 15 July.
    for (const [scene, painted] of [
      [0, none!],
      [1, one!],
      [3, [...one!, ...two!]],
      [4, two!],
    ] as const)
      expected.set(scene, new Map(painted));
    for (const [scene, painted] of expected) {
      const samples = await samplesOf(`${itemPath(account, scene)}/changes/confidence.tif`);
      for (let i = 0; i < samples.length; i++)
        if (!Object.is(samples[i], painted.get(i) ?? NaN))
          assert.fail(`scene ${scene}, pixel ${i}: ${samples[i]}`);
    }
    const days = await samplesOf(`${itemPath(account, 3)}/changes/first-anomaly.tif`);
    assert.equal(days[RUNS[0][0]], Date.parse('2026-04-20') / DAY_MS);
    assert.equal(days[RUNS[1][0]], Date.parse('2026-06-10') / DAY_MS);
    assert.equal(days[0], -1);
    const magnitudes = await samplesOf(`${itemPath(account, 1)}/changes/magnitude.tif`);
    assert.equal(magnitudes[RUNS[0][0]], -0.25);
    for (const name of ['type.tif', 'confidence', 'confidence.png'])
      assert.equal((await call(`${itemPath()}/changes/${name}`)).status, 404, name);
  });

  test('a part of a file can be asked for, and costs what it is', async () => {
    const path = `${itemPath()}/values.tif`;
    const whole = await call(path);
    const size = whole.bytes.length;
    assert.equal(whole.headers['accept-ranges'], 'bytes');
    const { etag } = whole.headers;
    assert.match(etag!, /^"[\w-]+"$/);
    const head = await service.call(path, { key: account.key, method: 'HEAD' });
    assert.deepEqual([head.status, head.headers['content-length']], [200, String(size)]);
    for (const [range, from, to] of [
      ['bytes=0-99', 0, 100],
      [`bytes=${size - 10}-`, size - 10, size],
      ['bytes=-1', size - 1, size],
      ['bytes=1000-300000', 1000, 300_001],
    ] as const) {
      const part = await call(path, { range });
      assert.equal(part.status, 206, range);
      assert.equal(part.headers['content-range'], `bytes ${from}-${to - 1}/${size}`);
      assert.ok(part.bytes.equals(whole.bytes.subarray(from, to)), range);
    }
    const beyond = await call(path, { range: `bytes=${size}-` });
    assert.equal(beyond.status, 400);
    assert.equal((beyond.json()['error'] as { param: string }).param, 'Range');
    assert.equal(beyond.headers['content-range'], `bytes */${size}`);
    assert.equal((await call(path, { 'if-none-match': etag! })).status, 304);
    assert.equal((await call(path, { range: 'bytes=0-9', 'if-range': etag! })).status, 206);
    assert.equal((await call(path, { range: 'bytes=0-9', 'if-range': '"other"' })).status, 200);
    const made = await service.cli('keys', 'create', '--account', 'stac', '--scopes', 'all', '--limit', '60');
    const answer = await call(path, {}, String(made['key']));
    assert.equal(Number(answer.headers['x-ratelimit-remaining']), 59 - Math.floor(size / RASTER_UNIT_BYTES));
  });

  test('GDAL reads the files without downloading them', { skip: withoutGdal }, async () => {
    for (const [file, type, least] of [
      ['values.tif', 'Int16', -10_000],
      ['changes/first-anomaly.tif', 'Int32', 20_614],
      ['changes/confidence.tif', 'Float32', 0.5],
      ['changes/magnitude.tif', 'Float32', 0.5],
    ] as const) {
      const address = `/vsicurl/${service.baseUrl}${itemPath()}/${file}`;
      const { stdout, stderr } = await gdal('gdalinfo', ['-json', '-stats', address], {
        service,
        key: account.key,
      });
      assert.equal(stderr, '', file);
      const told = JSON.parse(stdout) as {
        size: number[];
        geoTransform: number[];
        bands: { type: string; minimum: number; overviews: { size: number[] }[]; block: number[] }[];
      };
      assert.deepEqual(told.size, [width, height]);
      assert.deepEqual(told.geoTransform, UTM_GRID.transform);
      const [band] = told.bands;
      assert.deepEqual([band!.type, band!.minimum, band!.block], [type, least, [256, 256]]);
      assert.deepEqual(
        band!.overviews.map(({ size }) => size),
        [
          [350, 265],
          [175, 133],
        ],
      );
    }
  });

  test('rio-cogeo finds nothing in the files', { skip: withoutCogeo }, async (t) => {
    const folder = await mkdtemp(join(tmpdir(), 'groundwatch-cog-'));
    t.after(() => rm(folder, { recursive: true }));
    for (const name of ['values.tif', 'changes/first-anomaly.tif', 'changes/confidence.tif']) {
      const file = join(folder, 'file.tif');
      await writeFile(file, (await call(`${itemPath()}/${name}`)).bytes);
      const script = `
import sys, json
from rio_cogeo.cogeo import cog_validate
print(json.dumps(cog_validate(sys.argv[1], strict=True, quiet=True)))`;
      assert.deepEqual(JSON.parse((await run(PYTHON, ['-c', script, file])).stdout), [true, [], []], name);
    }
  });

  test('pystac-client and the public validators find nothing', { skip: withoutStac }, async () => {
    const authority = join(service.dataFolder, 'tls', 'ca.pem');
    const args = [CHECKS, `${service.baseUrl}/stac`, account.key, authority, account.collection.id];
    const { stdout } = await run(PYTHON, args, { maxBuffer: 2 ** 24 });
    const found = JSON.parse(stdout.trim().split('\n').at(-1)!) as Record<string, string[]>;
    assert.deepEqual(found['errors'], []);
    assert.deepEqual(found['warnings'], [
      // Said of a box that the validator itself has chosen.
      '[Item Search] GET Search within bbox=20,20,21,21 to validate ids does not override all other parameters returned 0 results',
    ]);
    assert.deepEqual(found['others'], []);
    assert.deepEqual(found['items'], newestFirst());
    assert.deepEqual(found['june'], [account.scenes[1]!.id]);
  });
});
