/**
 * Time for the authentication and rate limit of a warm call, with a key and with a token, and for each of their
 * parts. Budget: 3 us. Also the time to reject a wrong secret, for a known owner and for an unknown one.
 */
import { createHash } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { AuditTrail } from '../src/app/access/audit-trail.ts';
import type { GrantStore } from '../src/app/access/client-store.ts';
import { RateLimiter } from '../src/base/rate-limiter.ts';
import { newId } from '../src/base/ids.ts';
import { UsageMeter } from '../src/app/access/usage-meter.ts';
import { accessTokens } from '../src/auth/access-token.ts';
import { newApiKey } from '../src/auth/api-key.ts';
import { authenticator } from '../src/auth/authenticator.ts';
import { keyVerifier } from '../src/auth/key-verifier.ts';
import { oauthServer } from '../src/auth/oauth-server.ts';
import { newSigningKey, SigningKeys } from '../src/auth/signing-keys.ts';
import { tokenVerifier } from '../src/auth/token-verifier.ts';
import { SCOPES } from '../src/contract/scopes.ts';
import { CallShares } from '../src/http/call-shares.ts';
import { gate } from '../src/http/gate.ts';
import type { PossessionProofs } from '../src/auth/possession-proof.ts';
import { rateLimits } from '../src/http/rate-limit.ts';

const CALLS = 1_000_000;
const ROUNDS = 7;
const REFUSALS = 20_000; // rejected calls of each kind
const BUDGET_US = 3; // budget for authentication and rate limit of a warm call

const clock = { now: () => Date.now() };
const key = newApiKey('production');
const owner = { accountId: newId('account'), environment: 'production' } as const;
const record = {
  ...owner,
  name: null,
  scopes: SCOPES,
  rateLimit: 1_000_000_000,
  createdAt: new Date(),
  expiresAt: null,
  revokedAt: null,
  lastUsedAt: null,
  accountDisabledAt: null,
};
const client = {
  ...record,
  id: newId('client'),
  secretHash: Buffer.alloc(32),
  jwks: null,
  formerJwks: null,
  formerUntil: null,
};
const signing = await newSigningKey(clock.now());
const tokens = accessTokens(
  new SigningKeys(
    {
      list: () => Promise.resolve([signing]),
      add: () => Promise.resolve(),
      remove: () => Promise.resolve(),
    },
    clock,
  ),
  clock,
  () => 'https://localhost:8443',
);
const token = await tokens.sign({
  clientId: client.id,
  grantId: newId('grant'),
  scopes: SCOPES,
  keyThumbprint: null,
});
const known = authenticator(
  {
    key: keyVerifier(
      {
        find: () => Promise.resolve({ ...record, id: key.id, secretHash: key.hash }),
        touch: () => Promise.resolve(),
      },
      clock,
    ),
    token: tokenVerifier(
      tokens,
      { find: () => Promise.resolve(client), touch: () => Promise.resolve() },
      { isLive: () => Promise.resolve(true) },
      clock,
    ),
  },
  {} as never,
  clock,
);
const usage = new UsageMeter(
  { add: () => Promise.resolve(), since: () => Promise.resolve([]) },
  clock,
  () => undefined,
);
const shares = new CallShares(clock);
const pass = gate(
  { id: 'assessRisk', scopes: ['risk:read'] },
  {
    authenticator: known,
    limits: rateLimits(new RateLimiter(), clock, usage, 1_000_000_000),
    shares,
    trail: new AuditTrail({ record: () => Promise.resolve() }, () => undefined),
  },
);

/** Shortest time per call of several rounds [us]: other load on the machine can only make a round longer. */
async function time(round: () => Promise<void> | void): Promise<number> {
  let best = Infinity;
  for (let i = 0; i < ROUNDS; i++) {
    const started = performance.now();
    await round();
    best = Math.min(best, ((performance.now() - started) * 1000) / CALLS);
  }
  return best;
}

