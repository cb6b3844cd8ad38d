import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { OPERATIONS } from '../../src/contract/operations.ts';
import { square } from '../fixtures/records.ts';
import { type SecuredApp, securedApp } from '../fixtures/secured-app.ts';
import { testStorage, type TestStorage } from '../fixtures/storage.ts';
import { refusal } from './refusals.ts';

describe('If-Match: a resource that has changed since its ETag is neither changed nor deleted', () => {
  let world: TestStorage;
  let app: SecuredApp;
  let key: string;
  let places = 0;
  before(async () => {
    world = await testStorage();
    app = await securedApp(world);
    key = await app.key();
  });
  after(async () => {
    await app[Symbol.asyncDispose]();
    await world.close();
  });

  const call = (
    method: 'GET' | 'POST' | 'PATCH' | 'DELETE',
    url: string,
    payload?: object,
    tag?: string,
    accept?: string,
  ) =>
    app.call({
      method,
      url,
      key,
      ...(payload !== undefined && { payload }),
      headers: { ...(tag !== undefined && { 'if-match': tag }), ...(accept !== undefined && { accept }) },
    });
  const area = async (): Promise<string> => {
    const made = await call('POST', '/v1/aois', { name: 'a', geometry: square((places += 0.01), 10, 0.001) });
    assert.equal(made.status, 201, made.text);
    return String(made.headers['location']);
  };
  const tagOf = async (url: string, accept?: string): Promise<string> =>
    (await call('GET', url, undefined, undefined, accept)).headers['etag']!;

  test('of two who read the same, the second is refused and reads again', async () => {
    const url = await area();
    const tag = await tagOf(url);
    assert.equal((await call('PATCH', url, { name: 'first' }, tag)).status, 200);
    const late = refusal(await call('PATCH', url, { name: 'second' }, tag), 400, 'a changed area');
    assert.equal(late.param, 'If-Match');
    assert.match(late.message, /has changed since that ETag; nothing was done/);
    assert.equal(refusal(await call('DELETE', url, undefined, tag), 400, 'DELETE').param, 'If-Match');
    assert.equal((await call('GET', url)).json()['name'], 'first');
    assert.equal((await call('PATCH', url, { name: 'second' }, await tagOf(url))).status, 200);
    assert.equal((await call('DELETE', url, undefined, await tagOf(url))).status, 204);
    assert.equal((await call('GET', url)).status, 404);
  });

  test('a tag may be one of a list, without W/, that of the GeoJSON, or any; a resource that is gone is 404', async () => {
    const url = await area();
    const geojson = 'application/geo+json';
    const json = await tagOf(url);
    assert.notEqual(await tagOf(url, geojson), json);
    for (const tag of [`"other", ${json}`, json.slice(2), await tagOf(url, geojson), '*']) {
      const answer = await call('PATCH', url, { name: 'a' }, tag, geojson);
      assert.equal(answer.status, 200, tag);
      assert.equal(answer.headers['content-type'], 'application/json; charset=utf-8');
    }
    for (const tag of ['"other"', 'x', '', 'W/""'])
      assert.equal((await call('PATCH', url, { name: 'b' }, tag)).status, 400, tag);
    assert.equal((await call('DELETE', url, undefined, '*')).status, 204);
    for (const tag of ['*', json]) refusal(await call('DELETE', url, undefined, tag), 404, tag);
  });

  test('PATCH answers what GET would, with its ETag: the next change needs no GET', async () => {
    for (const patch of OPERATIONS.filter(({ method }) => method === 'PATCH')) {
      const get = OPERATIONS.find(({ method, path }) => method === 'GET' && path === patch.path);
      assert.equal(patch.answers[0]!.body, get!.answers[0]!.body, patch.id);
    }
    const url = await area();
    const first = await call('PATCH', url, { name: 'first' }, await tagOf(url));
    assert.equal(first.headers['etag'], await tagOf(url));
    assert.equal(first.text, (await call('GET', url)).text);
    const second = await call('PATCH', url, { name: 'second' }, first.headers['etag']);
    assert.equal(second.status, 200, second.text);
    refusal(await call('PATCH', url, { name: 'third' }, first.headers['etag']), 400, 'a former tag');
    const again = await app.call({
      method: 'PATCH',
      url,
      key,
      payload: { name: 'second' },
      headers: { 'if-none-match': second.headers['etag']! },
    });
    assert.deepEqual([again.status, again.headers['etag']], [200, second.headers['etag']]);
  });

  test('of many calls at once with one tag, one is done', async () => {
    const url = await area();
    const tag = await tagOf(url);
    const names = Array.from({ length: 12 }, (_, i) => `name ${i}`);
    const answers = await Promise.all(names.map((name) => call('PATCH', url, { name }, tag)));
    const done = answers.find(({ status }) => status === 200);
    assert.equal(answers.filter(({ status }) => status === 400).length, names.length - 1);
    assert.equal((await call('GET', url)).json()['name'], done!.json()['name']);
  });

  test('every resource that can be changed or deleted has a GET at its path, and takes its tag', async () => {
    const aoi = (await area()).split('/').at(-1)!;
    const made: Readonly<Record<string, [string, object]>> = {
      '/v1/aois/{id}': ['/v1/aois', { name: 'b', geometry: square((places += 0.01), 10, 0.001) }],
      '/v1/anomalies/subscriptions/{id}': ['/v1/anomalies/subscribe', { aoi_id: aoi, perils: ['flood'] }],
      '/v1/webhooks/{id}': ['/v1/webhooks', { url: 'https://example.com/hook', events: ['*'] }],
      '/v1/risk/watches/{id}': ['/v1/risk/watches', { lat: 1, lng: 2, peril: 'storm', threshold: 0.5 }],
      '/v1/keys/{id}': ['/v1/keys', { scopes: ['risk:read'] }],
      '/v1/clients/{id}': ['/v1/clients', { scopes: ['risk:read'] }],
    };
    const patches: Readonly<Record<string, object>> = {
      '/v1/aois/{id}': { name: 'c' },
      '/v1/anomalies/subscriptions/{id}': { status: 'paused' },
      '/v1/webhooks/{id}': { events: ['webhook.test'] },
    };
    const changing = OPERATIONS.filter(({ method }) => method === 'PATCH' || method === 'DELETE');
    for (const { path } of changing) {
      assert.ok(
        OPERATIONS.some((other) => other.method === 'GET' && other.path === path),
        path,
      );
      assert.ok(path in made || path === '/v1/members/{id}', path);
    }
    for (const [path, [url, body]] of Object.entries(made)) {
      const answer = await call('POST', url, body);
      assert.equal(answer.status, 201, answer.text);
      const place = String(answer.headers['location']);
      const patch = patches[path];
      if (patch !== undefined) {
        const tag = await tagOf(place);
        assert.equal((await call('PATCH', place, patch, tag)).status, 200, path);
        assert.equal(refusal(await call('PATCH', place, patch, tag), 400, path).param, 'If-Match');
      }
      assert.equal(refusal(await call('DELETE', place, undefined, 'W/"old"'), 400, path).param, 'If-Match');
      assert.equal((await call('DELETE', place, undefined, await tagOf(place))).status, 204, path);
    }
  });
});
