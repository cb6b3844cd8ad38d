import { createHash } from 'node:crypto';
import { createClient } from '@redis/client';
import {
  type Allowance,
  allowanceOf,
  type Limiter,
  RateLimiter,
  unlimited,
  WINDOW_S,
} from '../base/rate-limiter.ts';

const PREFIX = 'groundwatch:limit:'; // of our keys, in a database that others may use too
const ANSWER_MS = 250; // longest wait for an answer: a limit must not hold up the call that it is for
const RETRY_MS = 1000; // between tries while there is no answer
const CONNECT_MS = 2000; // longest wait for a connection

/**
 * The generic cell rate algorithm in one step, by the server's own clock: nodes whose clocks differ agree.
 * KEYS: the budget. ARGV: a unit's time [ms], units asked for, units paid before, the window [ms].
 * Gives whether it passes, the budget's full time before and after [ms], and now [ms].
 */
const SCRIPT = `
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local unit, cost, paid, window = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3]), tonumber(ARGV[4])
local full = math.max(tonumber(redis.call('GET', KEYS[1]) or '0') - paid * unit, now)
local after = full + cost * unit
local passes = after - now - window <= 0.001
local keep = passes and after or full
if (passes and cost > 0) or paid > 0 then
  redis.call('SET', KEYS[1], string.format('%.3f', keep), 'PX', math.ceil(keep - now) + 1000)
end
return { passes and 1 or 0, string.format('%.3f', full), string.format('%.3f', after), string.format('%.0f', now) }
`;
const SCRIPT_HASH = createHash('sha1').update(SCRIPT).digest('hex');

/** Who hears when budgets are shared, and when they are not. */
export interface LimiterLog {
  info(message: string): void;
  warn(message: string): void;
}

/** A limiter in Redis or Valkey. */
export interface RedisLimiter extends Limiter {
  close(): Promise<void>;
}

/**
 * Keeps budgets in Redis or Valkey, for all nodes that name the same. While it does not answer, each node keeps its own,
 * and says so.
 */
export function redisLimiter(url: string, log: LimiterLog): RedisLimiter {
  const local = new RateLimiter();
  const client = createClient({
    url,
    name: 'groundwatch',
    disableOfflineQueue: true,
    socket: { connectTimeout: CONNECT_MS, reconnectStrategy: () => RETRY_MS },
  });
  let lost = false;
  let tryAgainAtMs = 0;

  const lose = (error: unknown): void => {
    tryAgainAtMs = performance.now() + RETRY_MS;
    if (lost) return;
    lost = true;
    // The address may hold a password, so it is not told.
    log.warn(
      `REDIS_URL: no answer, so each node limits by itself: ${(error as Error).message || String(error)}`,
    );
  };
  const find = (): void => {
    tryAgainAtMs = 0;
    if (!lost) return;
    lost = false;
    log.info('REDIS_URL: rate limits are shared again');
  };
  client.on('error', lose);
  client.on('ready', find);
  client.connect().catch(lose);

  const ask = async (key: string, limit: number, cost: number, paid: number): Promise<Allowance> => {
    const unitMs = (WINDOW_S * 1000) / limit;
    const given = {
      keys: [PREFIX + key],
      arguments: [unitMs, Math.min(cost, limit), paid, WINDOW_S * 1000].map(String),
    };
    const run = async () => {
      try {
        return await client.evalSha(SCRIPT_HASH, given);
      } catch (error) {
        if (!(error as Error).message.startsWith('NOSCRIPT')) throw error;
        return client.eval(SCRIPT, given);
      }
    };
    const [passes, full, after, now] = (await within(ANSWER_MS, run())) as [number, string, string, string];
    return allowanceOf(passes === 1, limit, Number(full), Number(after), Number(now));
  };

  return {
    take(key, limit, cost, nowMs, paid = 0) {
      if (limit === 0) return unlimited(nowMs);
      if (performance.now() < tryAgainAtMs || !client.isReady)
        return local.take(key, limit, cost, nowMs, paid);
      return ask(key, limit, cost, paid).then(
        (allowance) => {
          find();
          return allowance;
        },
        (error: unknown) => {
          lose(error);
          return local.take(key, limit, cost, nowMs, paid);
        },
      );
    },
    async close() {
      client.removeAllListeners('error').on('error', () => undefined);
      client.destroy();
      await Promise.resolve();
    },
  };
}

/** Whether a server answers there that can keep budgets. @throws Error that says why not, without the address */
export async function tryRedis(url: string): Promise<void> {
  const client = createClient({ url, socket: { connectTimeout: CONNECT_MS, reconnectStrategy: false } });
  client.on('error', () => undefined);
  try {
    await within(
      2 * CONNECT_MS,
      client.connect().then(() => client.eval('return 1')),
    );
  } finally {
    client.destroy();
  }
}

async function within<T>(ms: number, work: Promise<T>): Promise<T> {
  const { promise: late, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new Error(`no answer within ${ms} ms`)), ms);
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}
