const SECONDS = /^\d{1,9}$/;

/**
 * How long an answer asks to wait [ms], by its `Retry-After`: seconds, or a date; undefined when there is none that can be
 * read. Only 429 and 503 ask so (RFC 6585 section 4, RFC 9110 section 15.6.4).
 * @see RFC 9110 section 10.2.3
 */
export function retryAfterMs(status: number, header: string | undefined, nowMs: number): number | undefined {
  if ((status !== 429 && status !== 503) || header === undefined) return undefined;
  const text = header.trim();
  if (SECONDS.test(text)) return Number(text) * 1000;
  const atMs = /[a-z]/i.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(atMs) ? undefined : Math.max(0, atMs - nowMs);
}
