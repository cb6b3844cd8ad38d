// Long file: one world of credentials serves the whole matrix of operations, scopes, roles, accounts and environments.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { createClient } from '../../src/app/access/manage-clients.ts';
import { createApiKey } from '../../src/app/access/manage-keys.ts';
import type { Environment } from '../../src/app/owner.ts';
import { SandboxRegion } from '../../src/app/sandbox/sandbox-region.ts';
import { SANDBOX_SEED } from '../../src/app/sandbox/seed-sandbox.ts';
import { newApiKey } from '../../src/auth/api-key.ts';
import { newClientSecret } from '../../src/auth/client-secret.ts';
import { ERROR_CODES, type ErrorStatus } from '../../src/contract/errors.ts';
import { ACCOUNT_LIMITS } from '../../src/contract/limits.ts';
import { openApiDocument } from '../../src/contract/openapi/openapi.ts';
import type { ResponseObject } from '../../src/contract/openapi/document.ts';
import { SESSION_HOURS } from '../../src/contract/limits.ts';
import { type Role, ROLE_SCOPES, ROLES } from '../../src/contract/people/roles.ts';
import { type Scope, SCOPES } from '../../src/contract/scopes.ts';
import { ENVIRONMENTS } from '../../src/contract/vocabulary.ts';
import { ThreadPictures } from '../../src/pictures/thread-pictures.ts';
import { testSession } from '../fixtures/sessions.ts';
import { securedApp, type SecuredApp } from '../fixtures/secured-app.ts';
import { DeclaredAnswers, type DeclaredOperation } from './declared-answers.ts';
import { OPERATION_CASES, type OperationCase, type Request } from './operation-cases.ts';
import { contractWorld, type World } from './world.ts';

const HOUR_MS = 3_600_000;
const STRANGER = 'matrix-stranger';

/** Kinds of credentials; see {@link REFUSED}, {@link EVERY_SET} and {@link EVERY_NTH} for the scopes they are tested with. */
const KINDS = [
  'key',
  'token',
  'no credential',
  'bad key',
  'bad token',
  'expired key',
  'expired token',
  'revoked key',
  'token of a revoked client',
  'key of another environment',
  'token of another environment',
  'key of the sandbox',
  'token of the sandbox',
  'key of another account',
  'token of another account',
  'key of another account and environment',
  'token of another account and environment',
  'key of another account in the sandbox',
  'token of another account in the sandbox',
] as const;
type Kind = (typeof KINDS)[number];

/** Kinds that are refused whatever their scopes are: each is tested with the scopes that would suffice. */
const REFUSED: ReadonlySet<Kind> = new Set([
  'no credential',
  'bad key',
  'bad token',
  'expired key',
  'expired token',
  'revoked key',
  'token of a revoked client',
]);

/** Kinds that are tested with each set of scopes by each operation. */
const EVERY_SET: ReadonlySet<Kind> = new Set(['key', 'token']);
/**
 * Of the sets of scopes that do not suffice, the share with which each other kind calls an operation: one in so many. It
 * moves on with the operation and the kind, so that each kind meets each set, and each operation each set and kind.
 */
const EVERY_NTH = 8;

/** Accounts and environments; members with each role call every operation in each of them. */
const PLACES = (['ours', 'theirs'] as const).flatMap((account) =>
  ENVIRONMENTS.map((environment) => ({ account, environment })),
);

/** Sessions of admins that are refused. */
const ENDED = [
  'signed out',
  'idle for too long',
  'older than a session gets',
  'of a removed member',
  'of a member of another account',
  'from a page of another site',
  'without the account',
] as const;

/** Matches identifiers of resources of one environment. Other accounts and environments must not find them. */
const NAMES_OURS = /\b(?:aoi|chg|an|inc|sub|wh|evt|dlv|key|cli|rw|col|scn)_[0-9a-z]{26}\b/;

/** Matches identifiers of members, who belong to an account in all its environments. */
const NAMES_MEMBER = /\bmbr_[0-9a-z]{26}\b/;

/** Returns the sets of scopes to test: each scope alone, and each set of scopes that an operation requires. */
const sets = (operations: readonly DeclaredOperation[]): readonly (readonly Scope[])[] => {
  const all = [
    ...SCOPES.map((scope) => [scope]),
    ...operations.filter((operation) => !isForPeople(operation)).map(scopesOf),
  ];
  const bySet = new Map(all.map((set) => [set.toSorted().join(' '), set]));
  bySet.delete('');
  return [...bySet.values()];
};

const scopesOf = ({ declared }: DeclaredOperation): readonly Scope[] =>
  Object.values(declared.security![0]!)[0] as readonly Scope[];

