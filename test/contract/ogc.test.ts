// Long file: one account with areas, changes, an anomaly and series serves all tests.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { createApiKey } from '../../src/app/access/manage-keys.ts';
import type { Aoi } from '../../src/app/areas/aoi-store.ts';
import type { Owner } from '../../src/app/owner.ts';
import { newApiKey } from '../../src/auth/api-key.ts';
import { newId } from '../../src/base/ids.ts';
import type { OgcCollection } from '../../src/contract/ogc/landing.ts';
import type { OgcLink } from '../../src/contract/ogc/links.ts';
import type { OgcSeries } from '../../src/contract/ogc/position.ts';
import { SCOPES, type Scope } from '../../src/contract/scopes.ts';
import type { AreaGeometry } from '../../src/geo/polygon.ts';
import { anomalyRecord, changeRecord, collectionRecord, putAoi, square } from '../fixtures/records.ts';
import type { CallAnswer } from '../fixtures/http-caller.ts';
import { assertNoServerError, contractWorld, type World } from './world.ts';

interface Page {
  readonly features: readonly {
    readonly id: string;
    readonly geometry: AreaGeometry;
    readonly properties: Readonly<Record<string, unknown>>;
  }[];
  readonly numberReturned: number;
  readonly links: readonly OgcLink[];
}

const ACCOUNT = 'ogc';
const DAYS = ['2026-01-01', '2026-01-02', '2026-01-02', '2026-01-03', '2026-01-04', '2026-01-05'];
/** A triangle whose box has an empty half. */
const triangle: AreaGeometry = {
  type: 'Polygon',
  coordinates: [
    [
      [30, 0],
      [31, 0],
      [30, 1],
      [30, 0],
    ],
  ],
};

