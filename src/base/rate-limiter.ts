/** How long a full budget lasts and takes to come back [s]: limits are told per minute. */
export const WINDOW_S = 60;

/** What a limiter says of one call. Times are Unix seconds, whole, rounded up. */
export interface Allowance {
  readonly allowed: boolean;
  /** Units a minute; 0 is unlimited. */
  readonly limit: number;
  /** Whole units left now. */
  readonly remaining: number;
  /** When the budget is full again, or, for a refused call, when the same call would pass. */
  readonly resetAt: number;
  /** Whole seconds until then. */
  readonly waitS: number;
}

/** Keeps budgets, in this process or beyond it. */
export interface Limiter {
  /**
   * Takes `cost` units of a key's budget, or none when there are too few. A cost of 0 only looks. `paid` units were
   * taken for the same call before: they count towards its cost, and a call that is refused gets them back.
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
 * Generic cell rate algorithm (ITU-T I.371): one number a key, no timer. A burst of the whole limit may come at once;
 * after that, units come back evenly. A call dearer than the whole budget costs the whole budget, so it can pass.
 */
export class RateLimiter implements Limiter {
  /** Theoretical arrival time [ms] by key: when its budget is full again. */
  readonly #fullAt = new Map<string, number>();
  readonly #maxKeys: number;
  constructor(maxKeys = 100_000) {
    this.#maxKeys = maxKeys;
  }

  take(key: string, limit: number, cost: number, nowMs: number, paid = 0): Allowance {
    if (limit === 0) return unlimited(nowMs);
    const unitMs = (WINDOW_S * 1000) / limit;
    let kept = this.#fullAt.get(key) ?? 0;
    // No budget takes longer than the window to fill: one that does was spent before the clock was set back.
    if (kept - nowMs > WINDOW_S * 1000 + 1) this.#keep(key, (kept = nowMs + WINDOW_S * 1000));
    const fullAt = Math.max(kept - paid * unitMs, nowMs);
    const next = fullAt + Math.min(cost, limit) * unitMs;
    // A millisecond is below the clock's grain: sums of unitMs must not refuse the last unit of a full budget.
    const passes = next - nowMs - WINDOW_S * 1000 <= 1e-3;
    if (passes ? cost > 0 : paid > 0) this.#keep(key, passes ? next : fullAt);
    return allowanceOf(passes, limit, fullAt, next, nowMs);
  }

  /** The keys longest unused are forgotten first. */
  #keep(key: string, fullAt: number): void {
    // Their order counts only once there are many.
    if (this.#fullAt.size >= this.#maxKeys / 2) this.#fullAt.delete(key);
    this.#fullAt.set(key, fullAt);
    if (this.#fullAt.size > this.#maxKeys) this.#fullAt.delete(this.#fullAt.keys().next().value!);
  }
}

/** What is said of a key without a limit. */
export function unlimited(nowMs: number): Allowance {
  return allowance(true, 0, 0, nowMs, nowMs);
}

/** What is said of a call that takes a budget from one time at which it is full [ms] to another, if it passes. */
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
