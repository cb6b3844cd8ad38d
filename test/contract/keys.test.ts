// Long file: the tests of keys, clients, the audit log and the encryption share one application and its credentials.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { AuditRecord } from '../../src/app/access/audit-store.ts';
import { secretBox } from '../../src/auth/secret-box.ts';
import { reseal } from '../../src/store/upkeep/reseal.ts';
import { securedApp, type SecuredApp } from '../fixtures/secured-app.ts';
import { testStorage, type TestStorage } from '../fixtures/storage.ts';
import { refusal } from './refusals.ts';

const DAY_MS = 86_400_000;

interface KeyView {
  readonly id: string;
  readonly status: string;
  readonly warning: string | null;
  readonly expires_at: string | null;
  readonly last_used_at: string | null;
}

describe('API keys and clients over the API', () => {
  let world: TestStorage;
  let app: SecuredApp;
  let key: string;
  before(async () => {
    world = await testStorage();
    app = await securedApp(world);
    key = await app.key();
  });
  after(async () => {
    await app[Symbol.asyncDispose]();
    await world.close();
  });

  const post = (url: string, by: string, payload?: object, headers = {}) =>
    app.call({ method: 'POST', url, key: by, ...(payload && { payload }), headers });
  const idOf = (text: string) => /key_[0-9a-z]{26}/.exec(text)![0];
  const list = async (by: string) =>
    (await app.call({ url: '/v1/keys', key: by })).json()['keys'] as readonly KeyView[];

  test('a new key works at once, is shown once, and stands in the list without its secret', async () => {
    const asked = { name: 'nightly', scopes: ['aois:read'], limit: 7, expires_in_days: 30 };
    const made = await post('/v1/keys', key, asked);
    assert.equal(made.status, 201, made.text);
    const { id, key: text, scopes, limit, expires_at } = made.json();
    assert.equal(made.headers['location'], `/v1/keys/${String(id)}`);
    assert.equal(made.headers['cache-control'], 'no-store', 'a secret is in it');
    assert.deepEqual([scopes, limit], [['aois:read'], 7]);
    assert.equal(Date.parse(String(expires_at)), app.clock.ms + 30 * DAY_MS);
    const used = await app.call({ url: '/v1/aois', key: String(text) });
    assert.deepEqual([used.status, used.headers['x-ratelimit-limit']], [200, '7']);
    const one = await app.call({ url: `/v1/keys/${String(id)}`, key });
    assert.equal(one.json()['name'], 'nightly');
    assert.equal(one.json()['status'], 'active');
    assert.ok(one.json()['last_used_at']);
    assert.ok(!(await app.call({ url: '/v1/keys', key })).text.includes(String(text).slice(-20)));
  });

  test('no key gives what it does not hold: scopes, limit, environment or account', async () => {
    const weak = await app.key({ scopes: ['keys:write', 'risk:read'], rateLimit: 100 });
    const refused = await post('/v1/keys', weak, { scopes: ['risk:read', 'changes:read'] });
    assert.match(refusal(refused, 403, 'a scope not held').message, /changes:read/);
    assert.match(refused.headers['www-authenticate'] ?? '', /insufficient_scope.*scope="changes:read"/);
    for (const limit of [0, 101])
      assert.equal(
        refusal(await post('/v1/keys', weak, { scopes: ['risk:read'], limit }), 400, 'a limit').param,
        'limit',
      );
    const made = (await post('/v1/keys', weak, { scopes: ['risk:read'] })).json();
    assert.equal(made['limit'], 100, 'the usual limit is above its own');
    const brief = await app.key({ lifetimeMs: 10 * DAY_MS });
    const ofBrief = (body: object) => post('/v1/keys', brief, { scopes: ['risk:read'], ...body });
    const longer = refusal(await ofBrief({ expires_in_days: 11 }), 400, 'a longer life');
    assert.deepEqual(
      [longer.param, longer.message],
      [
        'expires_in_days',
        'expires_in_days: expected no longer life than that of this key, 10 days; got 11 days',
      ],
    );
    assert.equal((await ofBrief({ expires_in_days: 10 })).status, 201);
    const usual = Date.parse(String((await ofBrief({})).json()['expires_at'])) - app.clock.ms;
    assert.ok(Math.abs(usual - 10 * DAY_MS) < 60_000, `the usual lifetime is above its own: ${usual} ms`);
    const more = [
      [{ lifetimeMs: 11 * DAY_MS }, brief, "lives 11 days, longer than this key's 10 days"],
      [{ lifetimeMs: null }, brief, "has no end, longer than this key's 10 days"],
      [
        { scopes: ['risk:read'], rateLimit: 0 },
        weak,
        "has no limit, more than this credential's 100 units a minute",
      ],
    ] as const;
    for (const [traits, by, why] of more) {
      const id = idOf(await app.key(traits));
      // No field of the request is wrong, so the error has no `param`.
      const { message, param } = refusal(await post(`/v1/keys/${id}/rotate`, by), 400, why);
      assert.deepEqual([message.startsWith(`The key ${id} ${why}: `), param], [true, undefined], message);
    }
    const strong = idOf(await app.key());
    refusal(await post(`/v1/keys/${strong}/rotate`, weak), 403, 'rotating a key that may more');
    refusal(await post('/v1/clients', weak, { scopes: ['keys:read'] }), 403, 'a client that may more');
    refusal(await post('/v1/clients', weak, { scopes: ['risk:read'], limit: 0 }), 400, 'unlimited');
    const elsewhere = idOf(await app.key({ environment: 'sandbox' }));
    for (const method of ['GET', 'DELETE'] as const)
      refusal(await app.call({ method, url: `/v1/keys/${elsewhere}`, key }), 404, 'another environment');
    refusal(await post(`/v1/keys/${elsewhere}/rotate`, key), 404, 'another environment');
    // A token has the scopes that it was issued with, even when its client has more.
    const client = await app.client({ scopes: ['keys:write', 'risk:read'] });
    const form = { grant_type: 'client_credentials', client_id: client.id, client_secret: client.secret };
    const token = await app.form('/oauth/token', { ...form, scope: 'keys:write' });
    const by = String(token.json()['access_token']);
    refusal(await post('/v1/keys', by, { scopes: ['risk:read'] }), 403, 'by a narrowed token');
  });

  test('rotation: both keys work until the overlap ends, the successor as long as its predecessor would have', async () => {
    await using node = await securedApp(world, { startMs: app.clock.ms });
    const old = await node.key({
      lifetimeMs: 10 * DAY_MS,
      scopes: ['risk:read', 'keys:write'],
      rateLimit: 0,
    });
    const status = async (text: string) => (await node.call({ url: '/v1/models', key: text })).status;
    const answer = await node.call({
      method: 'POST',
      url: `/v1/keys/${idOf(old)}/rotate?overlap_hours=2`,
      key: old,
    });
    assert.equal(answer.status, 201, answer.text);
    const made = answer.json();
    assert.equal(made['replaces'], idOf(old));
    assert.equal(Date.parse(String(made['old_key_ends_at'])), node.clock.ms + 2 * 3_600_000);
    const successor = String(made['key']);
    node.clock.ms += 2 * 3_600_000 - 1;
    assert.deepEqual([await status(old), await status(successor)], [200, 200]);
    const before = (await list(key)).find(({ id }) => id === idOf(old))!;
    assert.match(before.warning!, /was replaced/);
    node.clock.ms += 1;
    assert.deepEqual([await status(old), await status(successor)], [401, 200]);
    const again = await node.call({ method: 'POST', url: `/v1/keys/${idOf(old)}/rotate`, key });
    refusal(again, 404, 'rotated after its end');
    node.clock.ms += 9 * DAY_MS;
    assert.equal(await status(successor), 200);
    node.clock.ms += DAY_MS;
    assert.equal(await status(successor), 401);
  });

  test('a revoked key is refused within a second on both nodes, and is in the list no longer', async () => {
    await using node = await securedApp(world, { startMs: app.clock.ms });
    const doomed = await app.key();
    for (const on of [app, node])
      assert.equal((await on.call({ url: '/v1/models', key: doomed })).status, 200);
    const remove = () => app.call({ method: 'DELETE', url: `/v1/keys/${idOf(doomed)}`, key });
    assert.equal((await remove()).status, 204);
    refusal(await remove(), 404, 'revoked twice');
    app.clock.ms += 1000;
    node.clock.ms += 1000;
    for (const on of [app, node])
      assert.equal((await on.call({ url: '/v1/models', key: doomed })).status, 401);
    assert.ok(!(await list(key)).some(({ id }) => id === idOf(doomed)));
  });

  test('14 days before its end a key carries a warning, in the list and for the log', async () => {
    const text = await app.key({ lifetimeMs: 20 * DAY_MS });
    await using later = await securedApp(world, { startMs: app.clock.ms + 6 * DAY_MS - 1 });
    const seen = async () => {
      const answer = await later.call({ url: `/v1/keys/${idOf(text)}`, key });
      return answer.json() as unknown as KeyView;
    };
    assert.deepEqual([(await seen()).status, (await seen()).warning], ['active', null]);
    const expiring = () =>
      world.storage.keys.expiring(new Date(later.clock.ms), new Date(later.clock.ms + 14 * DAY_MS));
    assert.ok(!(await expiring()).some(({ id }) => id === idOf(text)));
    later.clock.ms += 1;
    assert.equal((await seen()).status, 'expiring');
    assert.match(
      (await seen()).warning!,
      /^Ends in 14 days: replace it with POST \/v1\/keys\/key_\w+\/rotate$/,
    );
    assert.ok((await expiring()).some(({ id }) => id === idOf(text)));
    later.clock.ms += 14 * DAY_MS;
    assert.deepEqual([(await seen()).status, (await seen()).warning], ['expired', null]);
  });

  test('a mistyped key is refused without a look at the database', async () => {
    await using blind = await securedApp({
      storage: new Proxy(world.storage, {
        get: (storage, name) => {
          return name === 'keys'
            ? { find: () => assert.fail('the database was asked'), touch: () => Promise.resolve() }
            : Reflect.get(storage, name);
        },
      }),
    });
    const at = key.length - 3;
    const mistyped = key.slice(0, at) + (key[at] === 'a' ? 'b' : 'a') + key.slice(at + 1);
    refusal(await blind.call({ url: '/v1/models', key: mistyped }), 401, 'mistyped');
    assert.equal(
      (await blind.call({ url: '/v1/models', key })).status,
      500,
      'the database is asked for others',
    );
  });

  test('usage tells the units of each credential by day, and what is left', async () => {
    const node = await securedApp(world, { startMs: app.clock.ms });
    const by = await node.key({ rateLimit: 100 });
    for (let i = 0; i < 4; i++) await node.call({ url: '/v1/webhooks', key: by });
    const { credential_id, limit, remaining } = (await node.call({ url: '/v1/usage', key: by })).json();
    assert.deepEqual([credential_id, limit, remaining], [idOf(by), 100, 95]);
    await node.app.close();
    const usageBy = async (credential: string) =>
      (await app.call({ url: '/v1/usage', key: credential })).json()['days'] as {
        credential_id: string;
        units: number;
        day: string;
      }[];
    const own = (await usageBy(key)).filter((day) => day.credential_id === idOf(by));
    const day = new Date(node.clock.ms).toISOString().slice(0, 10);
    assert.deepEqual(own, [{ day, credential_id: idOf(by), units: 5 }]);
    const elsewhere = await usageBy(await app.key({ environment: 'sandbox' }));
    assert.ok(!elsewhere.some((one) => one.credential_id === idOf(by)));
  });

  test('what changes anything is in the audit log, and so is who was turned away; no secret is', async () => {
    await using node = await securedApp(world, { startMs: app.clock.ms });
    const by = await node.key();
    const made = await node.call({
      method: 'POST',
      url: '/v1/keys',
      key: by,
      payload: { scopes: ['risk:read'] },
    });
    const target = String(made.json()['id']);
    const text = String(made.json()['key']);
    await node.call({ method: 'DELETE', url: `/v1/keys/${target}`, key: by, remoteAddress: '192.0.2.9' });
    await node.call({ url: '/v1/aois', key: text });
    const hook = { url: 'https://example.com/audited', events: ['*'] };
    const endpoint = await node.call({ method: 'POST', url: '/v1/webhooks', key: by, payload: hook });
    const webhook = String(endpoint.json()['id']);
    const rotate = { method: 'POST', url: `/v1/webhooks/${webhook}/rotate-secret`, key: by } as const;
    assert.equal((await node.call(rotate)).status, 200);
    const client = await node.client();
    const proof = { client_id: client.id, client_secret: client.secret };
    const token = await node.form('/oauth/token', { grant_type: 'client_credentials', ...proof });
    await node.form('/oauth/revoke', { token: String(token.json()['refresh_token']), ...proof });
    const lacking = await node.key({ scopes: ['risk:read'] });
    for (let i = 0; i < 3; i++) await node.call({ url: '/v1/aois', key: lacking });
    await node.form('/oauth/token', {
      grant_type: 'client_credentials',
      client_id: 'x',
      client_secret: text,
    });
    await node.app.close();
    const entries: AuditRecord[] = [];
    for await (const some of world.storage.audit.read()) entries.push(...some);
    const of = (actor: string) =>
      entries
        .filter((entry) => entry.actor === actor)
        .map(({ action, target, result, count, address }) => ({
          action,
          target,
          result,
          count,
          address,
        }));
    const done = { target, result: 'done', count: 1 };
    assert.deepEqual(of(idOf(by)), [
      { action: 'createKey', ...done, address: '127.0.0.1' },
      { action: 'revokeKey', ...done, address: '192.0.2.9' },
      { action: 'registerWebhook', ...done, target: webhook, address: '127.0.0.1' },
      { action: 'rotateWebhookSecret', ...done, target: webhook, address: '127.0.0.1' },
    ]);
    assert.deepEqual(
      of(client.id).map(({ action, result }) => [action, result]),
      [
        ['/oauth/token', 'done'],
        ['/oauth/revoke', 'done'],
      ],
    );
    assert.deepEqual(of(idOf(lacking)), [
      { action: 'listAois', target: null, result: 'lacks aois:read', count: 3, address: '127.0.0.1' },
    ]);
    assert.ok(of('anonymous').some(({ action }) => action === '/oauth/token'));
    assert.ok(!JSON.stringify(entries).includes(text.slice(-38)));
    assert.deepEqual((await world.storage.audit.verify()).intact, true);
  });

  const ENTRY = {
    actor: 'test',
    action: 'x',
    target: null,
    accountId: null,
    environment: null,
    address: null,
    requestId: null,
    result: 'done',
    count: 1,
  };

  test('the audit log refuses changes, and tells what was changed past that', async (t) => {
    // Uses a separate audit log, because the application may write to its own log at any time.
    const own = await testStorage();
    t.after(() => own.close());
    const { audit } = own.storage;
    const { db } = own.database;
    await audit.record(Array.from({ length: 5 }, () => ENTRY));
    const verdict = await audit.verify();
    assert.ok(verdict.intact && verdict.entries === 5);
    const noted = { seq: verdict.entries, hash: verdict.head };
    await assert.rejects(db.updateTable('audit_log').set({ actor: 'me' }).execute(), /append-only/);
    await assert.rejects(db.deleteFrom('audit_log').execute(), /append-only/);
    const tampered = async (change: () => Promise<unknown>) => {
      const { sql } = await import('kysely');
      await sql`alter table audit_log disable trigger audit_log_append_only`.execute(db);
      await sql`create table saved as table audit_log`.execute(db);
      const head = await db.selectFrom('audit_head').selectAll().executeTakeFirstOrThrow();
      await change();
      const found = await audit.verify(noted);
      await sql`truncate audit_log`.execute(db);
      await sql`insert into audit_log select * from saved`.execute(db);
      await sql`drop table saved`.execute(db);
      await db.updateTable('audit_head').set({ seq: head.seq, hash: head.hash }).execute();
      await sql`alter table audit_log enable trigger audit_log_append_only`.execute(db);
      assert.ok((await audit.verify(noted)).intact, 'put back as it was');
      return found.intact ? 'intact' : `${found.seq} ${found.reason}`;
    };
    const at = (seq: number) => db.updateTable('audit_log').where('seq', '=', seq);
    assert.match(await tampered(() => at(2).set({ actor: 'me' }).execute()), /^2 .*not as it was/);
    assert.match(
      await tampered(() =>
        at(2)
          .set({ hash: Buffer.alloc(32) })
          .execute(),
      ),
      /^2 /,
    );
    assert.match(
      await tampered(() => db.deleteFrom('audit_log').where('seq', '=', 2).execute()),
      /^2 .*missing/,
    );
    const last = noted.seq;
    const cut = () => db.deleteFrom('audit_log').where('seq', '=', last).execute();
    assert.match(await tampered(cut), /ends before its head/);
    // Deletes the last entry and also resets the stored head of the log to the entry before. The missing entry is still
    // detected from the copy of the head that was noted elsewhere.
    const setBack = async () => {
      await cut();
      const { hash } = await db
        .selectFrom('audit_log')
        .select('hash')
        .where('seq', '=', last - 1)
        .executeTakeFirstOrThrow();
      await db
        .updateTable('audit_head')
        .set({ seq: last - 1, hash })
        .execute();
    };
    assert.match(await tampered(setBack), /noted down is not there/);
  });

  test('many at once are recorded in one unbroken chain', async () => {
    const { audit } = world.storage;
    await Promise.all(Array.from({ length: 20 }, () => audit.record([ENTRY, ENTRY])));
    assert.ok((await audit.verify()).intact);
  });

  test('all secrets are sealed anew under another key, and only it opens them then', async () => {
    await post(
      '/v1/webhooks',
      key,
      { url: 'https://hooks.example.com/', events: ['*'] },
      {
        'idempotency-key': 'reseal',
      },
    );
    const [newer, only] = [secretBox(Buffer.alloc(32, 1)), Buffer.alloc(32, 1)];
    const both = { seal: (text: string) => newer.seal(text), open: (box: Buffer) => world.sealing.open(box) };
    const count = await reseal(world.database.db, both);
    assert.ok(count >= 3, `${count}`);
    assert.equal(await reseal(world.database.db, secretBox(only)), count);
    await assert.rejects(reseal(world.database.db, world.sealing));
    await reseal(world.database.db, {
      seal: (text) => world.sealing.seal(text),
      open: (box) => newer.open(box),
    });
  });
});
