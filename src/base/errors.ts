/** One problem of the input: the field as the caller named it, and a message with the expected and actual values. */
export interface Problem {
  readonly param: string;
  readonly message: string;
}

/** The caller's input is invalid. Answered 400 `bad_request`, or exit code 2 on the command line. */
export class InvalidInput extends Error {
  override readonly name = 'InvalidInput';
  readonly param: string | undefined;
  readonly details: readonly Problem[];
  constructor(
    message: string,
    options: {
      readonly param?: string;
      readonly details?: readonly Problem[];
      readonly cause?: unknown;
    } = {},
  ) {
    super(message, { cause: options.cause });
    this.param = options.param;
    this.details = options.details ?? [];
  }
}

type UnauthorizedReason = 'invalid_token' | 'invalid_request' | 'invalid_dpop_proof';

/** No credential, or an invalid one. Answered 401 `unauthorized`. */
export class Unauthorized extends Error {
  override readonly name = 'Unauthorized';
  /** Error code of RFC 6750 or RFC 9449 for `WWW-Authenticate`; absent when no credential was sent. */
  readonly reason: UnauthorizedReason | undefined;
  constructor(message: string, reason?: UnauthorizedReason) {
    super(message);
    this.reason = reason;
  }
}

/** The credential is valid but lacks the scope. Answered 403 `forbidden`. */
export class Forbidden extends Error {
  override readonly name = 'Forbidden';
  readonly scopes: readonly string[];
  constructor(message: string, scopes: readonly string[]) {
    super(message);
    this.scopes = scopes;
  }
}

/** The resource does not exist for this caller: unknown, deleted, or of another account. Answered 404 `not_found`. */
export class NotFound extends Error {
  override readonly name = 'NotFound';
}

/** The caller is over its rate limit. Answered 429 `rate_limited`. */
export class RateLimited extends Error {
  override readonly name = 'RateLimited';
  /** Unix time [s] from which the same call would be accepted. */
  readonly retryAt: number;
  constructor(message: string, retryAt: number) {
    super(message);
    this.retryAt = retryAt;
  }
}

/** A system that this service depends on did not answer. Answered 500 `server_error`; clients retry with back-off. */
export class UpstreamUnavailable extends Error {
  override readonly name = 'UpstreamUnavailable';
}

/**
 * The database ended a connection before the transaction on it was committed, because the process was silent for too
 * long or the server stopped. Nothing of the transaction was kept, and it may be repeated.
 */
export class CutOff extends UpstreamUnavailable {
  constructor(cause: unknown) {
    super(
      'The database ended a transaction before its end: nothing of it was kept. Repeat what was to be done.',
      {
        cause,
      },
    );
  }
}

/**
 * The database gave the work no connection, or its connection failed. Nothing of the transaction was kept, unless the
 * connection failed while it was committed. Answered 429 `rate_limited` with `Retry-After`.
 */
export class Unavailable extends Error {
  override readonly name = 'Unavailable';
  /** Code of the error of the server or of the operating system. */
  readonly code: string | undefined;
  constructor(cause: unknown) {
    const { code, message } = cause as NodeJS.ErrnoException;
    // When every address refused the connection, the error has no message.
    super(`The database cannot be used at the moment: ${message || code || String(cause)}`, { cause });
    this.code = code;
  }
}

/** Another transaction held rows for longer than this work may wait. It was rolled back, and may be repeated. */
export class Contended extends Error {
  override readonly name = 'Contended';
}

/**
 * The database has no room for what is written: its disk is full. Nothing of the transaction was kept. Answered 500
 * `server_error`. What only reads still works.
 */
export class NoRoom extends Error {
  override readonly name = 'NoRoom';
  /** Code of the error of the server. */
  readonly code: string | undefined;
  constructor(cause: unknown) {
    const { code, message } = cause as NodeJS.ErrnoException;
    super(`The disk of the database is full: nothing was stored. Make room, then repeat it. (${message})`, {
      cause,
    });
    this.code = code;
  }
}