describe('OGC API - Features at /ogc', () => {
  let world: World;
  let owner: Owner;
  let key: string;
  let areas: readonly [Aoi, Aoi, Aoi];
  const changes: string[] = [];
  const newKey = async (scopes: readonly Scope[]): Promise<string> => {
    const { storage } = world.backstage;
    const deps = { clock: { now: () => Date.now() }, storage, newApiKey };
    const asked = { accountName: ACCOUNT, environment: owner.environment, lifetimeMs: null, rateLimit: 0 };
    return (await createApiKey(deps, { ...asked, scopes })).text;
  };
  before(async () => {
    world = await contractWorld();
    const { storage } = world.backstage;
    const { id } = await storage.accounts.create(ACCOUNT);
    owner = { accountId: id, environment: 'production' };
    key = await newKey(SCOPES);
    areas = [
      await putAoi(storage, owner, square(14, 46)),
      await putAoi(storage, owner, triangle),
      await putAoi(storage, owner, {
        type: 'MultiPolygon',
        coordinates: [square(179, 0, 1).coordinates, square(-180, 0, 1).coordinates] as never,
      }),
    ];
    const collection = collectionRecord({ accountId: owner.accountId });
    await storage.collections.create(collection);
    for (const [i, detectedAt] of DAYS.entries()) {
      const change = changeRecord(collection.id, {
        detectedAt,
        geometry: i === 0 ? triangle : square(14 + i / 100, 46, 0.005),
      });
      await storage.changes.insert(change);
      // Some are shown by two areas.
      await storage.changes.link(change, i % 2 === 0 ? [areas[0], areas[1]] : [areas[0]]);
      changes.unshift(change.id);
    }
    const hidden = changeRecord(collection.id, { status: 'suspected', confirmedAt: null });
    await storage.changes.insert(hidden);
    await storage.changes.link(hidden, [areas[0]]);
    await storage.subscriptions.create({
      ...owner,
      id: newId('subscription'),
      aoiId: areas[1].id,
      perils: ['wildfire'],
      status: 'active',
    });
    await storage.anomalies.put([anomalyRecord(areas[1], collection.id)]);
  });
  after(() => assertNoServerError(world));

  const call = (path: string, by = key): Promise<CallAnswer> => world.service.call(path, { key: by });
  const get = async <T>(path: string, by = key): Promise<T> => {
    const answer = await call(path, by);
    assert.equal(answer.status, 200, answer.text);
    return answer.json() as T;
  };
  const items = async (path: string, by = key): Promise<Page> => get<Page>(`/ogc/collections/${path}`, by);
  const ids = async (path: string): Promise<readonly string[]> =>
    (await items(path)).features.map(({ id }) => id);
  const pathOf = (href: string): string => {
    assert.ok(href.startsWith(`${world.service.baseUrl}/`), href);
    return href.slice(world.service.baseUrl.length);
  };

  test('from the landing page every link leads somewhere, and the media type is the one it names', async () => {
    const seen = new Set<string>();
    const follow = async (links: readonly OgcLink[]): Promise<void> => {
      for (const { href, type } of links) {
        if (seen.has(href)) continue;
        seen.add(href);
        const answer = await call(pathOf(href));
        assert.equal(answer.status, 200, href);
        assert.equal(answer.headers['content-type']?.split(';')[0], type?.split(';')[0], href);
        if (type === 'text/html') continue;
        const { links: more = [], collections = [] } = answer.json() as {
          links?: OgcLink[];
          collections?: { links: OgcLink[] }[];
        };
        await follow([...more, ...collections.flatMap((collection) => collection.links)]);
      }
    };
    await follow((await get<{ links: OgcLink[] }>('/ogc')).links);
    for (const path of ['api', 'conformance', 'collections/changes/items'])
      assert.ok(seen.has(`${world.service.baseUrl}/ogc/${path}`), path);
  });

  test('the API document is valid OpenAPI 3.0, and names every path below its server', async () => {
    const answer = await call('/ogc/api');
    assert.equal(answer.headers['content-type'], 'application/vnd.oai.openapi+json;version=3.0');
    const document = answer.json() as { paths: object; servers: readonly { url: string }[] };
    const { Validator } = await import('@seriousme/openapi-schema-validator');
    const judge = new Validator();
    const verdict = await judge.validate(document);
    assert.ok(verdict.valid, JSON.stringify(verdict));
    assert.equal(judge.version, '3.0');
    assert.deepEqual(document.servers, [{ url: `${world.service.baseUrl}/ogc` }]);
    assert.ok('/' in document.paths && '/collections/changes/items/{id}' in document.paths);
    assert.doesNotMatch(answer.text, /"type":\[|"const"/);
  });

  test('pages follow each other by their links, and each change comes once, the last recorded first', async () => {
    for (const limit of [1, 2, 5, 6, 1000]) {
      const found: string[] = [];
      let path: string | undefined = `/ogc/collections/changes/items?limit=${limit}`;
      while (path !== undefined) {
        const page: Page = await get<Page>(path);
        assert.ok(page.features.length <= limit && page.features.length > 0);
        assert.equal(page.numberReturned, page.features.length);
        found.push(...page.features.map(({ id }) => id));
        const next = page.links.find(({ rel }) => rel === 'next');
        path = next && pathOf(next.href);
      }
      assert.deepEqual(found, changes, `limit ${limit}`);
    }
    assert.deepEqual(await ids('changes/items?limit=100000'), changes, 'more than the most is no error');
  });

  test('a box selects by the geometry, not by the box around it', async () => {
    const [plain, sloped, far] = areas.map(({ id }) => id);
    assert.deepEqual(await ids('areas/items'), [far, sloped, plain]);
    assert.deepEqual(await ids('areas/items?bbox=30,0,31,1'), [sloped]);
    assert.deepEqual(await ids('areas/items?bbox=30.7,0.7,31,1'), []);
    assert.deepEqual(await ids('areas/items?bbox=30,0,-5,31,1,5'), [sloped], 'with heights');
    assert.deepEqual(await ids('areas/items?bbox=179.5,0,-179.5,1'), [far], 'across the antimeridian');
    assert.deepEqual(await ids('areas/items?bbox=-180,-90,180,90&limit=2'), [far, sloped]);
    assert.deepEqual(await ids('changes/items?bbox=30.7,0.7,31,1'), []);
    assert.deepEqual(await ids('changes/items?bbox=30.1,0.1,31,1'), [changes.at(-1)]);
    assert.deepEqual(await ids('changes/items?bbox=14.012,46,14.022,46.01'), [changes[3], changes[4]]);
    assert.equal((await ids('anomalies/items?bbox=30.1,0.1,31,1')).length, 1);
    assert.equal((await ids('anomalies/items?bbox=30.7,0.7,31,1')).length, 0);
  });

  test('a time selects: a day, a moment, and intervals with one end or two', async () => {
    const of = async (datetime: string) => {
      const { features } = await items(`changes/items?datetime=${encodeURIComponent(datetime)}`);
      return features.map(({ properties }) => String(properties['detected_at'])).toSorted();
    };
    assert.deepEqual(await of('2026-01-02'), ['2026-01-02', '2026-01-02']);
    assert.deepEqual(await of('2026-01-02T23:00:00Z'), ['2026-01-02', '2026-01-02']);
    assert.deepEqual(await of('2026-01-02/2026-01-03'), ['2026-01-02', '2026-01-02', '2026-01-03']);
    assert.deepEqual(await of('2026-01-04/..'), ['2026-01-04', '2026-01-05']);
    assert.deepEqual(await of('/2026-01-01'), ['2026-01-01']);
    const detected = '2026-08-31T10:00:00Z';
    assert.equal((await ids(`anomalies/items?datetime=${detected}`)).length, 1);
    assert.equal((await ids('anomalies/items?datetime=../2026-08-31T09:59:59Z')).length, 0);
    assert.equal((await ids('anomalies/items?datetime=2026-08-31')).length, 1);
    assert.equal((await ids('areas/items?datetime=../2000-01-01')).length, 0);
    assert.equal((await ids('areas/items?datetime=2000-01-01/..')).length, 3);
  });

  test('a box or a time that is none is a 400 that names it', async () => {
    for (const [query, param] of [
      ['bbox=1,2,3', 'bbox'],
      ['bbox=1,2,3,4,5', 'bbox'],
      ['bbox=0,2,1,1', 'bbox'],
      ['bbox=a,b,c,d', 'bbox'],
      ['datetime=yesterday', 'datetime'],
      ['datetime=../..', 'datetime'],
      ['datetime=..', 'datetime'],
      ['datetime=2026-01-02/2026-01-01', 'datetime'],
      ['datetime=2026-01-01/2026-01-02/2026-01-03', 'datetime'],
      ['limit=0', 'limit'],
      ['f=html', 'f'],
      ['cursor=x', 'cursor'],
      ['crs=EPSG:4326', 'crs'],
    ] as const) {
      const answer = await call(`/ogc/collections/changes/items?${query}`);
      assert.equal(answer.status, 400, query);
      assert.equal((answer.json()['error'] as { param: string }).param, param, query);
    }
  });

  test('series at a position are those of /v1/historical, as CoverageJSON', async () => {
    const at = (query: string) =>
      get<OgcSeries>(`/ogc/collections/series/position?coords=POINT(14.01%2046.01)${query}`, world.key);
    const { coverages, parameters } = await at('&parameter-name=ndvi,temperature');
    assert.deepEqual(Object.keys(parameters), ['ndvi'], 'there is no temperature');
    const [{ domain, ranges }] = coverages as [OgcSeries['coverages'][0]];
    const plain = await call('/v1/historical?lat=46.01&lng=14.01&metric=ndvi', world.key);
    const { series } = plain.json() as { series: { t: string; v: number }[] };
    assert.ok(series.length >= 3);
    assert.deepEqual(
      domain.axes.t.values.map((time, i) => ({ t: time.slice(0, 10), v: ranges['ndvi']!.values[i] })),
      series,
    );
    assert.deepEqual(ranges['ndvi']!.shape, [series.length]);
    assert.deepEqual([domain.axes.x.values, domain.axes.y.values], [[14.01], [46.01]]);
    const one = await at('&parameter-name=ndvi&datetime=2026-01-03');
    assert.deepEqual(one.coverages[0]!.ranges['ndvi']!.values, [0.7012]);
    assert.deepEqual(
      (await at('&parameter-name=ndvi&datetime=0000-01-01T00:00:00Z/0000-01-02')).coverages,
      [],
    );
    assert.equal((await at('&parameter-name=ndvi&datetime=2026-01-03/9999-12-31')).coverages.length, 1);
    assert.ok('ndvi' in (await at('')).parameters);
    for (const [query, param] of [
      ['coords=POINT(14)', 'coords'],
      ['coords=POINT(200%200)', 'coords'],
      ['coords=LINESTRING(0%200,1%201)', 'coords'],
      ['coords=POINT(0%200)&parameter-name=nonsense', 'parameter-name'],
      ['coords=POINT(0%200)&datetime=soon', 'datetime'],
      ['parameter-name=ndvi', 'coords'],
    ] as const) {
      const answer = await call(`/ogc/collections/series/position?${query}`);
      assert.equal(answer.status, 400, query);
      assert.equal((answer.json()['error'] as { param: string }).param, param, query);
    }
  });

  test('the series are described as a collection of EDR 1.1, whose parameters and query can be used', async () => {
    const described = await get<OgcCollection>('/ogc/collections/series', world.key);
    const { collections } = await get<{ collections: OgcCollection[] }>('/ogc/collections', world.key);
    assert.deepEqual(
      collections.find(({ id }) => id === 'series'),
      described,
    );
    assert.equal(described.itemType, undefined);
    const { link } = described.data_queries!.position;
    const parameters = described.parameter_names!;
    assert.equal(parameters['ndvi']!.unit.symbol, '1');
    const { output_formats, default_output_format, crs_details } = link.variables;
    assert.deepEqual([output_formats, default_output_format], [['CoverageJSON'], 'CoverageJSON']);
    for (const name of Object.keys(parameters)) {
      const query = new URLSearchParams({
        coords: 'POINT(14.01 46.01)',
        'parameter-name': name,
        f: default_output_format,
        crs: crs_details[0]!.crs,
        datetime: '2026-01-01T00:00:00Z/..',
      });
      const answer = await call(`${pathOf(link.href)}?${query.toString()}`, world.key);
      assert.equal(answer.status, 200, `${name}: ${answer.text}`);
      assert.equal(answer.headers['content-type']?.split(';')[0], link.type);
    }
    for (const [query, param] of [
      ['coords=POINT(0%200)&crs=EPSG:3857', 'crs'],
      ['coords=POINT(0%200)&f=GRIB', 'f'],
      ['coords=POINT(0%200)&z=2', 'z'],
    ] as const) {
      const answer = await call(`/ogc/collections/series/position?${query}`);
      assert.equal(answer.status, 400, query);
      assert.equal((answer.json()['error'] as { param: string }).param, param, query);
    }
    const blind = await newKey(['changes:read']);
    assert.equal((await call('/ogc/collections/series', blind)).status, 404);
    const { conformsTo } = await get<{ conformsTo: string[] }>('/ogc/conformance');
    for (const part of ['core', 'collections', 'json', 'covjson', 'queries', 'oas30'])
      assert.ok(conformsTo.includes(`http://www.opengis.net/spec/ogcapi-edr-1/1.1/conf/${part}`), part);
  });

  test('incidents are those of /v1/incidents, by box and by the time of their beginning', async () => {
    const { features } = await get<{ features: Page['features'] }>(
      '/v1/incidents?f=geojson&bbox=-180,-90,180,90',
      world.key,
    );
    assert.ok(features.length > 0);
    const page = await items('incidents/items?bbox=-180,-90,180,90', world.key);
    assert.deepEqual(page.features, features);
    const [first] = features as [Page['features'][0]];
    const began = String(first.properties['started_at']);
    const at = async (query: string) =>
      (await items(`incidents/items?${query}`, world.key)).features.some(({ id }) => id === first.id);
    assert.ok(await at(`datetime=${began}`));
    assert.ok(await at(`datetime=${began}/..`));
    assert.ok(await at(`datetime=../${began}`));
    assert.ok(!(await at(`datetime=../${new Date(Date.parse(began) - 1).toISOString()}`)));
    assert.ok(!(await at(`datetime=${new Date(Date.parse(began) + 1).toISOString()}/..`)));
    assert.ok(!(await at('bbox=-170,-80,-160,-70')));
    const one = await get<Page['features'][0] & { links: OgcLink[] }>(
      `/ogc/collections/incidents/items/${first.id}`,
      world.key,
    );
    assert.deepEqual(
      { geometry: one.geometry, properties: one.properties },
      { geometry: first.geometry, properties: first.properties },
    );
    assert.equal((await call(`/ogc/collections/incidents/items/${first.id}`)).status, 404);
  });

  test('one feature is the same as in the list, with its links', async () => {
    const [first] = (await items('changes/items?limit=1')).features;
    const { links, ...alone } = await get<Page['features'][0] & { links: OgcLink[] }>(
      `/ogc/collections/changes/items/${changes[0]!}`,
    );
    assert.deepEqual(alone, first);
    assert.deepEqual(
      links.map(({ rel }) => rel),
      ['self', 'collection'],
    );
  });

  test('nothing of another account is seen, and nothing of a deleted area', async () => {
    for (const kind of ['areas', 'changes', 'anomalies'])
      assert.deepEqual((await items(`${kind}/items?bbox=30,0,31,1`, world.strangerKey)).features, [], kind);
    const other = await call(`/ogc/collections/areas/items/${areas[0].id}`, world.strangerKey);
    assert.equal(other.status, 404);
    const { storage } = world.backstage;
    const gone = await putAoi(storage, owner, square(-20, -20));
    const change = changeRecord(world.collection.id, { geometry: square(-20, -20) });
    await storage.changes.insert(change);
    await storage.changes.link(change, [gone]);
    const there = 'changes/items?bbox=-21,-21,-19,-19';
    assert.deepEqual(await ids(there), [change.id]);
    await storage.aois.remove(owner, gone.id);
    assert.deepEqual(await ids(there), []);
    assert.deepEqual(await ids('areas/items?bbox=-21,-21,-19,-19'), []);
    assert.ok(!(await ids('changes/items')).includes(change.id));
  });

  test('a key sees the collections that it may read', async () => {
    const poor = await newKey(['changes:read']);
    const { collections } = await get<{ collections: { id: string }[] }>('/ogc/collections', poor);
    assert.deepEqual(
      collections.map(({ id }) => id),
      ['changes'],
    );
    assert.equal((await call('/ogc/collections/areas/items', poor)).status, 403);
  });
});