async function throughGate(credential: string): Promise<number> {
  const request = {
    headers: { authorization: `Bearer ${credential}` },
    principal: null,
    allowance: null,
    units: 0,
    held: null,
    ip: '127.0.0.1',
  } as unknown as FastifyRequest;
  const reply = { request, header: () => reply } as unknown as FastifyReply;
  let failed: Error | undefined;
  const done = (error?: Error): void => void (failed ??= error);
  return time(async () => {
    for (let i = 0; i < CALLS; i++) {
      const later = pass(request, reply, done);
      if (later !== undefined) await later; // once per second `pass` reads the credential again
      shares.leave(request); // as when the call is answered
    }
    if (failed !== undefined) throw failed;
  });
}

const rows: (readonly [string, number])[] = [];
for (const [name, credential] of [
  ['gate by API key', key.text],
  ['gate by access token', token],
] as const)
  rows.push([name, await throughGate(credential)]);
const limiter = new RateLimiter();
rows.push(
  [
    'of which GCRA',
    await time(() => {
      for (let i = 0; i < CALLS; i++) limiter.take('k', 1_000_000_000, 1, clock.now());
    }),
  ],
  [
    'for comparison: SHA-256 of the key, which a warm call spares',
    await time(() => {
      for (let i = 0; i < CALLS; i++) createHash('sha256').update(key.text).digest();
    }),
  ],
);
/**
 * Time to reject a wrong secret of a known and of an unknown owner [us: median, 99th percentile]. The kinds of calls
 * alternate, so that other load on the machine affects all of them alike.
 */
async function refusals(): Promise<ReadonlyMap<string, readonly [number, number]>> {
  const known = newApiKey('production');
  const server = oauthServer({
    clients: {
      find: (id) => Promise.resolve(id === client.id ? client : undefined),
      touch: () => Promise.resolve(),
    },
    grants: {} as GrantStore,
    keys: {} as SigningKeys,
    tokens,
    proofs: {} as PossessionProofs,
    clock,
    issuer: () => '',
  });
  const verify = keyVerifier(
    {
      find: (id) => Promise.resolve(id === known.id ? { ...record, id, secretHash: key.hash } : undefined),
      touch: () => Promise.resolve(),
    },
    clock,
  );
  const keyOf = (text: string) => () => verify(text);
  const clientOf = (id: string) => () =>
    server.clientOf({ id, secret: 'x'.repeat(48), assertion: undefined }, 'client_credentials');
  const tries = [
    ['key, unknown', keyOf(newApiKey('production').text)],
    ['key, known with another secret', keyOf(known.text)],
    ['client, unknown', clientOf(newId('client'))],
    ['client, known with another secret', clientOf(client.id)],
  ] as const;
  const taken = new Map<string, number[]>(tries.map(([name]) => [name, []]));
  for (let i = 0; i < REFUSALS; i++)
    for (const [name, attempt] of tries) {
      const from = performance.now();
      await attempt().then(
        () => {
          throw new Error(`${name} was let in`);
        },
        () => undefined,
      );
      if (i > REFUSALS / 10) taken.get(name)!.push((performance.now() - from) * 1000);
    }
  return new Map(
    [...taken].map(([name, times]) => {
      times.sort((a, b) => a - b);
      return [name, [times[times.length >> 1]!, times[Math.floor(times.length * 0.99)]!]] as const;
    }),
  );
}

const verifications = 2000;
const started = performance.now();
for (let i = 0; i < verifications; i++) await tokens.verify(token);
rows.push([
  'for comparison: ES256 verification, once a token',
  ((performance.now() - started) * 1000) / verifications,
]);
for (const [name, us] of rows) console.log(`${us.toFixed(3).padStart(9)} us  ${name}`);
for (const [name, [median, p99]] of await refusals())
  console.log(
    `${median.toFixed(3).padStart(9)} us  refusing a ${name}: median; 99th percentile ${p99.toFixed(3)} us`,
  );
const worst = Math.max(rows[0]![1], rows[1]![1]);
console.log(`budget ${BUDGET_US} us: ${worst <= BUDGET_US ? 'kept' : 'MISSED'}, at ${worst.toFixed(3)} us`);
