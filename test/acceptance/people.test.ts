// Long file: one service and its provider serve every way of signing in, and of being refused.
import assert from 'node:assert/strict';
import { after, afterEach, before, describe, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { Unauthorized } from '../../src/base/errors.ts';
import { testApp } from '../fixtures/test-app.ts';
import { SESSION_COOKIE } from '../../src/contract/people/session.ts';
import { SIGN_IN_COOKIE } from '../../src/http/people/cookies.ts';
import { CLIENT, openidProvider, type TestProvider } from '../fixtures/openid-provider.ts';
import { PersonAtBrowser } from '../fixtures/person.ts';
import { startService, type TestService } from '../fixtures/service.ts';

const PEOPLE = {
  ada: { email: 'Ada@Example.com', isVerified: true },
  grace: { email: 'grace@example.com', isVerified: true },
  impostor: { email: 'grace@example.com', isVerified: false },
  stranger: { email: 'stranger@example.com', isVerified: true },
};
const SAME_ORIGIN = { 'sec-fetch-site': 'same-origin' };
const RECHECK_MS = 1050; // a little more than the second for which a session is cached

describe('people sign in to a running service with a real OpenID provider', () => {
  let provider: TestProvider;
  let foreign: TestProvider;
  let service: TestService;
  let account: string;
  let admin: string;
  const open: PersonAtBrowser[] = [];

  before(async () => {
    [provider, foreign] = [await openidProvider(PEOPLE), await openidProvider(PEOPLE)];
    service = await startService({
      GROUNDWATCH_OIDC_ISSUER: `${provider.issuer}/.well-known/openid-configuration`,
      GROUNDWATCH_OIDC_CLIENT_ID: CLIENT.id,
      GROUNDWATCH_OIDC_CLIENT_SECRET: CLIENT.secret,
      GROUNDWATCH_CA_FILE: provider.caPath,
    });
    account = String((await service.cli('accounts', 'create', 'acme'))['id']);
    admin = String((await service.cli('members', 'add', 'acme', 'ada@example.com', '--role', 'admin'))['id']);
  });
  afterEach(async () => {
    for (const person of open.splice(0)) await person.close();
  });
  after(async () => {
    await service?.stop();
    for (const one of [provider, foreign]) await one?.close();
  });

  const browser = (): PersonAtBrowser => {
    const person = new PersonAtBrowser(service.baseUrl, [service.ca, provider.ca, foreign.ca]);
    open.push(person);
    return person;
  };
  const signedIn = async (login: string): Promise<PersonAtBrowser> => {
    const person = browser();
    const answer = await person.signIn(login);
    assert.equal(answer.status, 303, answer.text);
    return person;
  };
  /** Headers of a call from a page of the service. */
  const about = (environment = 'production', accountId = account) => ({
    ...SAME_ORIGIN,
    'groundwatch-account': accountId,
    'groundwatch-environment': environment,
  });
  /** Waits until the log of the service has a line. */
  const logged = async (line: RegExp): Promise<void> => {
    for (let tries = 0; tries < 9_000 && !line.test(service.log()); tries++) await pause(20);
    assert.match(service.log(), line);
  };
  const invite = async (email: string, role: string): Promise<string> =>
    String((await service.cli('members', 'add', 'acme', email, '--role', role))['id']);
  /** Asserts that a sign-in was refused with a page, and that it left no cookie. */
  const refused = (person: PersonAtBrowser, answer: { status: number; text: string }, why: RegExp) => {
    assert.equal(answer.status, 403, answer.text);
    assert.match(answer.text, why);
    assert.equal(person.cookie(SESSION_COOKIE), undefined);
    assert.equal(person.cookie(SIGN_IN_COOKIE), undefined);
  };

  test('a provider that does not answer hinders nothing but signing in, and the log says why', async () => {
    const answer = await service.call('/auth/sign-in');
    assert.equal(answer.status, 502);
    assert.match(answer.text, /provider cannot be used/);
    await logged(/sign-in failed.*unexpected HTTP response status code/);
    assert.equal((await service.call('/readyz')).status, 200);
    for (const one of [provider, foreign]) one.register(`${service.baseUrl}/auth/callback`);
  });

  test('an invited person signs in, is known, works, and signs out', async () => {
    const ada = browser();
    const page = await ada.begin();
    const asked = new URL(page).searchParams;
    assert.equal(asked.get('code_challenge_method'), 'S256');
    for (const name of ['state', 'nonce', 'code_challenge']) assert.ok(asked.get(name)!.length >= 43, name);
    assert.equal(asked.get('redirect_uri'), `${service.baseUrl}/auth/callback`);
    const back = await ada.open(await ada.logIn(page, 'ada'));
    assert.equal(back.status, 303, back.text);
    assert.equal(back.headers['location'], `${service.baseUrl}/`);
    assert.match(
      back.headers['set-cookie']!,
      /__Host-groundwatch-session=[\w-]{43}; Path=\/; Secure; HttpOnly; SameSite=Strict; Max-Age=43200/,
    );
    assert.equal(ada.cookie(SIGN_IN_COOKIE), undefined);

    const state = (await ada.open('/auth/session', { headers: SAME_ORIGIN })).json();
    assert.deepEqual(state, {
      sign_in: true,
      members: [
        { id: admin, account: { id: account, name: 'acme' }, email: 'ada@example.com', role: 'admin' },
      ],
    });
    const members = await ada.open('/v1/members', { headers: about() });
    assert.equal(members.status, 200, members.text);
    const [own] = members.json()['members'] as readonly Record<string, unknown>[];
    assert.equal(own!['status'], 'active');
    const usage = await ada.open('/v1/usage', { headers: about('sandbox') });
    assert.equal(usage.json()['credential_id'], admin);
    assert.equal(usage.headers['x-ratelimit-limit'], '600');

    const out = await ada.open('/auth/sign-out', { method: 'POST', headers: SAME_ORIGIN });
    assert.equal(out.status, 204, out.text);
    assert.equal(ada.cookie(SESSION_COOKIE), undefined);
  });

  test('a session ends at sign-out, also for whoever copied its cookie', async () => {
    const ada = await signedIn('ada');
    const secret = ada.cookie(SESSION_COOKIE)!;
    await ada.open('/auth/sign-out', { method: 'POST', headers: SAME_ORIGIN });
    await pause(RECHECK_MS);
    ada.setCookie(SESSION_COOKIE, secret);
    assert.equal((await ada.open('/v1/members', { headers: about() })).status, 401);
    assert.equal((await ada.open('/auth/session', { headers: SAME_ORIGIN })).json()['members'], null);
  });

  test('a second sign-in gives another session and ends the first', async () => {
    const ada = await signedIn('ada');
    const first = ada.cookie(SESSION_COOKIE)!;
    assert.equal((await ada.signIn('ada')).status, 303);
    const second = ada.cookie(SESSION_COOKIE)!;
    assert.notEqual(second, first);
    assert.equal((await ada.open('/v1/members', { headers: about() })).status, 200);
    ada.setCookie(SESSION_COOKIE, first);
    assert.equal((await ada.open('/v1/members', { headers: about() })).status, 401);
  });

  test('a replayed state is refused', async () => {
    const ada = browser();
    const page = await ada.begin();
    const ticket = ada.cookie(SIGN_IN_COOKIE)!;
    const back = await ada.logIn(page, 'ada');
    assert.equal((await ada.open(back)).status, 303);
    const thief = browser();
    thief.setCookie(SIGN_IN_COOKIE, ticket);
    refused(thief, await thief.open(back), /completed before/);
  });

  test('a sign-in that another browser began is refused, and so is a ticket that was altered', async () => {
    const [ada, victim] = [browser(), browser()];
    const back = await ada.logIn(await ada.begin(), 'ada');
    refused(victim, await victim.open(back), /has not begun/);
    await victim.begin();
    refused(victim, await victim.open(back), /another sign-in/);
    const ticket = ada.cookie(SIGN_IN_COOKIE)!;
    ada.setCookie(SIGN_IN_COOKIE, `${ticket.slice(0, -2)}AA`);
    refused(ada, await ada.open(back), /has not begun/);
  });

  test('a foreign issuer is refused: its answer, and its tokens behind the right address', async () => {
    const ada = browser();
    const toForeign = async (): Promise<string> => {
      const page = new URL(await ada.begin());
      return ada.logIn(`${foreign.issuer}${page.pathname}${page.search}`, 'ada');
    };
    const mixedUp = await toForeign();
    assert.equal(new URL(mixedUp).searchParams.get('iss'), foreign.issuer);
    refused(ada, await ada.open(mixedUp), /not valid/);

    const disguised = new URL(await toForeign());
    disguised.searchParams.set('iss', provider.issuer);
    provider.answerTokensOf(foreign);
    try {
      refused(ada, await ada.open(disguised.href), /not valid/);
    } finally {
      provider.answerTokensOf(undefined);
    }
    await logged(/sign-in failed.*unexpected JWT \\"iss\\"/);
  });

  test('whoever is not invited, or whose address is not verified, does not come in', async () => {
    const member = await invite('grace@example.com', 'viewer');
    for (const [login, why] of [
      ['stranger', /Nobody has invited you/],
      ['impostor', /no verified e-mail address/],
    ] as const) {
      const person = browser();
      refused(person, await person.signIn(login), why);
    }
    await service.cli('members', 'remove', member);
  });

  test('a change of the role and the removal of a member hold within a second, and the address is erased', async () => {
    const [ada, id] = [await signedIn('ada'), await invite('grace@example.com', 'analyst')];
    const grace = await signedIn('grace');
    const make = () => grace.open('/v1/aois', { method: 'POST', headers: about('staging'), json: SQUARE });
    assert.equal((await make()).status, 201);
    assert.equal((await grace.open('/v1/members', { headers: about() })).status, 403);
    const change = await ada.open(`/v1/members/${id}`, {
      method: 'PATCH',
      headers: about(),
      json: { role: 'viewer' },
    });
    assert.equal(change.json()['role'], 'viewer', change.text);
    await pause(RECHECK_MS);
    assert.equal((await make()).status, 403);
    assert.equal((await grace.open('/v1/aois', { headers: about('staging') })).status, 200);
    const gone = await ada.open(`/v1/members/${id}`, { method: 'DELETE', headers: about() });
    assert.equal(gone.status, 204, gone.text);
    await pause(RECHECK_MS);
    assert.equal((await grace.open('/v1/aois', { headers: about('staging') })).status, 401);
    assert.equal((await grace.open('/auth/session', { headers: SAME_ORIGIN })).json()['members'], null);
    const { database } = await service.backstage();
    const left = await database.db.selectFrom('members').selectAll().execute();
    assert.deepEqual(
      left.map(({ email }) => email),
      ['ada@example.com'],
    );
    const { rows } = await database.pool.query<{ text: string }>(
      "select coalesce(string_agg(audit_log::text, ''), '') as text from groundwatch.audit_log",
    );
    assert.doesNotMatch(rows[0]!.text, /grace/);
    assert.match(rows[0]!.text, new RegExp(id));

    const log = await ada.open('/v1/audit', { headers: about() });
    const records = log.json()['records'] as readonly Record<string, unknown>[];
    const found = (action: string) => records.find((record) => record['action'] === action);
    assert.deepEqual([found('removeMember')?.['actor'], found('removeMember')?.['target']], [admin, id]);
    assert.equal(found('members add')?.['target'], id);
    assert.equal(found('createAoi'), undefined, 'of another environment');
  });

  test('the last admin keeps the role', async () => {
    const ada = await signedIn('ada');
    const demoted = { method: 'PATCH', headers: about(), json: { role: 'viewer' } } as const;
    assert.match((await ada.open(`/v1/members/${admin}`, demoted)).text, /no other admin/);
    const removed = await ada.open(`/v1/members/${admin}`, { method: 'DELETE', headers: about() });
    assert.equal(removed.status, 400);
    await assert.rejects(service.cli('members', 'remove', admin), /no other admin/);
  });

  test('a session works for pages of the service only', async () => {
    const ada = await signedIn('ada');
    const call = (headers: Readonly<Record<string, string>>) =>
      ada.open('/v1/members', { method: 'POST', headers, json: { email: 'eve@example.com', role: 'admin' } });
    const { 'sec-fetch-site': _, ...silent } = about();
    for (const headers of [
      { ...about(), 'sec-fetch-site': 'cross-site' },
      { ...about(), 'sec-fetch-site': 'same-site' },
      { ...about(), 'sec-fetch-site': 'none' },
      { ...silent, origin: 'https://evil.example.com' },
      { ...silent, origin: 'null' },
      silent,
      SAME_ORIGIN,
      { ...about(), 'groundwatch-environment': 'everything' },
    ])
      assert.equal((await call(headers)).status, 401, JSON.stringify(headers));
    const own = await call({ ...silent, origin: service.baseUrl });
    assert.equal(own.status, 201, own.text);
    await service.cli('members', 'remove', String(own.json()['id']));
    for (const headers of [{ 'sec-fetch-site': 'cross-site' }, { origin: 'https://evil.example.com' }, {}])
      assert.equal((await ada.open('/auth/sign-out', { method: 'POST', headers })).status, 401);
    assert.equal((await ada.open('/v1/members', { headers: about() })).status, 200, 'still signed in');
  });

  test('a person in several accounts chooses, and reaches no other account', async () => {
    const other = String((await service.cli('accounts', 'create', 'branch'))['id']);
    const third = String((await service.cli('accounts', 'create', 'closed to ada'))['id']);
    await service.cli('members', 'add', 'branch', 'ada@example.com', '--role', 'billing');
    const ada = await signedIn('ada');
    const state = (await ada.open('/auth/session', { headers: SAME_ORIGIN })).json();
    const members = state['members'] as readonly { account: { name: string }; role: string }[];
    assert.deepEqual(
      members.map(({ account: { name }, role }) => [name, role]),
      [
        ['acme', 'admin'],
        ['branch', 'billing'],
      ],
    );
    const status = async (path: string, of: string) =>
      (await ada.open(path, { headers: about('production', of) })).status;
    assert.equal(await status('/v1/members', account), 200);
    assert.equal(await status('/v1/members', other), 403);
    assert.equal(await status('/v1/keys', other), 200);
    assert.equal(await status('/v1/keys', third), 401);
    await service.cli('accounts', 'disable', 'branch');
    await pause(RECHECK_MS);
    assert.equal(await status('/v1/keys', other), 401);
  });

  test('the sign-in goes nowhere else: it takes no address', async () => {
    const ada = browser();
    const answer = await ada.open('/auth/sign-in?return_to=https://evil.example.com/');
    refused(ada, answer, /takes no parameters/);
    assert.equal(answer.headers['location'], undefined);
    const back = await ada.logIn(await ada.begin(), 'ada');
    const landed = await ada.open(`${back}&return_to=https://evil.example.com/`);
    assert.equal(landed.headers['location'], `${service.baseUrl}/`);
  });
});

test('without a provider nobody signs in, and a session cookie means nothing', async () => {
  const answers: string[] = [];
  await using service = await testApp({
    authenticator: {
      authenticate(authorization) {
        answers.push(String(authorization));
        throw new Unauthorized('No credential');
      },
    },
  });
  const get = (url: string, headers = {}) => service.app.inject({ url, headers });
  assert.deepEqual((await get('/auth/session')).json(), { sign_in: false, members: null });
  assert.equal((await get('/auth/sign-in')).statusCode, 404);
  const cookie = `${SESSION_COOKIE}=${'a'.repeat(43)}`;
  assert.equal((await get('/v1/usage', { cookie, ...SAME_ORIGIN })).statusCode, 401);
  assert.deepEqual(answers, ['undefined']);
});

const SQUARE = {
  name: 'west',
  geometry: {
    type: 'Polygon',
    coordinates: [
      [
        [14, 46],
        [14.1, 46],
        [14.1, 46.1],
        [14, 46],
      ],
    ],
  },
};
