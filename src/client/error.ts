import type { ErrorBody } from '../contract/errors.ts';

type ServiceError = ErrorBody['error'];

/**
 * Why a call failed: one of the service's codes, or that no usable answer came.
 * `connection_failed`: nothing answered; `timed_out`: not in time; `unreadable_answer`: not this service's JSON.
 */
export type GroundwatchErrorCode =
  | ServiceError['code']
  | 'connection_failed'
  | 'timed_out'
  | 'unreadable_answer';

/** A call that failed, after the retries that its kind allows. */
export class GroundwatchError extends Error {
  override readonly name = 'GroundwatchError';
  /** HTTP status; 0 when no answer came. */
  readonly status: number;
  readonly code: GroundwatchErrorCode;
  /** The field at fault, such as `locations[17].lat`. */
  readonly param: string | undefined;
  /** Every field at fault, when there is more than one. */
  readonly details: NonNullable<ServiceError['details']>;
  /** Names the call in the service's logs. */
  readonly requestId: string | undefined;
  /** On a 429: milliseconds to wait before the same call would pass. */
  readonly retryAfterMs: number | undefined;

  constructor(
    message: string,
    facts: {
      readonly status: number;
      readonly code: GroundwatchErrorCode;
      readonly param?: string | undefined;
      readonly details?: ServiceError['details'] | undefined;
      readonly requestId?: string | undefined;
      readonly retryAfterMs?: number | undefined;
      readonly cause?: unknown;
    },
  ) {
    super(message, { cause: facts.cause });
    this.status = facts.status;
    this.code = facts.code;
    this.param = facts.param;
    this.details = facts.details ?? [];
    this.requestId = facts.requestId;
    this.retryAfterMs = facts.retryAfterMs;
  }
}

/** The error of a call that nothing answered, with what its cause says: that of Node's `fetch` stands within it. */
export function errorOfSilence(from: string, cause: unknown): GroundwatchError {
  let innermost = cause;
  while (innermost instanceof Error && innermost.cause !== undefined) innermost = innermost.cause;
  // Several addresses were tried: each has its own reason, and they are alike.
  if (innermost instanceof AggregateError) innermost = innermost.errors[0];
  const reason = innermost instanceof Error ? innermost.message : String(innermost);
  return new GroundwatchError(`no answer from ${from}: ${reason}`, {
    status: 0,
    code: 'connection_failed',
    cause,
  });
}

function isServiceError(body: unknown): body is ErrorBody {
  const error = (body as Partial<ErrorBody> | null | undefined)?.error;
  return typeof error === 'object' && typeof error.code === 'string' && typeof error.message === 'string';
}

/** The error that a failed answer stands for, also when a proxy wrote its body. */
export function errorOfAnswer(
  status: number,
  body: unknown,
  requestId: string | undefined,
  retryAfterMs: number | undefined,
): GroundwatchError {
  if (!isServiceError(body))
    return new GroundwatchError(`the answer ${status} has no error body that this client knows`, {
      status,
      code: 'unreadable_answer',
      requestId,
      retryAfterMs,
    });
  const { code, message, param, details, request_id } = body.error;
  return new GroundwatchError(message, {
    status,
    code,
    param,
    details,
    requestId: request_id ?? requestId,
    retryAfterMs,
  });
}
