import assert from 'node:assert/strict';
import { EventEmitter } from 'node:events';
import { test } from 'node:test';
import type { FastifyReply } from 'fastify';
import { OpenStreams } from './open-streams.ts';

test('a credential may have a limited number of streams open, and another one once a stream ends', () => {
  const streams = new OpenStreams({ now: () => 1_000_500 }, 4, 2);
  const ask = (keyId: string, closed = false) => {
    const raw = Object.assign(new EventEmitter(), { closed });
    const reply = {
      raw,
      request: { allowance: null as { resetAt: number } | null },
    };
    const principal = {
      accountId: 'acc',
      environment: 'production',
      keyId,
      scopes: new Set<string>(),
      rateLimit: 0,
    } as const;
    return {
      reply,
      end: () => raw.emit('close'),
      enter: () => streams.enter(principal, reply as unknown as FastifyReply),
    };
  };
  const [first, second, third, other] = [ask('a'), ask('a'), ask('a'), ask('b')];
  first.enter();
  second.enter();
  assert.throws(third.enter, { name: 'RateLimited', retryAt: 1061 });
  assert.equal(third.reply.request.allowance?.resetAt, 1061);
  other.enter();
  first.end();
  // The response of the next stream is already closed and emits no `close` event. It must not be counted as open.
  ask('a', true).enter();
  ask('a').enter();
  assert.throws(ask('a').enter, { name: 'RateLimited', message: /^This credential has 2 streams/ });
  // The account has four streams, whichever credential opens them.
  ask('c').enter();
  assert.throws(ask('d').enter, { name: 'RateLimited', message: /^This account has 4 streams/ });
});
