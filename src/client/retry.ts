/** How often a failed call is retried, and how long to wait before each retry. */
export interface RetryPolicy {
  /** Maximum number of retries after the first attempt; 0 turns retries off. */
  readonly retries: number;
  /** Maximum wait before the first retry [ms]. The maximum doubles with each further retry, up to `capMs`. */
  readonly baseMs: number;
  /** Maximum wait before any retry [ms]. */
  readonly capMs: number;
  /** Longest `Retry-After` that the client waits for [ms]. With a longer `Retry-After`, the call fails at once. */
  readonly longestRetryAfterMs: number;
}

export const DEFAULT_RETRY: RetryPolicy = {
  retries: 4, // with `baseMs`, all waits together take 4 s on average and 7.5 s at most
  baseMs: 500, // ms
  capMs: 20_000, // ms
  longestRetryAfterMs: 90_000, // ms; the rate limits of the service refill within a minute
};

/** Maximum random wait added to `Retry-After` [ms], so that waiting clients do not all send their calls at once. */
const SPREAD_MS = 250;

/**
 * Returns the wait before retry number `attempt` (from 0) [ms]: exponential back-off with full jitter, or
 * `Retry-After` plus a short random wait. Undefined when `Retry-After` is longer than `longestRetryAfterMs`.
 * @see https://aws.amazon.com/blogs/architecture/exponential-backoff-and-jitter/
 */
export function waitMs(
  policy: RetryPolicy,
  attempt: number,
  retryAfterMs: number | undefined,
  random: () => number,
): number | undefined {
  if (retryAfterMs !== undefined)
    return retryAfterMs > policy.longestRetryAfterMs ? undefined : retryAfterMs + random() * SPREAD_MS;
  return random() * Math.min(policy.capMs, policy.baseMs * 2 ** attempt);
}

/**
 * Parses `Retry-After`: an integer number of seconds, or an HTTP date (RFC 9110 section 10.2.3).
 * @returns milliseconds from now; undefined without a valid header
 */
export function parseRetryAfter(header: string | null, nowMs: number): number | undefined {
  if (header === null) return undefined;
  if (/^\d+$/.test(header.trim())) return Number(header) * 1000;
  const until = Date.parse(header);
  return Number.isNaN(until) ? undefined : Math.max(0, until - nowMs);
}

/** Waits for a time [ms]. Rejects with the signal's reason as soon as the signal is aborted. */
export function sleep(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const abort = () => {
      clearTimeout(timer);
      reject(signal!.reason as Error);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', abort);
      resolve();
    }, ms);
    if (signal?.aborted) abort();
    else signal?.addEventListener('abort', abort, { once: true });
  });
}
