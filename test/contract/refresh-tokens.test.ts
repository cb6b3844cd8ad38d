import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { securedApp, type SecuredApp } from '../fixtures/secured-app.ts';
import { testStorage, type TestStorage } from '../fixtures/storage.ts';
import type { CallAnswer } from '../fixtures/http-caller.ts';

const DAY_MS = 86_400_000;

describe('refresh tokens', () => {
  let world: TestStorage;
  let app: SecuredApp;
  before(async () => {
    world = await testStorage();
    app = await securedApp(world);
  });
  after(async () => {
    await app[Symbol.asyncDispose]();
    await world.close();
  });

  const refused = (answer: CallAnswer): void => {
    assert.equal(answer.status, 400, answer.text);
    assert.equal(answer.json()['error'], 'invalid_grant', answer.text);
  };
  const first = async () => {
    const client = await app.client();
    const form = { grant_type: 'client_credentials', client_id: client.id, client_secret: client.secret };
    const answer = await app.form('/oauth/token', form);
    return { client, refresh: String(answer.json()['refresh_token']) };
  };
  const refreshOn = (on: SecuredApp, client: { readonly id: string }, token: string) =>
    on.form('/oauth/token', { grant_type: 'refresh_token', refresh_token: token, client_id: client.id });

  test('a lost answer is repeated for ten seconds: the same refresh token, which still works once', async () => {
    const { client, refresh } = await first();
    const second = (await refreshOn(app, client, refresh)).json()['refresh_token'];
    app.clock.ms += 9_000;
    const again = await refreshOn(app, client, refresh);
    assert.equal(again.status, 200, again.text);
    assert.equal(again.json()['refresh_token'], second);
    assert.notEqual(second, refresh);
    const access = String(again.json()['access_token']);
    assert.equal((await app.call({ url: '/v1/models', key: access })).status, 200);
    app.clock.ms += 1_000;
    refused(await refreshOn(app, client, refresh));
    refused(await refreshOn(app, client, String(second)));
  });

  test('once the successor was used, a repeat means theft, within the ten seconds too', async () => {
    const { client, refresh } = await first();
    const second = String((await refreshOn(app, client, refresh)).json()['refresh_token']);
    const third = String((await refreshOn(app, client, second)).json()['refresh_token']);
    refused(await refreshOn(app, client, refresh));
    refused(await refreshOn(app, client, third));
  });

  test('a grant ends after 90 days, however often it was refreshed', async () => {
    const { client, refresh } = await first();
    let token = refresh;
    for (const day of [29, 58, 87, 89]) {
      await using node = await securedApp(world, { startMs: app.clock.ms + day * DAY_MS });
      const answer = await refreshOn(node, client, token);
      assert.equal(answer.status, 200, `day ${day}: ${answer.text}`);
      token = String(answer.json()['refresh_token']);
    }
    await using late = await securedApp(world, { startMs: app.clock.ms + 90 * DAY_MS });
    refused(await refreshOn(late, client, token));
  });
});