const isForPeople = ({ declared }: DeclaredOperation): boolean => 'session' in declared.security![0]!;

const isOfSandbox = ({ declared }: DeclaredOperation): boolean =>
  OPERATION_CASES[declared.operationId]!.key === 'sandboxKey';

const isStream = ({ declared }: DeclaredOperation): boolean =>
  'text/event-stream' in ((declared.responses['200'] as ResponseObject | undefined)?.content ?? {});

describe('who may do what: every operation, with every scope and role, by every kind of credential', () => {
  let world: World;
  let app: SecuredApp;
  let pictures: ThreadPictures;
  const region = new SandboxRegion(SANDBOX_SEED);
  const answers = new DeclaredAnswers(openApiDocument());
  const scopeSets = sets(answers.operations);
  const credentials = new Map<string, string | undefined>();
  const nameOf = (kind: Kind, scopes: readonly Scope[]) => `${kind} ${scopes.toSorted().join(' ')}`;

  before(async () => {
    world = await contractWorld();
    const { storage, cube } = world.backstage;
    pictures = new ThreadPictures(cube.address);
    app = await securedApp(
      { storage },
      // No budget of the accounts: it would count as spent after the clock is set back for expired tokens.
      {
        accountLimits: { ...ACCOUNT_LIMITS, units: 0 },
        parts: {
          cube,
          region,
          pictures,
          checkCallback: () => ({ ok: true }),
          newWebhookSecret: () => 'whsec_x',
        },
      },
    );
    await storage.accounts.create(STRANGER);
    for (const scopes of scopeSets) await makeCredentials(scopes);
    // Advances the clock, so that cached credentials expire and are read from the database again.
    app.clock.ms += 1000;
  });
  after(async () => {
    await app[Symbol.asyncDispose]();
    await region.close();
  });

  // Collects the warnings of the process. Above all, a warning about too many listeners on a response shows that
  // long calls leak listeners.
  const warnings: string[] = [];
  const warned = ({ message }: Error) => warnings.push(message);
  before(() => process.on('warning', warned));
  after(() => process.off('warning', warned));

  async function makeCredentials(scopes: readonly Scope[]): Promise<void> {
    const { storage } = world.backstage;
    const past = { now: () => app.clock.ms - 2 * HOUR_MS };
    const key = async (accountName: string, environment: Environment, lifetimeMs: number | null = null) => {
      const deps = { clock: past, storage, newApiKey };
      return createApiKey(deps, { accountName, environment, scopes, lifetimeMs, rateLimit: 0 });
    };
    const client = (accountName: string, environment: Environment) =>
      createClient({ storage, newClientSecret }, { accountName, environment, scopes, rateLimit: 0 });
    const token = async (from: { readonly id: string; readonly secret: string | undefined }, backMs = 0) => {
      app.clock.ms -= backMs;
      const answer = await app.form('/oauth/token', {
        grant_type: 'client_credentials',
        client_id: from.id,
        client_secret: from.secret!,
      });
      app.clock.ms += backMs;
      assert.equal(answer.status, 200, answer.text);
      return String(answer.json()['access_token']);
    };
    const put = (kind: Kind, credential: string | undefined) =>
      credentials.set(nameOf(kind, scopes), credential);
    const good = await key('contract', 'production');
    const ours = await client('contract', 'production');
    const fresh = await token(ours);
    put('key', good.text);
    put('token', fresh);
    put('no credential', undefined);
    put('bad key', newApiKey('production').text);
    put('bad token', `${fresh.slice(0, -6)}AAAAAA`);
    put('expired key', (await key('contract', 'production', HOUR_MS)).text);
    put('expired token', await token(ours, 2 * HOUR_MS));
    const ended = await key('contract', 'production');
    await storage.keys.end(ended.id, new Date(app.clock.ms));
    put('revoked key', ended.text);
    const gone = await client('contract', 'production');
    put('token of a revoked client', await token(gone));
    await storage.clients.revoke(gone.id, new Date(app.clock.ms));
    put('key of another environment', (await key('contract', 'staging')).text);
    put('token of another environment', await token(await client('contract', 'staging')));
    put('key of the sandbox', (await key('contract', 'sandbox')).text);
    put('token of the sandbox', await token(await client('contract', 'sandbox')));
    for (const [where, environment] of [
      ['', 'production'],
      [' and environment', 'staging'],
      [' in the sandbox', 'sandbox'],
    ] as const) {
      put(`key of another account${where}`, (await key(STRANGER, environment)).text);
      put(`token of another account${where}`, await token(await client(STRANGER, environment)));
    }
  }

  /**
   * Returns the status of the expected error; undefined if the call must succeed. `OperationCase` contains the status of
   * success.
   */
  function expected(
    operation: DeclaredOperation,
    valid: Request,
    scopes: readonly Scope[],
    kind: Kind,
  ): ErrorStatus | undefined {
    if (REFUSED.has(kind)) return 401;
    if (isForPeople(operation)) return 403;
    if (!scopesOf(operation).every((scope) => scopes.includes(scope))) return 403;
    // The operations of the sandbox reject the other environments.
    if (isOfSandbox(operation) && !kind.includes('sandbox')) return 403;
    return /another|sandbox/.test(kind) && NAMES_OURS.test(JSON.stringify(valid)) ? 404 : undefined;
  }

  async function check(
    operation: DeclaredOperation,
    one: OperationCase,
    reused: Request,
    scopes: readonly Scope[],
    kind: Kind,
  ): Promise<void> {
    const where = `${operation.declared.operationId} by ${nameOf(kind, scopes)}`;
    const refusedWith = expected(operation, reused, scopes, kind);
    const [[status, make]] = Object.entries(one.success) as [[string, (of: World) => Promise<Request>]];
    const request = refusedWith === undefined ? await make(world) : reused;
    const name = nameOf(kind, scopes);
    assert.ok(credentials.has(name), `there is no ${name}`);
    const credential = credentials.get(name);
    const headers = credential === undefined ? {} : { authorization: `Bearer ${credential}` };
    const answer = await send(operation, request, headers, refusedWith, status, where);
    if (refusedWith !== 401) return;
    const challenge = String(answer.headers['www-authenticate']);
    assert.equal(challenge.includes('error="invalid_token"'), kind !== 'no credential', where);
  }

  /** Sends a call and asserts its status: that of the error, or else that of success. */
  async function send(
    operation: DeclaredOperation,
    { path, json }: Request,
    headers: Readonly<Record<string, string>>,
    refusedWith: ErrorStatus | undefined,
    status: string,
    where: string,
  ) {
    const answer = await app.app.inject({
      method: operation.method,
      url: path,
      headers,
      payloadAsStream: isStream(operation) && refusedWith === undefined,
      // Each call comes from its own network, so that no call is rate-limited because of other calls.
      remoteAddress: `2001:db8:0:${(calls += 1).toString(16)}::1`,
      ...(json !== undefined && { payload: json as object }),
    });
    if (isStream(operation) && refusedWith === undefined) answer.stream().destroy();
    if (refusedWith === undefined) {
      assert.equal(
        String(answer.statusCode),
        status,
        `${where}: ${isStream(operation) ? '' : answer.body.slice(0, 300)}`,
      );
      return answer;
    }
    assert.equal(answer.statusCode, refusedWith, `${where}: ${answer.body.slice(0, 300)}`);
    const { error } = answer.json<{ error: { code: string; request_id: string } }>();
    assert.equal(error.code, ERROR_CODES[refusedWith], where);
    return answer;
  }
  let calls = 0;

  test('status and code of each operation by each kind of credential, with scopes that suffice and do not', async () => {
    const met = new Set<string>();
    for (const [o, operation] of answers.operations.entries()) {
      const one = OPERATION_CASES[operation.declared.operationId];
      assert.ok(one, `${operation.declared.operationId} has no case in operation-cases.ts`);
      const reused = await Object.values(one.success)[0]!(world);
      const isEnough = (scopes: readonly Scope[]): boolean =>
        isForPeople(operation) || scopesOf(operation).every((scope) => scopes.includes(scope));
      const enough = scopeSets.find(isEnough)!;
      for (const [s, scopes] of scopeSets.entries()) {
        for (const [k, kind] of KINDS.entries()) {
          const isMet =
            scopes === enough || EVERY_SET.has(kind) || (!REFUSED.has(kind) && (o + s + k) % EVERY_NTH === 0);
          if (!isMet) continue;
          await check(operation, one, reused, scopes, kind);
          for (const [what, by] of [
            ['operation', operation.declared.operationId],
            ['scopes', scopes.join(' ')],
          ] as const)
            met.add(`${what} ${by}: ${kind}`);
        }
      }
    }
    for (const kind of KINDS) {
      for (const { declared } of answers.operations)
        assert.ok(
          met.has(`operation ${declared.operationId}: ${kind}`),
          `${declared.operationId} by ${kind}`,
        );
      for (const scopes of REFUSED.has(kind) ? [] : scopeSets)
        assert.ok(met.has(`scopes ${scopes.join(' ')}: ${kind}`), `${scopes.join(' ')} of ${kind}`);
    }
    assert.deepEqual(warnings, []);
  });

  /** Returns the status of the expected error of a member's call; undefined if the call must succeed. */
  function expectedOfMember(
    operation: DeclaredOperation,
    valid: Request,
    role: Role,
    { account, environment }: (typeof PLACES)[number],
  ): ErrorStatus | undefined {
    if (!scopesOf(operation).every((scope) => ROLE_SCOPES[role].includes(scope))) return 403;
    if (isOfSandbox(operation) && environment !== 'sandbox') return 403;
    const named = JSON.stringify(valid);
    if (account === 'theirs' && NAMES_MEMBER.test(valid.path)) return 404;
    return (account === 'theirs' || environment !== 'production') && NAMES_OURS.test(named) ? 404 : undefined;
  }

  /** Headers of the calls with sessions that are refused. */
  async function endedSessions(role: Role): Promise<Record<(typeof ENDED)[number], Record<string, string>>> {
    const { storage } = world.backstage;
    const now = app.clock.ms;
    const { accountId } = world.owner;
    const theirs = (await storage.accounts.byName(STRANGER))!.id;
    const session = (of = accountId, atMs = now) => testSession(storage, of, role, atMs);
    const [out, idle, old, removed] = [
      await session(),
      await session(accountId, now - SESSION_HOURS.idle * HOUR_MS),
      await session(accountId, now - SESSION_HOURS.most * HOUR_MS),
      await session(),
    ];
    await storage.sessions.end(out.hash);
    await storage.sessions.touch(old.hash, new Date(now));
    await storage.members.remove(accountId, removed.member);
    const [stranger, own] = [await session(theirs), await session()];
    const { 'Groundwatch-Account': _, ...incomplete } = own.headers();
    return {
      'signed out': out.headers(),
      'idle for too long': idle.headers(),
      'older than a session gets': old.headers(),
      'of a removed member': removed.headers(),
      'of a member of another account': stranger.headers('production', accountId),
      'from a page of another site': { ...own.headers(), 'sec-fetch-site': 'cross-site' },
      'without the account': incomplete,
    };
  }

  test('status and code of each cell of people: role, account and environment, and ended sessions', async () => {
    const { storage } = world.backstage;
    const theirs = (await storage.accounts.byName(STRANGER))!.id;
    let cells = 0;
    for (const role of ROLES) {
      const sessions = {
        ours: await testSession(storage, world.owner.accountId, role, app.clock.ms),
        theirs: await testSession(storage, theirs, role, app.clock.ms),
      };
      const ended = await endedSessions(role);
      for (const operation of answers.operations) {
        const one = OPERATION_CASES[operation.declared.operationId]!;
        const [[status, make]] = Object.entries(one.success) as [[string, (of: World) => Promise<Request>]];
        const reused = await make(world);
        for (const place of PLACES) {
          const where = `${operation.declared.operationId} by ${role}, ${place.account} ${place.environment}`;
          const refusedWith = expectedOfMember(operation, reused, role, place);
          const request = refusedWith === undefined ? await make(world) : reused;
          const headers = sessions[place.account].headers(place.environment);
          await send(operation, request, headers, refusedWith, status, where);
          // A member has a budget of units. A minute later it is full again.
          app.clock.ms += 60_000 / PLACES.length;
          cells += 1;
        }
        // A session that is refused is refused whatever its role is.
        for (const kind of role === 'admin' ? ENDED : []) {
          const where = `${operation.declared.operationId} by ${role}, session ${kind}`;
          await send(operation, reused, ended[kind], 401, status, where);
          cells += 1;
        }
        // The clock of the test runs fast. The sessions that must hold are used again.
        for (const { hash } of Object.values(sessions))
          await storage.sessions.touch(hash, new Date(app.clock.ms));
      }
    }
    assert.equal(cells, answers.operations.length * (ROLES.length * PLACES.length + ENDED.length));
  });

  test('what another account made is not there: lists, events and usage tell nothing of it', async () => {
    const everything = [
      world.aoi.id,
      world.change.id,
      world.anomalyId,
      world.incidentId,
      world.subscriptionId,
    ];
    for (const operation of answers.operations) {
      if (operation.method !== 'GET' || operation.path.includes('{')) continue;
      if ('404' in operation.declared.responses || isStream(operation) || isForPeople(operation)) continue;
      const { path } = await Object.values(OPERATION_CASES[operation.declared.operationId]!.success)[0]!(
        world,
      );
      const [url] = path.split('?limit=1');
      for (const kind of ['key of another account', 'token of another environment'] as const) {
        const scopes = scopesOf(operation);
        const credential = credentials.get(nameOf(kind, scopes.length > 0 ? scopes : ['risk:read']))!;
        const answer = await app.call({ url: url!, key: credential });
        for (const id of everything)
          assert.ok(!answer.text.includes(id), `${operation.declared.operationId} tells ${kind} of ${id}`);
      }
    }
  });
});
