/** How often a call is retried, and after which waits. */
export interface RetryPolicy {
  /** Retries after the first attempt; 0 turns them off. */
  readonly retries: number;
  /** Longest wait before the first retry [ms]; it doubles with each retry. */
  readonly baseMs: number;
  /** Longest wait before any retry [ms]. */
  readonly capMs: number;
  /** Longest `Retry-After` that is waited for [ms]; with a longer one the call fails at once. */
  readonly longestRetryAfterMs: number;
}

export const DEFAULT_RETRY: RetryPolicy = {
  retries: 4, // with the base below: 4 s of waiting on average, 7.5 s at most
  baseMs: 500, // ms
  capMs: 20_000, // ms
  longestRetryAfterMs: 90_000, // ms; the rate limits of the service refill within a minute
};

/** Longest random wait added to `Retry-After`, so that waiting clients do not all return at once [ms]. */
const SPREAD_MS = 250;

/**
 * Milliseconds to wait before retry `attempt` (from 0): exponential back-off with full jitter, never less than the
 * `Retry-After` of the service. Undefined when `Retry-After` is longer than the policy waits.
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

/** Parses `Retry-After`, in integer seconds or as an HTTP date (RFC 9110 section 10.2.3), to milliseconds from now. */
export function parseRetryAfter(header: string | null, nowMs: number): number | undefined {
  if (header === null) return undefined;
  if (/^\d+$/.test(header.trim())) return Number(header) * 1000;
  const until = Date.parse(header);
  return Number.isNaN(until) ? undefined : Math.max(0, until - nowMs);
}

/** Waits; rejects with the signal's reason as soon as the signal is aborted. */
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
