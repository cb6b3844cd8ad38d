import type { Readable } from 'node:stream';
import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify';
import { Forbidden, InvalidInput, NoRoom, NotFound, RateLimited, Unauthorized } from '../base/errors.ts';
import { ERROR_CODES, type ErrorBody, type ErrorStatus } from '../contract/errors.ts';
import { BODY_BYTES } from '../contract/limits.ts';
import type { WriteAnswer } from './answer/answer.ts';
import type { Log } from './answer/log.ts';
import { type CallShares, isAway } from './call-shares.ts';
import { callerOf } from './caller.ts';
import { RefusalPace } from './refusal-pace.ts';

/** The answer to an error. */
interface ErrorAnswer {
  readonly status: ErrorStatus;
  readonly message: string;
  readonly param?: string | undefined;
  readonly details?: readonly { readonly param: string; readonly message: string }[];
}

/** Messages for requests that Fastify itself refuses, by error code of Fastify. All are errors of the caller. */
const REFUSALS: Readonly<Record<string, string>> = {
  FST_ERR_CTP_INVALID_MEDIA_TYPE: 'Content-Type: expected application/json',
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: 'Content-Length does not match the body',
  FST_ERR_BAD_URL: 'The path is not a valid URL path',
};

/** Maps an error to the status and message of its answer. This is the only place that does. */
function answerFor(error: unknown, bodyLimit: number): ErrorAnswer {
  if (error instanceof InvalidInput)
    return { status: 400, message: error.message, param: error.param, details: error.details };
  if (error instanceof Unauthorized) return { status: 401, message: error.message };
  if (error instanceof Forbidden) return { status: 403, message: error.message };
  if (error instanceof NotFound) return { status: 404, message: error.message };
  if (error instanceof RateLimited) return { status: 429, message: error.message };
  if (error instanceof NoRoom)
    return {
      status: 500,
      message:
        'Nothing can be stored here at the moment, because the disk of the database is full. Nothing was changed. Try again later.',
    };
  const { code, statusCode, message } = error as Partial<FastifyError>;
  if (code === 'FST_ERR_MAX_PARAM_LENGTH') return { status: 404, message: 'There is nothing at this path' };
  if (code === 'FST_ERR_CTP_BODY_TOO_LARGE') {
    const message = `The body is too large: expected at most ${bodyLimit / 2 ** 20} MiB`;
    return { status: 400, message };
  }
  const refusal = code === undefined ? undefined : REFUSALS[code];
  if (refusal !== undefined) return { status: 400, message: refusal };
  // Other errors of the caller: invalid JSON, a truncated body, a forbidden key such as __proto__.
  if (statusCode !== undefined && statusCode >= 400 && statusCode < 500)
    return { status: 400, message: `The request cannot be read: ${message ?? 'malformed'}` };
  return {
    status: 500,
    message: 'Something went wrong here. Try again later; if it stays, report the request id.',
  };
}

/** Message of the log for a call that the database did not answer. */
export const AWAY = 'the database did not answer a call';

/** Maximum length of a message and of the name of a field [characters]. */
const MAX_TEXT = 500;
/** Maximum number of bytes to read and discard after a body is refused: see {@link errorAnswerer}. */
const LINGER_BYTES = 64 * 1024 * 1024;
const LINGER_MS = 10_000; // maximum time for reading the rest of a refused body

/** Answers any error in the form of the contract, with the headers of its status. */
export type AnswerError = (error: unknown, request: FastifyRequest, reply: FastifyReply) => void;

/**
 * Makes the function that answers errors. A body that is too large is first read to its end and discarded, because a
 * caller does not receive the answer if the connection is closed while the caller is still sending. Callers that are
 * refused very often get their refusals later: see {@link RefusalPace}.
 */
export function errorAnswerer(write: WriteAnswer, log: Log, shares: CallShares): AnswerError {
  const pace = new RefusalPace();
  const writeError: AnswerError = (error, request, reply) => {
    const answer = answerFor(error, request.routeOptions?.bodyLimit ?? BODY_BYTES);
    if (answer.status === 500) log.error({ request_id: request.id, err: error }, 'request failed');
    // A refusal by the rate limit itself has this header from the limit.
    if (error instanceof RateLimited && request.allowance?.allowed !== false)
      reply.header('Retry-After', Math.max(1, Math.ceil(error.retryAt - Date.now() / 1000)));
    if (error instanceof Unauthorized) reply.header('WWW-Authenticate', challenge(error));
    if (error instanceof Forbidden)
      reply.header(
        'WWW-Authenticate',
        `Bearer error="insufficient_scope", scope="${error.scopes.join(' ')}"`,
      );
    reply.code(answer.status).type('application/json; charset=utf-8');
    write(request, reply, JSON.stringify(errorBody(answer, request.id)));
  };
  return (thrown, request, reply) => {
    const error = shares.asRefusal(thrown, request);
    if (isAway(thrown)) log.warn({ request_id: request.id, err: thrown }, AWAY);
    const answer = (): void => writeError(error, request, reply);
    if ((error as Partial<FastifyError>).code === 'FST_ERR_CTP_BODY_TOO_LARGE') drain(request.raw, answer);
    else if (error instanceof RateLimited)
      pace.refuse(
        request.principal?.accountId ?? callerOf(request.ip),
        answer,
        () => void reply.header('Connection', 'close'),
      );
    else answer();
  };
}

/** Reads and discards the rest of a body, up to a maximum size and time, then calls `done`. */
function drain(body: Readable, done: () => void): void {
  let taken = 0;
  const finish = (): void => {
    clearTimeout(timer);
    body.off('data', take).off('end', finish).off('close', finish);
    done();
  };
  const take = (chunk: Buffer): void => {
    taken += chunk.length;
    if (taken > LINGER_BYTES) finish();
  };
  const timer = setTimeout(finish, LINGER_MS);
  if (body.readableEnded || body.destroyed) finish();
  else body.on('data', take).once('end', finish).once('close', finish);
}

/** Returns the `WWW-Authenticate` header of an error (RFC 6750 section 3, RFC 9449 section 7.1). */
function challenge(error: Unauthorized): string {
  const scheme = error.reason === 'invalid_dpop_proof' ? 'DPoP' : 'Bearer';
  return error.reason === undefined
    ? 'Bearer realm="groundwatch"'
    : `${scheme} realm="groundwatch", error="${error.reason}", error_description="${error.message.replaceAll(/[^\x20-\x21\x23-\x5b\x5d-\x7e]/g, "'")}"`;
}

function errorBody(answer: ErrorAnswer, requestId: string): ErrorBody {
  return {
    error: {
      code: ERROR_CODES[answer.status],
      message: short(answer.message),
      ...(answer.param !== undefined && { param: short(answer.param) }),
      ...(answer.details !== undefined &&
        answer.details.length > 0 && {
          details: answer.details.map(({ param, message }) => ({
            param: short(param),
            message: short(message),
          })),
        }),
      request_id: requestId,
    },
  };
}

/** Shortens a message, which may quote text of any length from the request. */
function short(text: string): string {
  return text.length <= MAX_TEXT ? text : `${text.slice(0, MAX_TEXT - 3).toWellFormed()}...`;
}
