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

const PREFIX = 'groundwatch:limit:'; // prefix of all keys, since other programs may use the same database
const ANSWER_MS = 250; // timeout of a query, since the limiter must not delay API calls
const RETRY_MS = 1000; // pause between attempts while the server does not respond
const CONNECT_MS = 2000; // timeout of a connection attempt

/**
 * Lua script of the generic cell rate algorithm. It uses the clock of the Redis server, so that nodes with different
 * clocks agree. KEYS: the budget. ARGV: time in which one unit is restored [ms]; units requested; units paid earlier
 * that are refunded first; window [ms]. Returns four values: whether the request is allowed (1 or 0); the time at which
 * the budget is full again if the request is refused [ms]; the time at which it is full again if the request is
 * allowed [ms]; the current time [ms].
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

/** Logger. The limiter logs when it loses the connection to Redis and when Redis is available again. */
export interface LimiterLog {
  info(message: string): void;
  warn(message: string): void;
}

/** A limiter whose budgets are in Redis or Valkey. */
export interface RedisLimiter extends Limiter {
  close(): Promise<void>;
}

/**
 * Keeps budgets in Redis or Valkey, where all nodes that use the same server share them. While the server does not
 * respond, each node uses its own budgets and logs a warning.
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
    // The URL is not logged, since it may contain a password.
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

/** Checks that the server of a URL responds and can run scripts. @throws Error with the reason, without the URL */
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
