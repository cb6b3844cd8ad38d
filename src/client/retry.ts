/** How often and how patiently a call is repeated. */
export interface RetryPolicy {
  /** Repetitions after the first try; 0 turns them off. */
  readonly retries: number;
  /** Longest wait before the first repetition [ms]; it doubles with each. */
  readonly baseMs: number;
  /** Longest wait before any repetition [ms]. */
  readonly capMs: number;
  /** A `Retry-After` longer than this [ms] is not waited for: the call fails with it instead. */
  readonly longestRetryAfterMs: number;
}

export const DEFAULT_RETRY: RetryPolicy = {
  retries: 4, // with the base below: about 4 s of waiting in the mean, 7.5 s at most
  baseMs: 500, // ms
  capMs: 20_000, // ms
  longestRetryAfterMs: 90_000, // ms; the service's budgets refill within a minute
};

/** The part of the wait after `Retry-After` that is random, so that waiting clients do not return all at once [ms]. */
const SPREAD_MS = 250;

/**
 * Milliseconds to wait before repetition `attempt` (from 0). Exponential back-off with full jitter; never less
 * than what the service asked for. Undefined when it asked for longer than the policy waits.
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

/** `Retry-After` in milliseconds: whole seconds or an HTTP date (RFC 9110 section 10.2.3). */
export function parseRetryAfter(header: string | null, nowMs: number): number | undefined {
  if (header === null) return undefined;
  if (/^\d+$/.test(header.trim())) return Number(header) * 1000;
  const until = Date.parse(header);
  return Number.isNaN(until) ? undefined : Math.max(0, until - nowMs);
}

/** Waits, or rejects with the signal's reason as soon as it is aborted. */
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
