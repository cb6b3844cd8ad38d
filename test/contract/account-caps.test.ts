import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { ACCOUNT_LIMITS, type AccountLimits } from '../../src/contract/limits.ts';
import type { CallAnswer } from '../fixtures/http-caller.ts';
import { putAoi, square } from '../fixtures/records.ts';
import { type SecuredApp, securedApp } from '../fixtures/secured-app.ts';
import { testStorage, type TestStorage } from '../fixtures/storage.ts';
import { refusal } from './refusals.ts';

describe('an account keeps no more than its caps', () => {
  let world: TestStorage;
  before(async () => {
    world = await testStorage();
  });
  after(() => world.close());

  /** A node whose accounts have the given caps, with a key of the account and one of it in the sandbox. */
  async function node(over: Partial<AccountLimits>) {
    const app: SecuredApp = await securedApp(world, { accountLimits: { ...ACCOUNT_LIMITS, ...over } });
    const keys = { production: await app.key(), sandbox: await app.key({ environment: 'sandbox' }) };
    const post = (url: string, payload: object, environment: keyof typeof keys = 'production') =>
      app.call({ method: 'POST', url, payload, key: keys[environment] });
    return { app, post, keys, [Symbol.asyncDispose]: () => app[Symbol.asyncDispose]() };
  }
  /** Checks the refusal of a creation: it names the number there is, the cap and the setting. */
  const full = (answer: CallAnswer, there: number, most: number, setting: string): void => {
    const { message } = refusal(answer, 400, setting);
    assert.match(
      message,
      new RegExp(`has ${there} .* may have ${most} in all .*GROUNDWATCH_ACCOUNT_${setting}\\)`),
    );
  };
  let places = 0;
  const area = () => ({ name: 'an area', geometry: square((places += 0.01), 10, 0.001) });

  test('areas: the cap holds in all environments together, and a deleted one makes room', async () => {
    await using here = await node({ areas: 3 });
    const made = await here.post('/v1/aois', area());
    assert.equal(made.status, 201, made.text);
    assert.equal((await here.post('/v1/aois', area(), 'sandbox')).status, 201);
    assert.equal((await here.post('/v1/aois', area())).status, 201);
    full(await here.post('/v1/aois', area()), 3, 3, 'AREAS');
    full(await here.post('/v1/aois', area(), 'sandbox'), 3, 3, 'AREAS');
    const url = `/v1/aois/${String(made.json()['id'])}`;
    assert.equal((await here.app.call({ method: 'DELETE', url, key: here.keys.production })).status, 204);
    assert.equal((await here.post('/v1/aois', area())).status, 201);
    full(await here.post('/v1/aois', area()), 3, 3, 'AREAS');
  });

  test('vertices: an area that would pass the cap is refused, a smaller one is not', async () => {
    await using here = await node({});
    const { rows } = await world.database.pool.query<{ sum: number }>('select sum(positions)::int from aois');
    await using tight = await node({ vertices: rows[0]!.sum + 10 });
    const ring = Array.from({ length: 20 }, (_, i) => [
      50 + Math.cos((i / 20) * 2 * Math.PI),
      Math.sin((i / 20) * 2 * Math.PI),
    ]);
    const round = { type: 'Polygon', coordinates: [[...ring, ring[0]!]] };
    const refused = await tight.post('/v1/aois', { name: 'round', geometry: round });
    assert.match(refusal(refused, 400, 'round').message, /so 21 more cannot .*GROUNDWATCH_ACCOUNT_VERTICES/);
    assert.equal((await tight.post('/v1/aois', area())).status, 201);
    assert.equal((await here.post('/v1/aois', { name: 'round', geometry: round })).status, 201);
  });

  test('two creations at once do not pass a cap together', async () => {
    const { rows } = await world.database.pool.query<{ count: number }>(
      'select count(*)::int from risk_watches',
    );
    await using here = await node({ watches: rows[0]!.count + 3 });
    const answers = await Promise.all(
      Array.from({ length: 12 }, (_, i) =>
        here.post(
          '/v1/risk/watches',
          { lat: i, lng: i, peril: 'flood', threshold: 0.5 },
          i % 2 === 0 ? 'production' : 'sandbox',
        ),
      ),
    );
    assert.deepEqual(
      answers.map(({ status }) => status).toSorted((a, b) => a - b),
      [201, 201, 201, 400, 400, 400, 400, 400, 400, 400, 400, 400],
    );
  });

  test('webhooks, clients, subscriptions and keys have caps too', async () => {
    await using here = await node({ webhooks: 1, clients: 1, subscriptions: 1, keys: 40 });
    const webhook = { url: 'https://example.com/hook', events: ['*'] };
    assert.equal((await here.post('/v1/webhooks', webhook)).status, 201);
    full(await here.post('/v1/webhooks', webhook), 1, 1, 'WEBHOOKS');
    assert.equal((await here.post('/v1/clients', { scopes: ['risk:read'] })).status, 201);
    full(await here.post('/v1/clients', { scopes: ['risk:read'] }), 1, 1, 'CLIENTS');
    const aois = [await putAoi(world.storage, world.owner), await putAoi(world.storage, world.owner)];
    const subscribe = (i: number) =>
      here.post('/v1/anomalies/subscribe', { aoi_id: aois[i]!.id, perils: ['flood'] });
    assert.equal((await subscribe(0)).status, 201);
    assert.equal((await subscribe(0)).status, 200, 'the same one again is not another one');
    full(await subscribe(1), 1, 1, 'SUBSCRIPTIONS');
    let keys: CallAnswer;
    do keys = await here.post('/v1/keys', { scopes: ['risk:read'] });
    while (keys.status === 201);
    full(keys, 40, 40, 'KEYS');
    const id = /key_[0-9a-z]{26}/.exec(here.keys.production)![0];
    assert.equal((await here.post(`/v1/keys/${id}/rotate`, {})).status, 201, 'a key can always be replaced');
  });

  test('a repeated call with an Idempotency-Key is counted once', async () => {
    const { rows } = await world.database.pool.query<{ count: number }>(
      'select count(*)::int from webhooks where account_id = $1',
      [world.owner.accountId],
    );
    await using here = await node({ webhooks: rows[0]!.count + 1 });
    const call = () =>
      here.app.call({
        method: 'POST',
        url: '/v1/webhooks',
        payload: { url: 'https://example.com/again', events: ['*'] },
        key: here.keys.production,
        headers: { 'idempotency-key': 'again' },
      });
    assert.equal((await call()).status, 201);
    assert.equal((await call()).status, 201);
  });
});
