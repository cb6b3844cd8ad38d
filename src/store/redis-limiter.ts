import { createHash } from 'node:crypto';
import { createClient } from '@redis/client';
import {
  type Allowance,
  allowanceOf,
  type Budget,
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
 * Lua script of the generic cell rate algorithm over one budget or two, which all pay or none. It uses the clock of the
 * Redis server, so that nodes with different clocks agree. KEYS: the budgets. ARGV: window [ms]; 1 when the units are
 * taken even if too few are left; then for each budget: time in which one unit is restored [ms]; units requested;
 * units paid earlier that are refunded first. Returns whether the request is allowed (1 or 0) and the current time
 * [ms]; then for each budget: whether it has enough; the time at which it is full again if the request is refused [ms];
 * the time at which it is full again if the request is allowed [ms].
 */
const SCRIPT = `
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local window, owes = tonumber(ARGV[1]), ARGV[2] == '1'
local full, after, told, all = {}, {}, {}, true
for i, key in ipairs(KEYS) do
  local unit, cost, paid = tonumber(ARGV[3 * i]), tonumber(ARGV[3 * i + 1]), tonumber(ARGV[3 * i + 2])
  full[i] = math.max(tonumber(redis.call('GET', key) or '0') - paid * unit, now)
  after[i] = full[i] + cost * unit
  if owes then after[i] = math.min(after[i], now + 2 * window) end
  local passes = owes or after[i] - now - window <= 0.001
  all = all and passes
  table.insert(told, passes and 1 or 0)
  table.insert(told, string.format('%.3f', full[i]))
  table.insert(told, string.format('%.3f', after[i]))
end
for i, key in ipairs(KEYS) do
  local keep = all and after[i] or full[i]
  if (all and tonumber(ARGV[3 * i + 1]) > 0) or tonumber(ARGV[3 * i + 2]) > 0 then
    redis.call('SET', key, string.format('%.3f', keep), 'PX', math.ceil(keep - now) + 1000)
  end
end
return { all and 1 or 0, string.format('%.0f', now), unpack(told) }
`;
const SCRIPT_HASH = createHash('sha1').update(SCRIPT).digest('hex');

/** Options of {@link redisLimiter}. */
export interface RedisLimiterOptions {
  /** Time within which the server must answer, else the node limits by itself [ms]. */
  readonly answerMs?: number;
}

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
 * Long function: the connection, what happens when it is lost, and the two calls over it share one state.
 */
export function redisLimiter(
  url: string,
  log: LimiterLog,
  { answerMs = ANSWER_MS }: RedisLimiterOptions = {},
): RedisLimiter {
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

  const ask = async (
    budgets: readonly Budget[],
    cost: number,
    paid: number,
    owes: boolean,
  ): Promise<Allowance> => {
    const given = {
      keys: budgets.map(({ key }) => PREFIX + key),
      arguments: [
        WINDOW_S * 1000,
        owes ? 1 : 0,
        ...budgets.flatMap(({ limit }) => [(WINDOW_S * 1000) / limit, Math.min(cost, limit), paid]),
      ].map(String),
    };
    const run = async () => {
      try {
        return await client.evalSha(SCRIPT_HASH, given);
      } catch (error) {
        if (!(error as Error).message.startsWith('NOSCRIPT')) throw error;
        return client.eval(SCRIPT, given);
      }
    };
    const [passes, now, ...told] = (await within(answerMs, run())) as [number, string, ...string[]];
    const allowances = budgets.map(({ key, limit }, i) => {
      const [own, full, after] = told.slice(3 * i, 3 * i + 3).map(Number) as [number, number, number];
      return allowanceOf(own === 1, limit, full, after, Number(now), key);
    });
    return (
      (passes === 1 ? undefined : allowances.find(({ allowed }) => !allowed)) ??
      allowances.reduce((least, next) => (next.remaining < least.remaining ? next : least))
    );
  };
  /** Asks Redis, or `alone` (this node's own budgets) while Redis does not respond. */
  const shared = (
    key: string,
    limit: number,
    above: Budget | undefined,
    asked: { readonly cost: number; readonly paid: number; readonly owes: boolean },
    nowMs: number,
    alone: () => Allowance,
  ): Allowance | Promise<Allowance> => {
    const budgets = [{ key, limit }, ...(above === undefined ? [] : [above])].filter(
      (budget) => budget.limit > 0,
    );
    if (budgets.length === 0) return unlimited(nowMs);
    if (performance.now() < tryAgainAtMs || !client.isReady) return alone();
    return ask(budgets, asked.cost, asked.paid, asked.owes).then(
      (allowance) => {
        find();
        return allowance;
      },
      (error: unknown) => {
        lose(error);
        return alone();
      },
    );
  };

  return {
    take: (key, limit, cost, nowMs, paid = 0, above) =>
      shared(key, limit, above, { cost, paid, owes: false }, nowMs, () =>
        local.take(key, limit, cost, nowMs, paid, above),
      ),
    owe: (key, limit, units, nowMs, above) =>
      shared(key, limit, above, { cost: units, paid: 0, owes: true }, nowMs, () =>
        local.owe(key, limit, units, nowMs, above),
      ),
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
  // A process that was held up may have an answer that it did not read yet: it reads before the next `setImmediate`.
  const timer = setTimeout(() => setImmediate(() => reject(new Error(`no answer within ${ms} ms`))), ms);
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}
