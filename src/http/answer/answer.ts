import { pipeline, type Readable } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Allowance } from '../../base/rate-limiter.ts';
import type { AnswerMetrics } from './answer-metrics.ts';
import { answerTag, holdsTag } from './answer-tag.ts';
import { type Coding, encodeContent, preferredCoding } from './content-coding.ts';
import type { Log } from './log.ts';
import { allowanceHeaders } from '../rate-limit.ts';
import { STRICT_TRANSPORT_SECURITY } from './raw-answer.ts';
import type { ScanBody } from '../route.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** When it came, by the monotonic clock [ms]. */
    startedMs: number;
    /** What the limiter said of this call last; every answer tells it. */
    allowance: Allowance | null;
    /** The operation asked for; null for what is none, as a page. */
    operation: RequestedOperation | null;
  }
}

/** What a request asked for. */
export interface RequestedOperation {
  readonly id: string;
  readonly path: string;
  readonly scanBody: ScanBody | undefined;
  /** Whether it only reads: what it answers may be kept by who asked, and by nobody between. */
  readonly isRead: boolean;
}

/** Answers shorter than this are not worth compressing [bytes]: contract.md "Compression". */
const COMPRESS_FROM = 1024;
/** What an answer is unless its route says otherwise. */
const JSON_TYPE = 'application/json; charset=utf-8';

/**
 * Writes an answer whole: its headers, tag and coding, its line in the log and in the counts. The only place that does.
 * Text is tagged and compressed; bytes are sent as they are, a stream as it comes; null is an answer without a body.
 */
export type WriteAnswer = (
  request: FastifyRequest,
  reply: FastifyReply,
  payload: string | Buffer | Readable | null,
) => void;

/**
 * Makes the writer of answers. Head and body go to the socket in one piece, the head as a flat list that Node takes as
 * it is: see docs/decisions/0011-answers-written-once.md.
 */
export function answerWriter(log: Log, metrics: AnswerMetrics): WriteAnswer {
  const account = (request: FastifyRequest, status: number): void => {
    const operation = request.operation ?? { id: 'other', path: request.routeOptions.url ?? 'unknown' };
    const ms = performance.now() - request.startedMs;
    metrics.count(operation.id, status, ms / 1000);
    log.answered({
      requestId: request.id,
      keyId: request.principal?.keyId,
      method: request.method,
      path: operation.path,
      status,
      ms,
    });
  };

  const write = (
    request: FastifyRequest,
    reply: FastifyReply,
    status: number,
    head: (string | number)[],
    payload: string | Buffer | null,
  ): void => {
    const isBodyless = status === 204 || status === 304;
    // The length is told to HEAD as well, to which Node sends no body.
    if (!isBodyless) head.push('Content-Length', payload === null ? 0 : Buffer.byteLength(payload));
    reply.raw.writeHead(status, head as string[]);
    reply.raw.end(isBodyless ? null : payload);
    account(request, status);
  };

  return (request, reply, payload) => {
    let status = reply.statusCode;
    const head: (string | number)[] = [
      'X-Request-Id',
      request.id,
      'Strict-Transport-Security',
      STRICT_TRANSPORT_SECURITY,
      'X-Content-Type-Options',
      'nosniff',
    ];
    if (request.allowance) allowanceHeaders(request.allowance, head);
    const isRead = request.method === 'GET' || request.method === 'HEAD';
    if (isRead && status === 200 && typeof payload === 'string') {
      const tag = answerTag(payload);
      head.push('ETag', tag);
      const held = request.headers['if-none-match'];
      if (held !== undefined && holdsTag(held, tag)) [status, payload] = [304, null];
    }
    const accepted = request.headers['accept-encoding'];
    const coding: Coding | undefined =
      typeof payload === 'string' && accepted !== undefined && payload.length >= COMPRESS_FROM
        ? preferredCoding(accepted)
        : undefined;
    // What a change answers may hold a secret.
    const keptBy = request.operation && (request.operation.isRead ? 'private' : 'no-store');
    routeHeaders(reply, head, keptBy, payload !== null && status !== 204, coding !== undefined);
    if (isStream(payload)) {
      reply.raw.writeHead(status, head as string[]);
      if (request.method === 'HEAD') reply.raw.end(() => payload.destroy());
      // Whatever ends one ends the other; a caller that goes away is no failure.
      else pipeline(payload, reply.raw, () => undefined);
      account(request, status);
      return;
    }
    if (coding === undefined) {
      write(request, reply, status, head, payload);
      return;
    }
    head.push('Content-Encoding', coding);
    encodeContent(coding, Buffer.from(payload as string)).then(
      (coded) => write(request, reply, status, head, coded),
      (error: unknown) => {
        log.error({ request_id: request.id, err: error }, 'compression failed');
        reply.raw.destroy();
      },
    );
  };
}

const isStream = (payload: unknown): payload is Readable =>
  typeof (payload as Readable | null)?.pipe === 'function';

/** What the route and those before it have set, over what an answer has otherwise. */
function routeHeaders(
  reply: FastifyReply,
  head: (string | number)[],
  keptBy: string | null,
  hasBody: boolean,
  isCoded: boolean,
): void {
  const set = reply.getHeaders();
  let type: string | undefined = JSON_TYPE;
  let cache = keptBy ?? undefined;
  let vary: string | undefined;
  for (const name in set) {
    const value = set[name];
    // An error takes back what the route had said of the body that is not sent.
    if (value === undefined || name === 'content-length') continue;
    if (name === 'content-type') type = String(value);
    else if (name === 'cache-control') cache = String(value);
    else if (name === 'vary') vary = String(value);
    else if (Array.isArray(value)) for (const one of value) head.push(name, one);
    else head.push(name, value);
  }
  if (cache !== undefined) head.push('Cache-Control', cache);
  if (hasBody) head.push('Content-Type', type);
  if (isCoded) vary = vary === undefined ? 'Accept-Encoding' : `${vary}, Accept-Encoding`;
  if (vary !== undefined) head.push('Vary', vary);
}
