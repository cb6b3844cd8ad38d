import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { createClient } from '../../src/app/access/manage-clients.ts';
import { createApiKey } from '../../src/app/access/manage-keys.ts';
import type { Environment } from '../../src/app/owner.ts';
import { newApiKey } from '../../src/auth/api-key.ts';
import { newClientSecret } from '../../src/auth/client-secret.ts';
import { ERROR_CODES, type ErrorStatus } from '../../src/contract/errors.ts';
import { ACCOUNT_LIMITS } from '../../src/contract/limits.ts';
import { openApiDocument } from '../../src/contract/openapi/openapi.ts';
import type { ResponseObject } from '../../src/contract/openapi/document.ts';
import { type Scope, SCOPES } from '../../src/contract/scopes.ts';
import { securedApp, type SecuredApp } from '../fixtures/secured-app.ts';
import { DeclaredAnswers, type DeclaredOperation } from './declared-answers.ts';
import { OPERATION_CASES, type OperationCase, type Request } from './operation-cases.ts';
import { contractWorld, type World } from './world.ts';

const HOUR_MS = 3_600_000;
const STRANGER = 'matrix-stranger';

/** Kinds of credentials; each kind is tested with each set of scopes. */
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
  'key of another account',
  'token of another account',
] as const;
type Kind = (typeof KINDS)[number];

/** Matches identifiers of resources that belong to an account. Other accounts must not find these resources. */
const NAMES_OURS = /\b(?:aoi|chg|an|sub|wh|evt|dlv|key|cli|rw)_[0-9a-z]{26}\b/;

/** Returns the sets of scopes to test: each scope alone, and each set of scopes that an operation requires. */
const sets = (operations: readonly DeclaredOperation[]): readonly (readonly Scope[])[] => {
  const all = [...SCOPES.map((scope) => [scope]), ...operations.map(scopesOf)];
  const bySet = new Map(all.map((set) => [set.toSorted().join(' '), set]));
  bySet.delete('');
  return [...bySet.values()];
};

const scopesOf = ({ declared }: DeclaredOperation): readonly Scope[] =>
  (declared.security?.[0]?.['bearer'] ?? []) as readonly Scope[];

const isStream = ({ declared }: DeclaredOperation): boolean =>
  'text/event-stream' in ((declared.responses['200'] as ResponseObject | undefined)?.content ?? {});

describe('who may do what: every operation, with every scope, by every kind of credential', () => {
  let world: World;
  let app: SecuredApp;
  const answers = new DeclaredAnswers(openApiDocument());
  const scopeSets = sets(answers.operations);
  const credentials = new Map<string, string | undefined>();
  const nameOf = (kind: Kind, scopes: readonly Scope[]) => `${kind} ${scopes.toSorted().join(' ')}`;

  before(async () => {
    world = await contractWorld();
    const { storage, cube } = world.backstage;
    app = await securedApp(
      { storage },
      // No budget of the accounts: it would count as spent after the clock is set back for expired tokens.
      {
        accountLimits: { ...ACCOUNT_LIMITS, units: 0 },
        parts: { cube, checkCallback: () => ({ ok: true }), newWebhookSecret: () => 'whsec_x' },
      },
    );
    await storage.accounts.create(STRANGER);
    for (const scopes of scopeSets) await makeCredentials(scopes);
    // Advances the clock, so that cached credentials expire and are read from the database again.
    app.clock.ms += 1000;
  });
  after(() => app[Symbol.asyncDispose]());

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
    put('key of another account', (await key(STRANGER, 'production')).text);
    put('token of another account', await token(await client(STRANGER, 'production')));
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
    if (/^(no|bad|expired|revoked|token of a revoked)/.test(kind)) return 401;
    if (!scopesOf(operation).every((scope) => scopes.includes(scope))) return 403;
    // The credentials of this test belong to production or staging. The operations of the sandbox reject both.
    if (OPERATION_CASES[operation.declared.operationId]!.key === 'sandboxKey') return 403;
    return kind.includes('another') && NAMES_OURS.test(JSON.stringify(valid)) ? 404 : undefined;
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
    const { path, json } = refusedWith === undefined ? await make(world) : reused;
    const name = nameOf(kind, scopes);
    assert.ok(credentials.has(name), `there is no ${name}`);
    const credential = credentials.get(name);
    const answer = await app.app.inject({
      method: operation.method,
      url: path,
      headers: credential === undefined ? {} : { authorization: `Bearer ${credential}` },
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
      return;
    }
    assert.equal(answer.statusCode, refusedWith, `${where}: ${answer.body.slice(0, 300)}`);
    const { error } = answer.json<{ error: { code: string; request_id: string } }>();
    assert.equal(error.code, ERROR_CODES[refusedWith], where);
    if (refusedWith === 401) {
      const challenge = String(answer.headers['www-authenticate']);
      assert.equal(challenge.includes('error="invalid_token"'), kind !== 'no credential', where);
    }
  }
  let calls = 0;

  test('status and code of each cell, none missing', async () => {
    let cells = 0;
    for (const operation of answers.operations) {
      const one = OPERATION_CASES[operation.declared.operationId];
      assert.ok(one, `${operation.declared.operationId} has no case in operation-cases.ts`);
      const reused = await Object.values(one.success)[0]!(world);
      for (const scopes of scopeSets) {
        for (const kind of KINDS) {
          await check(operation, one, reused, scopes, kind);
          cells += 1;
        }
      }
    }
    assert.equal(cells, answers.operations.length * scopeSets.length * KINDS.length);
    assert.deepEqual(warnings, []);
  });

  test('what another account made is not there: lists, events and usage tell nothing of it', async () => {
    const everything = [world.aoi.id, world.change.id, world.anomalyId, world.subscriptionId];
    for (const operation of answers.operations) {
      if (operation.method !== 'GET' || operation.path.includes('{')) continue;
      if ('404' in operation.declared.responses || isStream(operation)) continue;
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
