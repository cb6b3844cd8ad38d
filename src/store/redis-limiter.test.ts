import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { REDIS_PROGRAM, redisServer, type RedisServer } from '../../test/fixtures/redis-server.ts';
import { RateLimiter } from '../base/rate-limiter.ts';
import { redisLimiter, type RedisLimiter } from './redis-limiter.ts';

const skip = REDIS_PROGRAM === undefined && 'SKIPPED: neither redis-server nor valkey-server is installed';

describe('rate limits in Redis or Valkey', { skip }, () => {
  let server: RedisServer;
  const told: string[] = [];
  const nodes: RedisLimiter[] = [];
  /** @param answerMs not given where the answer of a busy machine may be late */
  const node = (answerMs = 30_000): RedisLimiter => {
    const log = { info: (text: string) => told.push(text), warn: (text: string) => told.push(text) };
    const limiter = redisLimiter(server.url, log, { answerMs });
    nodes.push(limiter);
    return limiter;
  };
  /** Waits until a limiter uses the shared budgets, or no longer uses them. */
  const until = async (limiter: RedisLimiter, shared: boolean): Promise<void> => {
    for (let tries = 0; tries < 6_000; tries++) {
      if (limiter.take('probe', 600, 0, Date.now()) instanceof Promise === shared) return;
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    assert.fail(`the budgets were ${shared ? 'not' : 'still'} shared`);
  };
  before(async () => {
    server = await redisServer();
  });
  after(async () => {
    for (const limiter of nodes) await limiter.close();
    await server.remove();
  });

  test('two nodes whose clocks differ by a minute share one budget exactly', async () => {
    const [a, b] = [node(), node()];
    for (const one of [a, b]) await until(one, true);
    const begun = performance.now();
    const answers = await Promise.all(
      Array.from({ length: 100 }, async (_, i) =>
        (i % 2 === 0 ? a : b).take('shared', 60, 1, Date.now() + (i % 2) * 60_000),
      ),
    );
    // One unit is restored per second, so if the calls take a second, 61 calls may pass instead of 60.
    const most = 60 + Math.ceil((performance.now() - begun) / 1000);
    const passed = answers.filter(({ allowed }) => allowed);
    assert.ok(passed.length >= 60 && passed.length <= most, `${passed.length} of ${most}`);
    const refused = answers.find(({ allowed }) => !allowed)!;
    assert.deepEqual([refused.limit, refused.remaining], [60, 0]);
    assert.ok(refused.waitS >= 1 && refused.waitS <= 2);
  });

  test('it decides every call like the limiter in memory', async () => {
    const [shared, local] = [node(), new RateLimiter()];
    await until(shared, true);
    const begun = Date.now();
    // A unit is restored only after nine seconds, so no unit is restored during the test.
    const calls = [1, 1, 0, 3, 20, 1, 0, 100, 2].flatMap((cost) =>
      [0, 1].filter((paid) => paid <= cost).map((paid) => [cost, paid] as const),
    );
    for (const [cost, paid] of calls) {
      const before = Date.now();
      const there = await shared.take('same', 7, cost, before, paid);
      const here = local.take('same', 7, cost, before, paid);
      assert.deepEqual([there.allowed, there.limit], [here.allowed, here.limit], `${cost} paid ${paid}`);
      assert.equal(there.remaining, here.remaining, `${cost} paid ${paid}`);
      // The server decides a little later than the limiter in memory.
      const laterS = 1 + (Date.now() - begun) / 1000;
      assert.ok(there.resetAt - here.resetAt >= -1 && there.resetAt - here.resetAt <= laterS);
    }
    assert.equal((await shared.take('same', 0, 5, Date.now())).limit, 0);
    const above = { key: 'account', limit: 5 };
    for (const limiter of [local, shared]) {
      const told = [];
      for (const limit of [7, 4, 0, 9]) {
        const { allowed, key, remaining } = await limiter.take(`of ${limit}`, limit, 2, Date.now(), 0, above);
        told.push([allowed, key, remaining]);
      }
      const owed = await limiter.owe('of 9', 9, 20, Date.now(), above);
      told.push([owed.allowed, owed.remaining, (await limiter.take('of 9', 9, 1, Date.now())).allowed]);
      assert.deepEqual(told, [
        [true, 'account', 3],
        [true, 'account', 1],
        [false, 'account', 1],
        [false, 'account', 1],
        [true, 0, false],
      ]);
    }
  });

  test('without Redis each node uses its own limits at once and logs it; when Redis is back, limits are shared again', async (t) => {
    const limiter = node(1_000);
    await until(limiter, true);
    told.length = 0;
    // The limiter asks again when this clock has moved on by a second.
    const stopped = performance.now();
    const frozen = t.mock.method(performance, 'now', () => stopped);
    server.pause(); // and so does not answer before `resume`
    const held = await limiter.take('held', 2, 1, Date.now());
    assert.deepEqual([held.allowed, held.remaining], [true, 1]);
    assert.deepEqual(
      [1, 1].map(() => (limiter.take('held', 2, 1, Date.now()) as { allowed: boolean }).allowed),
      [true, false],
    );
    assert.equal(told.length, 1);
    assert.match(told[0]!, /each node limits by itself/);
    frozen.mock.restore();
    server.resume();
    await server.stop();
    await until(limiter, false);
    assert.equal((await limiter.take('gone', 2, 1, Date.now())).allowed, true);
    await server.start();
    await until(limiter, true);
    assert.match(told.at(-1)!, /shared again/);
    assert.doesNotMatch(told.join(), /127\.0\.0\.1:\d+\/|password/);
  });
});
