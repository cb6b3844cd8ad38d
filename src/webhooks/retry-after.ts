const SECONDS = /^\d{1,9}$/;

/**
 * Parses the delay in `Retry-After`, which is given in seconds or as a date.
 * @returns the delay [ms]; undefined when the header is missing or malformed, or the status is neither 429 nor 503
 * (RFC 6585 section 4, RFC 9110 section 15.6.4)
 * @see RFC 9110 section 10.2.3
 */
export function retryAfterMs(status: number, header: string | undefined, nowMs: number): number | undefined {
  if ((status !== 429 && status !== 503) || header === undefined) return undefined;
  const text = header.trim();
  if (SECONDS.test(text)) return Number(text) * 1000;
  const atMs = /[a-z]/i.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(atMs) ? undefined : Math.max(0, atMs - nowMs);
}
