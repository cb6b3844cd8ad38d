// Long file: one suite uses one database, mail server and worker.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { composeMail } from '../../src/app/mail/compose-mail.ts';
import { newSessionSecret } from '../../src/auth/session-secret.ts';
import { newId } from '../../src/base/ids.ts';
import { MAILS_A_DAY } from '../../src/contract/limits.ts';
import * as sample from '../../src/contract/example-resources.ts';
import { deliveryQueue } from '../../src/store/delivery-queue.ts';
import { mailAttempt } from '../../src/webhooks/mail/mail-attempt.ts';
import { smtpSender } from '../../src/webhooks/mail/smtp-sender.ts';
import { type DeliveryWorker, startDeliveryWorker } from '../../src/webhooks/worker.ts';
import { type MailServer, startMailServer, type TakenMail } from '../fixtures/mail-server.ts';
import { type SecuredApp, securedApp } from '../fixtures/secured-app.ts';
import { testStorage, type TestStorage } from '../fixtures/storage.ts';
import { refusal } from './refusals.ts';

const BASE = 'https://risk.example.com';

describe('events go to e-mail addresses', () => {
  let world: TestStorage;
  let server: MailServer;
  let node: SecuredApp;
  let key: string;
  let worker: DeliveryWorker;
  const baseUrl = () => BASE;
  before(async () => {
    world = await testStorage();
    server = await startMailServer();
    const send = smtpSender({
      host: '127.0.0.1',
      port: server.port,
      tls: 'off',
      login: () => undefined,
      authorities: undefined,
      from: { name: 'Groundwatch', address: 'alerts@example.com' },
      hostName: () => 'risk.example.com',
    });
    node = await securedApp(world, {
      parts: { mail: { newLinkSecret: () => newSessionSecret().text }, wakeDelivery: () => worker.wake() },
    });
    key = await node.key();
    const { storage } = world;
    worker = startDeliveryWorker({
      queue: deliveryQueue(world.database.db, world.sealing, 'mail'),
      attempt: mailAttempt({
        bounds: storage.mail,
        // No event of these tests has a picture: the makers of pictures are not asked.
        compose: (order) => composeMail({ storage, pictures: undefined as never, baseUrl }, order),
        send,
        baseUrl,
        schedule: [0, ...Array.from({ length: 1000 }, () => 50)],
        userAgent: 'Groundwatch/0',
        clock: { now: () => Date.now() },
        random: Math.random,
      }),
      pollMs: 20,
      onError: (error) => assert.fail(String(error)),
    });
  });
  after(async () => {
    await worker.stop(5_000);
    await server[Symbol.asyncDispose]();
    await node[Symbol.asyncDispose]();
    await world.close();
  });

  const post = (url: string, payload: object) => node.call({ method: 'POST', url, payload, key });
  const get = async (url: string) => (await node.call({ method: 'GET', url, key })).json();
  const anyone = (
    method: 'GET' | 'POST',
    url: string,
    payload = '',
    type = 'application/x-www-form-urlencoded',
  ) => node.app.inject({ method, url, payload, headers: { 'content-type': type } });
  const linkIn = ({ mail }: TakenMail, kind: 'confirm' | 'stop'): string => {
    const found = new RegExp(`${BASE}(/mail/${kind}/[\\w-]{43})`).exec(mail.text);
    assert.ok(found, mail.text);
    return found[1]!;
  };
  let people = 0;
  /** Registers an address. @returns the id of the endpoint and the mail that asks to confirm it */
  async function register(email = `person${++people}@example.com`, events = ['*']) {
    const from = server.taken.length;
    const made = await post('/v1/webhooks', { email, events });
    assert.equal(made.status, 201, made.text);
    assert.deepEqual(Object.keys(made.json()), ['id']);
    const id = String(made.json()['id']);
    const asked = await server.next(from, ({ to }) => to === email);
    return { id, email, asked };
  }
  async function confirmed(email?: string, events?: string[]) {
    const made = await register(email, events);
    assert.equal((await anyone('POST', linkIn(made.asked, 'confirm'))).statusCode, 200);
    return made;
  }
  const emit = async (to?: string): Promise<string> => {
    const { storage, owner } = world;
    const data = to === undefined ? { ...sample.incidentData, images_url: null } : {};
    const id = await storage.events.emit(
      owner,
      to === undefined ? 'incident.opened' : 'webhook.test',
      data,
      to,
    );
    worker.wake();
    return id;
  };
  type Listed = {
    readonly id: string;
    readonly last_attempt: { readonly status: number; readonly error: string };
  };
  /** Waits until an endpoint has a delivery in this state after an attempt. @returns the newest of them */
  async function delivery(id: string, status: string): Promise<Listed> {
    for (;;) {
      const { deliveries } = await get(`/v1/webhooks/${id}/deliveries?status=${status}`);
      const found = (deliveries as Listed[]).find(({ last_attempt: last }) => last !== null);
      if (found !== undefined) return found;
      await delay(20);
    }
  }
  const attempted = (id: string) => delivery(id, 'pending');

  test('an address gets nothing but one request until its recipient confirms it, then the events', async () => {
    const { id, email, asked } = await register();
    assert.match(asked.mail.headers.get('subject')!, /^Please confirm: /);
    assert.deepEqual((await get(`/v1/webhooks/${id}`))['status'], 'unconfirmed');
    await emit();
    const link = linkIn(asked, 'confirm');
    // Filters of mail follow links: that does not confirm.
    const page = await anyone('GET', link);
    assert.equal(page.statusCode, 200);
    assert.match(page.body, /<form method="post">/);
    assert.match(String(page.headers['content-security-policy']), /form-action 'self'/);
    assert.equal((await get(`/v1/webhooks/${id}`))['status'], 'unconfirmed');
    assert.equal(server.taken.filter(({ to }) => to === email).length, 1);

    assert.equal((await anyone('POST', link)).statusCode, 200);
    const after = await get(`/v1/webhooks/${id}`);
    assert.deepEqual(after, { ...after, status: 'active', email, url: `mailto:${email}` });
    assert.equal((await anyone('POST', link)).statusCode, 404, 'the link works once');
    const from = server.taken.length;
    const event = await emit();
    const { mail } = await server.next(from, ({ to }) => to === email);
    assert.equal(mail.headers.get('subject'), `New incident: ${sample.incident.title}`);
    assert.equal(mail.headers.get('message-id'), `<${event}.${id}@risk.example.com>`);
    assert.ok(mail.text.includes(`${BASE}/#/incidents/${sample.INCIDENT}`));
    assert.ok(mail.html.includes(`href="${BASE}/#/incidents/${sample.INCIDENT}"`));
    assert.equal(mail.headers.get('list-unsubscribe-post'), 'List-Unsubscribe=One-Click');
    const { last_attempt: last } = await delivery(id, 'succeeded');
    assert.equal(last.status, 250);
  });

  test('one click ends the mails without a login, and again does no harm', async () => {
    const { id, email, asked } = await confirmed();
    const from = server.taken.length;
    await emit();
    const { mail } = await server.next(from, ({ to }) => to === email);
    const stop = /<https:\/\/risk\.example\.com(\/mail\/stop\/[\w-]{43})>/.exec(
      mail.headers.get('list-unsubscribe')!,
    )![1]!;
    assert.equal(stop, linkIn(asked, 'stop'));
    for (let i = 0; i < 2; i++)
      assert.equal((await anyone('POST', stop, 'List-Unsubscribe=One-Click')).statusCode, 200);
    const ended = await get(`/v1/webhooks/${id}`);
    assert.equal(ended['status'], 'disabled');
    assert.match(String(ended['disabled_reason']), /recipient ended/);
    // A secret that nobody has gets the same answer.
    const unknown = await anyone('POST', `/mail/stop/${'x'.repeat(43)}`, 'List-Unsubscribe=One-Click');
    const known = await anyone('POST', stop);
    assert.deepEqual([unknown.statusCode, unknown.body], [known.statusCode, known.body]);
    // Its owner cannot switch it on again without the recipient.
    await node.call({ method: 'PATCH', url: `/v1/webhooks/${id}`, payload: { status: 'active' }, key });
    assert.equal((await get(`/v1/webhooks/${id}`))['status'], 'unconfirmed');
    const { rows } = await world.database.pool.query<{ action: string }>(
      `select action from audit_pending where target = $1 union all select action from audit_log where target = $1`,
      [id],
    );
    const acts = rows.map(({ action }) => action).toSorted();
    assert.deepEqual(acts, [
      'confirmMail',
      'registerWebhook',
      'stopMail',
      'stopMail',
      'stopMail',
      'updateWebhook',
    ]);
  });

  test('a stranger who refuses gets no further request, and the caller is not told', async () => {
    const email = 'Stranger@example.org';
    const { id, asked } = await register(email);
    assert.equal((await anyone('POST', linkIn(asked, 'stop'))).statusCode, 200);
    const from = server.taken.length;
    for (const again of [email, 'stranger@example.org', 'stranger+1@example.org']) {
      const made = await post('/v1/webhooks', { email: again, events: ['*'] });
      assert.equal(made.status, 201);
      const { last_attempt: last } = await delivery(String(made.json()['id']), 'dead');
      assert.match(last.error, /^not sent: the bound .* or the recipient refused/);
    }
    assert.equal(server.taken.slice(from).filter(({ to }) => /stranger/i.test(to)).length, 0);
    assert.equal((await get(`/v1/webhooks/${id}`))['status'], 'disabled');
  });

  test('nobody can have a mailbox flooded with requests, whatever tag follows its name', async () => {
    const { ofAddress } = MAILS_A_DAY.confirmations;
    const first = await register('victim@example.net');
    const ids = [];
    for (let i = 0; i < ofAddress + 2; i++) {
      const made = await post('/v1/webhooks', { email: `victim+${i}@example.net`, events: ['*'] });
      assert.equal(made.status, 201);
      ids.push(String(made.json()['id']));
    }
    for (let i = 0; i < 3; i++) await post(`/v1/webhooks/${first.id}/test`, {});
    // All attempts have ended, whichever of them were let through.
    for (const id of [first.id, ...ids])
      while (((await get(`/v1/webhooks/${id}/deliveries?status=pending`))['deliveries'] as []).length > 0)
        await delay(20);
    assert.equal(server.taken.filter(({ to }) => to.startsWith('victim')).length, ofAddress);
  });

  test('a link ends after a day, and another request replaces it', async () => {
    const { id, email, asked } = await register();
    await world.database.pool.query(
      `update webhooks set confirm_until = now() - interval '1 s' where id = $1`,
      [id],
    );
    assert.equal((await anyone('POST', linkIn(asked, 'confirm'))).statusCode, 404);
    const from = server.taken.length;
    assert.equal((await post(`/v1/webhooks/${id}/test`, {})).status, 200);
    const again = await server.next(from, ({ to }) => to === email);
    assert.notEqual(linkIn(again, 'confirm'), linkIn(asked, 'confirm'));
    assert.equal((await anyone('POST', linkIn(again, 'confirm'))).statusCode, 200);
    assert.equal((await get(`/v1/webhooks/${id}`))['status'], 'active');
  });

  test('a mail that is deferred comes later, one to no mailbox ends the endpoint and names it', async () => {
    const { id, email } = await confirmed();
    server.conduct = 'defer';
    const from = server.taken.length;
    await emit(id);
    const { id: deferred } = await attempted(id);
    server.conduct = 'take';
    await server.next(from, ({ to }) => to === email);
    const { attempt_log: log } = await get(`/v1/webhooks/${id}/deliveries/${deferred}`);
    assert.equal((log as { status: number }[])[0]!.status, 451);
    server.conduct = 'refuse';
    await emit(id);
    const { id: last } = await delivery(id, 'dead');
    server.conduct = 'take';
    const detail = await get(`/v1/webhooks/${id}/deliveries/${last}`);
    assert.ok(!JSON.stringify(detail).includes(email), 'the log repeats no address');
    const ended = await get(`/v1/webhooks/${id}`);
    assert.equal(ended['status'], 'disabled');
    assert.match(String(ended['disabled_reason']), /no such address/);
  });

  test('a mail server that hangs holds back no webhook', async () => {
    const { id } = await confirmed();
    const { storage, owner, database, sealing } = world;
    server.conduct = 'hang';
    for (let i = 0; i < 40; i++) await emit(id);
    const hook = { ...owner, id: newId('webhook'), url: 'https://example.com/', events: ['*'] };
    await storage.webhooks.create({ ...hook, status: 'active' }, 'whsec_a');
    await storage.events.emit(owner, 'webhook.test', {}, hook.id);
    const claimed = await deliveryQueue(database.db, sealing).claim({
      limit: 10,
      leaseMs: 60_000,
      perEndpoint: 10,
      room: new Map(),
      heldAccounts: [],
    });
    assert.deepEqual(
      claimed.map(({ endpointId }) => endpointId),
      [hook.id],
    );
    await node.call({ method: 'DELETE', url: `/v1/webhooks/${id}`, key });
    await node.call({ method: 'DELETE', url: `/v1/webhooks/${hook.id}`, key });
    server.conduct = 'take';
    server.drop();
  });

  test('what comes twice over the wire has one identifier', async () => {
    const { id, email } = await confirmed();
    const from = server.taken.length;
    server.conduct = 'take-and-cut';
    await emit(id);
    const once = await server.next(from, ({ to }) => to === email);
    server.conduct = 'take';
    const place = server.taken.indexOf(once) + 1;
    const twice = await server.next(place, ({ to }) => to === email);
    assert.equal(twice.mail.headers.get('message-id'), once.mail.headers.get('message-id'));
  });

  test('the address stands nowhere in the clear', async () => {
    const { email } = await register('hidden.person@example.com');
    const { rows } = await world.database.pool.query<{ name: string }>(
      `select c.relname as name from pg_class c where relnamespace = 'groundwatch'::regnamespace and relkind = 'r'`,
    );
    assert.ok(rows.length > 30);
    for (const { name } of rows) {
      const found = await world.database.pool.query(
        `select 1 from groundwatch."${name}" t where t::text ilike $1 limit 1`,
        [`%${email}%`],
      );
      assert.equal(found.rowCount, 0, name);
    }
  });

  test('careless callers get a 400 that names the field', async () => {
    for (const [payload, param] of [
      [{ email: 'ada', events: ['*'] }, 'email'],
      [{ email: 'ada@example.com\r\nBcc: eve@example.com', events: ['*'] }, 'email'],
      [{ email: ['ada@example.com'], events: ['*'] }, 'email'],
      [{ email: `${'a'.repeat(300)}@example.com`, events: ['*'] }, 'email'],
      [{ email: 'ada@example.com', url: 'https://example.com/', events: ['*'] }, 'email'],
      [{ events: ['*'] }, 'url'],
      [{ email: 'ada@example.com', events: [] }, 'events'],
    ] as const)
      assert.equal(
        refusal(await post('/v1/webhooks', payload), 400, '').param,
        param,
        JSON.stringify(payload),
      );
    const { id } = await register();
    const url = `/v1/webhooks/${id}`;
    assert.equal((await post(`${url}/rotate-secret`, {})).status, 400);
    const moved = await node.call({ method: 'PATCH', url, payload: { url: 'https://example.com/' }, key });
    assert.equal(refusal(moved, 400, '').param, 'url');
    for (const secret of ['', 'x', '%00', '..%2f', 'x'.repeat(190), 'é'])
      for (const kind of ['confirm', 'stop'])
        for (const method of ['GET', 'POST'] as const) {
          const { statusCode } = await anyone(method, `/mail/${kind}/${secret}`, '\0{}', 'application/json');
          assert.ok(statusCode < 500, `${method} ${kind} ${secret}: ${statusCode}`);
        }
    await using without = await securedApp(world);
    const none = await without.call({
      method: 'POST',
      url: '/v1/webhooks',
      payload: { email: 'ada@example.com', events: ['*'] },
      key,
    });
    assert.match(refusal(none, 400, 'email').message, /GROUNDWATCH_SMTP_URL/);
  });

  test('the endpoint of another environment is a 404', async () => {
    const { id } = await register();
    const other = await securedApp(world);
    const theirs = await other.key({ environment: 'sandbox' });
    const answer = await other.call({ method: 'GET', url: `/v1/webhooks/${id}`, key: theirs });
    assert.equal(answer.status, 404);
    await other[Symbol.asyncDispose]();
  });
});
