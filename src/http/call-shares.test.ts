import assert from 'node:assert/strict';
import { EventEmitter } from 'node:events';
import type { ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { mock, test } from 'node:test';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { noLayers, principal, testApp } from '../../test/fixtures/test-app.ts';
import type { Principal } from '../app/access/principal.ts';
import type { Storage } from '../app/storage.ts';
import { CallShares } from './call-shares.ts';

const NOW = 1_800_000_000_000;
const MIB = 2 ** 20;

/** The principal of a credential `account-key`. */
const principalOf = (credential: string): Principal => {
  const [accountId = ''] = credential.split('-');
  return principal({ accountId, keyId: credential });
};

function callOf(caller: Principal | null, ip = '192.0.2.1') {
  const headers: Record<string, unknown> = {};
  const request = { principal: caller, held: null, allowance: null, ip } as unknown as FastifyRequest;
  const reply = { request, header: (name: string, value: unknown) => (headers[name] = value) };
  return { request, reply: reply as unknown as FastifyReply, headers };
}

test('an account reaches half of the calls in progress and a credential a third; others still get theirs', async () => {
  const held: (() => void)[] = [];
  let holding = true;
  const fates = () =>
    holding ? new Promise<never[]>((resolve) => held.push(() => resolve([]))) : Promise.resolve([]);
  await using app = await testApp({
    clock: { now: () => NOW },
    layers: noLayers,
    storage: {
      changes: { fates },
      deliveries: { overdueSeconds: () => Promise.reject(new Error('no')) },
    } as unknown as Storage,
    authenticator: { authenticate: (authorization) => principalOf(authorization!.slice('Bearer '.length)) },
  });
  const call = (key: string) => app.call({ url: '/v1/models', key });
  const begun: Promise<unknown>[] = [];
  const fill = async (key: string, count: number): Promise<void> => {
    for (let i = 0; i < count; i++) begun.push(call(key));
    while (held.length < begun.length) await new Promise((resolve) => setImmediate(resolve));
  };
  await fill('a-1', 333);
  const shed = await call('a-1');
  assert.equal(shed.status, 429);
  assert.match(shed.text, /Too many calls in progress of this credential: 333/);
  assert.equal(shed.headers['retry-after'], '1');
  assert.equal(shed.headers['x-ratelimit-reset'], String(NOW / 1000 + 1));
  await fill('a-2', 167);
  assert.match((await call('a-3')).text, /calls in progress of this account: 500/);
  await fill('b-1', 166);
  for (const url of ['/healthz', '/readyz']) assert.equal((await app.call({ url })).status, 200);
  assert.match(
    (await app.call({ url: '/metrics' })).text,
    /refused_total\{limit="calls in progress of this account"\} 1/,
  );
  holding = false;
  for (const release of held) release();
  await Promise.all(begun);
  // A call is no longer counted once it is answered, with any status.
  for (let i = 0; i < 700; i++)
    await app.call({ url: i % 2 === 0 ? '/v1/nothing' : '/v1/risk?lat=x', key: 'a-1' });
  assert.equal((await call('a-1')).status, 200);
});

test('callers without a credential share a part of their own by address', async () => {
  const shares = new CallShares({ now: () => NOW });
  const { promise: end, resolve } = Promise.withResolvers<void>();
  const ask = (ip: string) => shares.asStranger(callOf(null, ip).reply, () => end);
  const begun = Array.from({ length: 250 }, () => ask('2001:db8::1'));
  await assert.rejects(ask('2001:db8::2'), /calls in progress of this address: 250/);
  begun.push(...Array.from({ length: 125 }, () => ask('192.0.2.1')));
  await assert.rejects(ask('192.0.2.1'), { name: 'RateLimited' });
  const known = callOf(principalOf('a-1'));
  shares.enter(known.request.principal!, known.reply);
  // Work that is done is counted no longer, also when it fails.
  await assert.rejects(
    shares.asStranger(callOf(null, '192.0.2.9').reply, () => Promise.reject(new Error('no'))),
    /no/,
  );
  resolve();
  await Promise.all(begun);
});

test('look-ups for one address let those for others take their turn', async () => {
  const shares = new CallShares({ now: () => NOW });
  const begun: string[] = [];
  const release: (() => void)[] = [];
  const ask = (ip: string) =>
    shares.asStranger(callOf(null, ip).reply, () => {
      begun.push(ip);
      return new Promise<void>((resolve) => release.push(resolve));
    });
  const turn = () => new Promise((resolve) => setImmediate(resolve));
  const flood = Array.from({ length: 200 }, () => ask('192.0.2.1'));
  await turn();
  assert.equal(begun.length, 3, 'half of the places');
  const other = ask('192.0.2.2');
  await turn();
  assert.deepEqual(begun.at(-1), '192.0.2.2', 'it does not wait for 197 others');
  let done = 0;
  for (const each of flood) void each.then(() => (done += 1));
  while (done < flood.length) {
    for (const end of release.splice(0)) end();
    await turn();
  }
  await other;
  assert.equal(begun.length, 201);
});

test('bytes count when they have arrived, by account and credential, until the call is answered', () => {
  const shares = new CallShares({ now: () => NOW });
  const fill = (credential: string) => {
    const { request, reply } = callOf(principalOf(credential));
    shares.enter(request.principal!, reply);
    let bytes = 0;
    while (shares.holdBody(request, MIB) === undefined) bytes += MIB;
    return { request, bytes };
  };
  const first = fill('a-1');
  assert.equal(first.bytes, 43 * MIB, 'a third of 128 MiB');
  const second = fill('a-2');
  assert.equal(second.bytes, 21 * MIB, 'the rest of what the account may have');
  assert.equal(fill('b-1').bytes, 21 * MIB);
  shares.leave(first.request);
  shares.leave(first.request);
  assert.ok(fill('c-1').bytes > 21 * MIB);
});

test('a large answer counts until it is read, and a caller that does not read it is cut off', () => {
  mock.timers.enable({ apis: ['setTimeout'] });
  try {
    const shares = new CallShares({ now: () => NOW });
    const { request } = callOf(principalOf('a-1'));
    const response = Object.assign(new EventEmitter(), { closed: false, cut: false, destroy });
    function destroy(): void {
      response.cut = true;
      response.emit('close');
    }
    shares.holdAnswer(request, response as unknown as ServerResponse, 64 * MIB);
    assert.ok(shares.holdBody(request, 1) !== undefined);
    mock.timers.tick(30_000 + 4095_000);
    assert.equal(response.cut, false);
    mock.timers.tick(1_000);
    assert.equal(response.cut, true);
    assert.equal(shares.holdBody(request, 1), undefined);
  } finally {
    mock.timers.reset();
  }
});

test('a body without a valid credential has 16 KiB and 5 s, and its unfinished bytes leave room for others', async () => {
  await using app = await testApp();
  const post = (payload: Readable | string) =>
    app.app.inject({
      method: 'POST',
      url: '/oauth/token',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      payload,
    });
  const large = await post(`a=${'x'.repeat(16_384)}`);
  assert.deepEqual([large.statusCode, large.json().error], [400, 'invalid_request']);
  mock.timers.enable({ apis: ['setTimeout'] });
  try {
    const slow = post(new Readable({ read: () => undefined }));
    for (let i = 0; i < 20; i++) await new Promise((resolve) => setImmediate(resolve));
    mock.timers.tick(5_000);
    const answer = await slow;
    assert.equal(answer.statusCode, 400);
    assert.match(answer.body, /The body did not arrive within 5 s/);
  } finally {
    mock.timers.reset();
  }
});
