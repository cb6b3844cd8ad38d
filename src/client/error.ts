import type { Error as ErrorBody } from './api-types.ts';

type ServiceError = ErrorBody['error'];

/**
 * Why a call failed: an error code of the service, or one of three codes of the client. `connection_failed`: no
 * response; `timed_out`: no response in time; `unreadable_answer`: the response is not JSON of this service.
 */
export type GroundwatchErrorCode =
  | ServiceError['code']
  | 'connection_failed'
  | 'timed_out'
  | 'unreadable_answer';

/** Error of a failed call. A call that can be retried fails only after its last retry. */
export class GroundwatchError extends Error {
  override readonly name = 'GroundwatchError';
  /** HTTP status; 0 when there was no response. */
  readonly status: number;
  readonly code: GroundwatchErrorCode;
  /** The invalid field, such as `locations[17].lat`. */
  readonly param: string | undefined;
  /** All invalid fields, when there is more than one. */
  readonly details: NonNullable<ServiceError['details']>;
  /** Identifies the call in the logs of the service. */
  readonly requestId: string | undefined;
  /** After a 429: milliseconds until the same call would succeed. */
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

/**
 * Creates the error for a call that got no response. Its message quotes the innermost cause, because Node's `fetch`
 * nests the causes of its errors.
 */
export function connectionError(from: string, cause: unknown): GroundwatchError {
  let innermost = cause;
  while (innermost instanceof Error && innermost.cause !== undefined) innermost = innermost.cause;
  // `fetch` tried several addresses. Their errors are similar, so the message quotes only the first one.
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

/** Creates the error for a response with an error status. The body may come from a proxy instead of the service. */
export function responseError(
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
