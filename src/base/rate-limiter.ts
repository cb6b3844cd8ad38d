/** Time in which an empty budget refills completely [s]. It is a minute, because limits are per minute. */
export const WINDOW_S = 60;

/** A limiter's decision on one call. Times are whole Unix seconds, rounded up. */
export interface Allowance {
  readonly allowed: boolean;
  /** Units per minute; 0 is unlimited. */
  readonly limit: number;
  /** Whole units left now. */
  readonly remaining: number;
  /** When the budget is full again. For a refused call: when the same call would be accepted. */
  readonly resetAt: number;
  /** Whole seconds until `resetAt`. */
  readonly waitS: number;
}

/** Keeps the budgets of all keys, in this process or in Redis. */
export interface Limiter {
  /**
   * Takes `cost` units of a key's budget, or none when too few are left. A cost of 0 only reads the budget. `paid` is
   * the number of units that were already taken for the same call: they count towards its cost, and are given back
   * when the call is refused.
   */
  take(
    key: string,
    limit: number,
    cost: number,
    nowMs: number,
    paid?: number,
  ): Allowance | Promise<Allowance>;
}

/**
 * The generic cell rate algorithm (ITU-T I.371), which needs one number per key and no timer. A burst may spend the
 * whole limit at once; after that, units refill evenly. A call that costs more than the limit takes the whole budget,
 * because otherwise it could never be accepted.
 */
export class RateLimiter implements Limiter {
  /** Theoretical arrival time by key: the time at which the budget is full again [ms since the Unix epoch]. */
  readonly #fullAt = new Map<string, number>();
  readonly #maxKeys: number;
  constructor(maxKeys = 100_000) {
    this.#maxKeys = maxKeys;
  }

  take(key: string, limit: number, cost: number, nowMs: number, paid = 0): Allowance {
    if (limit === 0) return unlimited(nowMs);
    const unitMs = (WINDOW_S * 1000) / limit;
    let kept = this.#fullAt.get(key) ?? 0;
    // A budget always refills within the window. A later time means that the clock was set back.
    if (kept - nowMs > WINDOW_S * 1000 + 1) this.#keep(key, (kept = nowMs + WINDOW_S * 1000));
    const fullAt = Math.max(kept - paid * unitMs, nowMs);
    const next = fullAt + Math.min(cost, limit) * unitMs;
    // The tolerance is for rounding errors in sums of unitMs. Without it, the last unit of a budget may be refused.
    const passes = next - nowMs - WINDOW_S * 1000 <= 1e-3;
    if (passes ? cost > 0 : paid > 0) this.#keep(key, passes ? next : fullAt);
    return allowanceOf(passes, limit, fullAt, next, nowMs);
  }

  /** Stores the time of a key, and drops the least recently stored key when there are too many. */
  #keep(key: string, fullAt: number): void {
    // Deleting the key first moves it to the end of the map: the first keys are dropped when the map is full. The
    // order matters only when many keys are stored.
    if (this.#fullAt.size >= this.#maxKeys / 2) this.#fullAt.delete(key);
    this.#fullAt.set(key, fullAt);
    if (this.#fullAt.size > this.#maxKeys) this.#fullAt.delete(this.#fullAt.keys().next().value!);
  }
}

/** Returns the allowance of a key without a limit. */
export function unlimited(nowMs: number): Allowance {
  return allowance(true, 0, 0, nowMs, nowMs);
}

/**
 * Returns the allowance of a call.
 * @param fullAt when the budget is full again if the call is refused [ms since the Unix epoch]
 * @param next when the budget is full again if the call is accepted [ms since the Unix epoch]
 */
export function allowanceOf(
  passes: boolean,
  limit: number,
  fullAt: number,
  next: number,
  nowMs: number,
): Allowance {
  const unitMs = (WINDOW_S * 1000) / limit;
  return passes
    ? allowance(true, limit, left(next, nowMs, unitMs), next, nowMs)
    : allowance(false, limit, left(fullAt, nowMs, unitMs), next - WINDOW_S * 1000, nowMs);
}

function allowance(
  allowed: boolean,
  limit: number,
  remaining: number,
  resetMs: number,
  nowMs: number,
): Allowance {
  const resetAt = Math.ceil(resetMs / 1000);
  return { allowed, limit, remaining, resetAt, waitS: Math.max(0, resetAt - Math.floor(nowMs / 1000)) };
}

function left(fullAt: number, nowMs: number, unitMs: number): number {
  return Math.max(0, Math.floor((WINDOW_S * 1000 - (fullAt - nowMs)) / unitMs + 1e-9));
}
