import type { Readable } from 'node:stream';
import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify';
import { Forbidden, InvalidInput, NotFound, RateLimited, Unauthorized } from '../base/errors.ts';
import { ERROR_CODES, type ErrorBody, type ErrorStatus } from '../contract/errors.ts';
import type { WriteAnswer } from './answer/answer.ts';
import type { Log } from './answer/log.ts';

/** What a caller is told of an error. */
interface Told {
  readonly status: ErrorStatus;
  readonly message: string;
  readonly param?: string | undefined;
  readonly details?: readonly { readonly param: string; readonly message: string }[];
}

/** Sentences for what Fastify itself refuses, by its code; all are the caller's doing. */
const REFUSALS: Readonly<Record<string, string>> = {
  FST_ERR_CTP_INVALID_MEDIA_TYPE: 'Content-Type: expected application/json',
  FST_ERR_CTP_BODY_TOO_LARGE: 'The body is too large: expected at most 2 MiB',
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: 'Content-Length does not match the body',
  FST_ERR_BAD_URL: 'The path is not a valid URL path',
};

/** The only table from errors to status and code. */
function tell(error: unknown): Told {
  if (error instanceof InvalidInput)
    return { status: 400, message: error.message, param: error.param, details: error.details };
  if (error instanceof Unauthorized) return { status: 401, message: error.message };
  if (error instanceof Forbidden) return { status: 403, message: error.message };
  if (error instanceof NotFound) return { status: 404, message: error.message };
  if (error instanceof RateLimited) return { status: 429, message: error.message };
  const { code, statusCode, message } = error as Partial<FastifyError>;
  if (code === 'FST_ERR_MAX_PARAM_LENGTH') return { status: 404, message: 'There is nothing at this path' };
  const refusal = code === undefined ? undefined : REFUSALS[code];
  if (refusal !== undefined) return { status: 400, message: refusal };
  // What is left of the caller's doing: broken JSON, a body cut short, a forbidden key such as __proto__.
  if (statusCode !== undefined && statusCode >= 400 && statusCode < 500)
    return { status: 400, message: `The request cannot be read: ${message ?? 'malformed'}` };
  return {
    status: 500,
    message: 'Something went wrong here. Try again later; if it stays, report the request id.',
  };
}

/** Characters of a message, or of the name of a field, at most. */
const MAX_TEXT = 500;
/** Most of a refused body that is still taken [bytes], and for how long [ms]: see {@link errorAnswerer}. */
const LINGER_BYTES = 64 * 1024 * 1024;
const LINGER_MS = 10_000;

/** Answers any error in the contract's form, with the headers that go with its status. */
export type AnswerError = (error: unknown, request: FastifyRequest, reply: FastifyReply) => void;

/**
 * Makes the answerer of errors. A body refused for its size is read to its end and thrown away first: closing on a
 * caller that still sends would tear the answer from it.
 */
export function errorAnswerer(write: WriteAnswer, log: Log): AnswerError {
  const answer: AnswerError = (error, request, reply) => {
    const told = tell(error);
    if (told.status === 500) log.error({ request_id: request.id, err: error }, 'request failed');
    if (error instanceof Unauthorized) reply.header('WWW-Authenticate', challenge(error));
    if (error instanceof Forbidden)
      reply.header(
        'WWW-Authenticate',
        `Bearer error="insufficient_scope", scope="${error.scopes.join(' ')}"`,
      );
    reply.code(told.status).type('application/json; charset=utf-8');
    write(request, reply, JSON.stringify(errorBody(told, request.id)));
  };
  return (error, request, reply) => {
    if ((error as Partial<FastifyError>).code === 'FST_ERR_CTP_BODY_TOO_LARGE')
      drain(request.raw, () => answer(error, request, reply));
    else answer(error, request, reply);
  };
}

/** Throws away what is left of a body, within bounds, then goes on. */
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

/** RFC 6750 section 3. */
function challenge(error: Unauthorized): string {
  return error.reason === undefined
    ? 'Bearer realm="groundwatch"'
    : `Bearer realm="groundwatch", error="${error.reason}", error_description="${error.message.replaceAll('"', "'")}"`;
}

function errorBody(told: Told, requestId: string): ErrorBody {
  return {
    error: {
      code: ERROR_CODES[told.status],
      message: short(told.message),
      ...(told.param !== undefined && { param: short(told.param) }),
      ...(told.details !== undefined &&
        told.details.length > 0 && {
          details: told.details.map(({ param, message }) => ({
            param: short(param),
            message: short(message),
          })),
        }),
      request_id: requestId,
    },
  };
}

/** A text of ours in which the caller's own may stand, which may be of any length. */
function short(text: string): string {
  return text.length <= MAX_TEXT ? text : `${text.slice(0, MAX_TEXT - 3).toWellFormed()}...`;
}
