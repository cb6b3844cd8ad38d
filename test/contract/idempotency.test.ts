import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { newId } from '../../src/base/ids.ts';
import { putAoi, square } from '../fixtures/records.ts';
import { refusal } from './refusals.ts';
import { assertNoServerError, contractWorld, type World } from './world.ts';

const HOOK = { url: 'https://hooks.example.com/once', events: ['*'] };

describe('Idempotency-Key', () => {
  let world: World;
  before(async () => {
    world = await contractWorld();
  });
  after(() => assertNoServerError(world));
  const post = (path: string, json: unknown, idempotencyKey: string, key = world.key) =>
    world.service.call(path, { method: 'POST', key, json, headers: { 'idempotency-key': idempotencyKey } });

  test('the same key and body give the first answer again, its secret, status and Location with it', async () => {
    const aoi = { name: 'once', geometry: square(3, 3) };
    const watched = await putAoi(world.backstage.storage, world.owner, square(70, 10));
    const subscription = { aoi_id: watched.id, perils: ['storm'] };
    for (const [path, json] of [
      ['/v1/webhooks', HOOK],
      ['/v1/aois', aoi],
      ['/v1/anomalies/subscribe', subscription],
    ] as const) {
      const id = newId('request');
      const first = await post(path, json, id);
      const second = await post(path, json, id);
      assert.equal(first.status, 201, first.text);
      assert.equal(second.status, 201);
      assert.equal(second.text, first.text, path);
      assert.equal(second.headers['location'], first.headers['location']);
      assert.notEqual(second.headers['x-request-id'], first.headers['x-request-id']);
      if (path !== '/v1/anomalies/subscribe')
        assert.notEqual(
          (await post(path, json, newId('request'))).text,
          first.text,
          'another key makes another',
        );
    }
  });

  test('the same key with another body, or for another operation, is 400', async () => {
    const id = newId('request');
    assert.equal((await post('/v1/webhooks', HOOK, id)).status, 201);
    for (const [path, json] of [
      ['/v1/webhooks', { ...HOOK, events: ['webhook.test'] }],
      ['/v1/aois', { name: 'x', geometry: square(1, 1) }],
    ] as const) {
      const error = refusal(await post(path, json, id), 400, path);
      assert.equal(error.param, 'Idempotency-Key');
    }
  });

  test('calls at the same time with the same key make one resource', async () => {
    const id = newId('request');
    const answers = await Promise.all(Array.from({ length: 12 }, () => post('/v1/webhooks', HOOK, id)));
    assert.deepEqual([...new Set(answers.map(({ status }) => status))], [201]);
    assert.equal(new Set(answers.map(({ text }) => text)).size, 1);
  });

  test('a key whose call failed can be used again', async () => {
    const id = newId('request');
    refusal(await post('/v1/webhooks', { ...HOOK, url: 'http://example.com/' }, id), 400, 'a bad URL');
    refusal(
      await post('/v1/anomalies/subscribe', { aoi_id: newId('aoi'), perils: ['flood'] }, id),
      404,
      'no AOI',
    );
    assert.equal((await post('/v1/webhooks', HOOK, id)).status, 201);
  });

  test('keys of another account or environment are others', async () => {
    const id = newId('request');
    const mine = await post('/v1/webhooks', HOOK, id);
    for (const other of [world.strangerKey, world.sandboxKey]) {
      const theirs = await post('/v1/webhooks', HOOK, id, other);
      assert.equal(theirs.status, 201);
      assert.notEqual(theirs.text, mine.text);
      const gone = await world.service.call(theirs.headers['location']!, { method: 'DELETE', key: other });
      assert.equal(gone.status, 204);
    }
  });

  test('an answer that holds a secret is given again only to the credential that asked', async () => {
    const makeKey = async (scopes: readonly string[]): Promise<string> => {
      const made = await post('/v1/keys', { scopes }, newId('request'));
      return (JSON.parse(made.text) as { key: string }).key;
    };
    const lesser = await makeKey(['keys:write', 'webhooks:write', 'aois:write']);
    for (const [path, json] of [
      ['/v1/keys', { scopes: ['risk:read'] }],
      ['/v1/clients', { scopes: ['risk:read'] }],
      ['/v1/webhooks', HOOK],
    ] as const) {
      const id = newId('request');
      const first = await post(path, json, id);
      assert.equal(first.status, 201, first.text);
      assert.equal((await post(path, json, id)).text, first.text);
      const error = refusal(await post(path, json, id, lesser), 400, path);
      assert.equal(error.param, 'Idempotency-Key');
    }
    const id = newId('request');
    const aoi = { name: 'no secret', geometry: square(5, 5) };
    const first = await post('/v1/aois', aoi, id);
    assert.equal((await post('/v1/aois', aoi, id, lesser)).text, first.text);
  });

  test('a key is 1 to 255 visible ASCII characters', async () => {
    for (const bad of ['', ' ', 'a b', 'x'.repeat(256), 'é'])
      refusal(await post('/v1/webhooks', HOOK, bad), 400, JSON.stringify(bad));
    assert.equal((await post('/v1/webhooks', HOOK, `${newId('request')}${'x'.repeat(225)}`)).status, 201);
  });

  test('the same subscription at the same time is one: 201 once, 200 after', async () => {
    const made = await world.service.call('/v1/aois', {
      method: 'POST',
      key: world.key,
      json: { name: 'raced', geometry: square(60, 10) },
    });
    const json = { aoi_id: made.json()['id'], perils: ['flood', 'storm'] };
    const reversed = { ...json, perils: json.perils.toReversed() };
    const answers = await Promise.all(
      Array.from({ length: 12 }, (_, i) =>
        world.service.call('/v1/anomalies/subscribe', {
          method: 'POST',
          key: world.key,
          json: i % 2 === 0 ? json : reversed,
        }),
      ),
    );
    assert.equal(new Set(answers.map(({ text }) => text)).size, 1);
    assert.deepEqual(
      answers.map(({ status }) => status).toSorted((a, b) => a - b),
      [...Array<number>(11).fill(200), 201],
    );
    const location = answers.find(({ status }) => status === 201)?.headers['location'];
    assert.equal((await world.service.call(location!, { key: world.key })).status, 200);
  });
});
