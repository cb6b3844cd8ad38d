import type { Clock } from '../app/clock.ts';
import type { GuardedAnswer } from '../net/guarded-client.ts';
import { AddressRefused } from '../net/guarded-connect.ts';
import type { Attempt, ClaimedDelivery, Settlement } from '../app/webhooks/delivery-queue.ts';
import type { Schedule } from './schedule.ts';
import { signatureHeaders } from './signature.ts';
import { retryAfterMs } from './retry-after.ts';
import { judge } from './verdict.ts';

const MAX_ERROR_LENGTH = 300; // maximum length of a recorded error message [characters]

/** Sends one POST over HTTPS, with a time limit. */
export type Post = (
  url: string,
  headers: Readonly<Record<string, string>>,
  body: Uint8Array,
) => Promise<GuardedAnswer>;

export interface AttemptOptions {
  readonly post: Post;
  readonly schedule: Schedule;
  readonly userAgent: string;
  readonly clock: Clock;
  /** Returns a number in [0, 1). */
  readonly random: () => number;
  /**
   * Called when a host has no address that may be reached, with the reason. The owner of the endpoint does not learn it: it
   * would tell which names exist in the network of the service.
   */
  readonly onNoAddress?: (endpointId: string, reason: string) => void;
}

/**
 * Signs a delivery with the time of this attempt, sends it once, and decides from the response what happens next. Never
 * throws.
 * @param traceparent header that names the span of this attempt; absent when no traces are made
 */
export async function attemptDelivery(
  delivery: ClaimedDelivery,
  options: AttemptOptions,
  traceparent?: string,
): Promise<Settlement> {
  const startedAtMs = options.clock.now();
  const { retryAfter, ...outcome } = await send(delivery, startedAtMs, options, traceparent);
  const endedAtMs = options.clock.now();
  const pauseMs = retryAfterMs(outcome.status ?? 0, retryAfter, endedAtMs);
  return {
    delivery,
    attempt: { startedAtMs, durationMs: Math.max(0, endedAtMs - startedAtMs), ...outcome },
    verdict: judge(outcome.status, delivery, options.schedule, endedAtMs, options.random, pauseMs),
    pauseMs,
  };
}

async function send(
  delivery: ClaimedDelivery,
  startedAtMs: number,
  { post, userAgent, onNoAddress }: AttemptOptions,
  traceparent: string | undefined,
): Promise<Omit<Attempt, 'startedAtMs' | 'durationMs'> & { readonly retryAfter?: string | undefined }> {
  try {
    const body = Buffer.from(delivery.body);
    const signed = signatureHeaders({
      eventId: delivery.eventId,
      timestamp: Math.floor(startedAtMs / 1000),
      body,
      secrets: delivery.secrets,
    });
    const headers = {
      'content-type': 'application/json',
      'user-agent': userAgent,
      ...(traceparent !== undefined && { traceparent }),
      ...signed,
    };
    const { status, excerpt, retryAfter } = await post(delivery.url, headers, body);
    return { status, answer: excerpt, error: statusError(status), retryAfter };
  } catch (error) {
    const hidden = noAddressReason(error);
    if (hidden === undefined) return { status: null, answer: '', error: failureText(error) };
    onNoAddress?.(delivery.endpointId, hidden);
    const { hostname } = new URL(delivery.url);
    const text = `no public address is found for ${hostname} (NO_PUBLIC_ADDRESS)`;
    return { status: null, answer: '', error: text.slice(0, MAX_ERROR_LENGTH) };
  }
}

/** Why a host has no address that may be reached; undefined for another error. */
function noAddressReason(error: unknown): string | undefined {
  if (error instanceof AddressRefused)
    return `${error.message}: ${error.addresses.join(', ') || 'it has none'}`;
  const { syscall, message } = error as Partial<NodeJS.ErrnoException>;
  return syscall === 'getaddrinfo' ? message : undefined;
}

function statusError(status: number): string | null {
  if (status >= 200 && status < 300) return null;
  if (status >= 300 && status < 400) return `answered ${status}; redirects are not followed`;
  return `answered ${status}`;
}

/** Returns an error message for the owner of the endpoint. */
function failureText(error: unknown): string {
  if (!(error instanceof Error)) return String(error).slice(0, MAX_ERROR_LENGTH);
  if (error.name === 'TimeoutError' || error.name === 'ConnectTimeoutError')
    return 'no whole answer within the time limit';
  // An AggregateError contains one error for each address that was tried. All are usually of the same kind.
  if (error instanceof AggregateError && error.errors.length > 0) return failureText(error.errors[0]);
  // Removes advice of Node that is meant for the operator.
  const message = error.message.replace(/; if the root CA .*/, '');
  const { code } = error as NodeJS.ErrnoException;
  const text = typeof code === 'string' ? `${message} (${code})` : message;
  return text.replaceAll('\0', '\ufffd').slice(0, MAX_ERROR_LENGTH);
}
