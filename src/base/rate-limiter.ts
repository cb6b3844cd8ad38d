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
  /** Key of the budget that this allowance describes; undefined when nothing is limited. */
  readonly key?: string | undefined;
}

/** A budget: its key, and its size in units per minute (0: unlimited). */
export interface Budget {
  readonly key: string;
  readonly limit: number;
}

/** Keeps the budgets of all keys, in this process or in Redis. */
export interface Limiter {
  /**
   * Takes `cost` units of a key's budget, or none when too few are left. A cost of 0 only reads the budget. `paid` is
   * the number of units that were already taken for the same call: they count towards its cost, and are given back
   * when the call is refused. The budget `above` pays the same: a call passes only if both have enough. The allowance
   * describes the budget that refused the call, or else the one with less left.
   */
  take(
    key: string,
    limit: number,
    cost: number,
    nowMs: number,
    paid?: number,
    above?: Budget,
  ): Allowance | Promise<Allowance>;
  /**
   * Takes `units` for work that is already done, even if too few are left. The budget then owes units, at most as many
   * as it has in a minute. Later calls are refused until the budget has earned these units.
   */
  owe(
    key: string,
    limit: number,
    units: number,
    nowMs: number,
    above?: Budget,
  ): Allowance | Promise<Allowance>;
}

const WINDOW_MS = WINDOW_S * 1000;

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

  take(key: string, limit: number, cost: number, nowMs: number, paid = 0, above?: Budget): Allowance {
    if (limit === 0)
      return above === undefined ? unlimited(nowMs) : this.take(above.key, above.limit, cost, nowMs, paid);
    const unitMs = WINDOW_MS / limit;
    const fullAt = Math.max(this.#read(key, nowMs) - paid * unitMs, nowMs);
    const next = fullAt + Math.min(cost, limit) * unitMs;
    // The tolerance is for rounding errors in sums of unitMs. Without it, the last unit of a budget may be refused.
    const passes = next - nowMs - WINDOW_MS <= 1e-3;
    let upper: Allowance | undefined;
    if (above !== undefined && above.limit > 0) {
      if (passes) upper = this.take(above.key, above.limit, cost, nowMs, paid);
      else if (paid > 0) this.#giveBack(above, paid, nowMs);
    }
    const isTaken = passes && upper?.allowed !== false;
    if (isTaken ? cost > 0 : paid > 0) this.#keep(key, isTaken ? next : fullAt);
    const own = allowanceOf(passes, limit, fullAt, next, nowMs, key);
    return upper !== undefined && (!upper.allowed || upper.remaining < own.remaining) ? upper : own;
  }

  owe(key: string, limit: number, units: number, nowMs: number, above?: Budget): Allowance {
    const upper = above === undefined ? undefined : this.owe(above.key, above.limit, units, nowMs);
    if (limit === 0) return upper ?? unlimited(nowMs);
    const next = owed(Math.max(this.#read(key, nowMs), nowMs), units, limit, nowMs);
    this.#keep(key, next);
    const own = allowanceOf(true, limit, next, next, nowMs, key);
    return upper !== undefined && upper.limit > 0 && upper.remaining < own.remaining ? upper : own;
  }

  #giveBack({ key, limit }: Budget, units: number, nowMs: number): void {
    this.#keep(key, Math.max(this.#read(key, nowMs) - (units * WINDOW_MS) / limit, nowMs));
  }

  /** Returns the stored time of a key. No budget owes more than a window, so a later time means a clock set back. */
  #read(key: string, nowMs: number): number {
    const kept = this.#fullAt.get(key) ?? 0;
    if (kept - nowMs <= 2 * WINDOW_MS + 1) return kept;
    this.#keep(key, nowMs + WINDOW_MS);
    return nowMs + WINDOW_MS;
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

/**
 * Returns when a budget is full again after `units` were taken whether or not they were left [ms]. It owes a window at
 * most.
 */
function owed(fullAt: number, units: number, limit: number, nowMs: number): number {
  return Math.min(fullAt + (units * WINDOW_MS) / limit, nowMs + 2 * WINDOW_MS);
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
  key?: string,
): Allowance {
  const unitMs = WINDOW_MS / limit;
  return passes
    ? allowance(true, limit, left(next, nowMs, unitMs), next, nowMs, key)
    : allowance(false, limit, left(fullAt, nowMs, unitMs), next - WINDOW_MS, nowMs, key);
}

function allowance(
  allowed: boolean,
  limit: number,
  remaining: number,
  resetMs: number,
  nowMs: number,
  key?: string,
): Allowance {
  const resetAt = Math.ceil(resetMs / 1000);
  const waitS = Math.max(0, resetAt - Math.floor(nowMs / 1000));
  return { allowed, limit, remaining, resetAt, waitS, key };
}

function left(fullAt: number, nowMs: number, unitMs: number): number {
  return Math.max(0, Math.floor((WINDOW_MS - (fullAt - nowMs)) / unitMs + 1e-9));
}
