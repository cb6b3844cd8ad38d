import type { ServerResponse } from 'node:http';
import { pipeline, type Readable } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Allowance } from '../../base/rate-limiter.ts';
import type { AnswerMetrics } from './answer-metrics.ts';
import { answerTag, bytesTag, matchesTag } from './answer-tag.ts';
import { type Coding, encodeContent, preferredCoding } from './content-coding.ts';
import type { Log } from './log.ts';
import { allowanceHeaders } from '../rate-limit.ts';
import { STRICT_TRANSPORT_SECURITY } from './raw-answer.ts';
import type { ScanBody } from '../scanned-body.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** Time at which the request arrived, by the monotonic clock [ms]. */
    startedMs: number;
    /** The limiter's latest result for this call; the headers of every answer report it. */
    allowance: Allowance | null;
    /** The requested operation; null for other requests, such as a request for a page. */
    operation: RequestedOperation | null;
  }
}

/** The operation that a request is for. */
export interface RequestedOperation {
  readonly id: string;
  readonly path: string;
  readonly scanBody: ScanBody | undefined;
  /** Whether the operation only reads. The caller may then cache the answer, but a shared cache may not. */
  readonly isRead: boolean;
}

/** Minimum length of an answer that is compressed [bytes]; shorter ones gain little: contract.md "Compression". */
const COMPRESS_FROM = 1024;
/** Largest part of a body that is written at once [bytes]. */
const PIECE_BYTES = 65_536;
/** Content type of an answer when its route sets none. */
const JSON_TYPE = 'application/json; charset=utf-8';

/**
 * Writes a whole answer: headers, entity tag, content coding and body, and also the log line and the metrics of the
 * answer. Nothing else writes answers. Text gets a tag and is compressed; bytes of an operation, such as a picture, get
 * a tag; other bytes and streams are sent unchanged, a stream with the `Content-Length` that its route has set; null is an
 * answer without a body.
 */
export type WriteAnswer = (
  request: FastifyRequest,
  reply: FastifyReply,
  payload: string | Buffer | Readable | null,
) => void;

/**
 * Makes the function that writes answers. Head and body are written to the socket together. The head is a flat list,
 * because Node does not copy such a list: see docs/decisions/0011-single-response-writer.md.
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
    // The answer to a HEAD request also has a Content-Length. Node does not send its body.
    if (!isBodyless) head.push('Content-Length', payload === null ? 0 : Buffer.byteLength(payload));
    reply.raw.writeHead(status, head as string[]);
    writeBody(reply.raw, isBodyless ? null : payload);
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
    const tag = status === 200 ? tagOf(request, payload) : undefined;
    if (tag !== undefined) {
      head.push('ETag', tag);
      const held = request.headers['if-none-match'];
      if (isRead && held !== undefined && matchesTag(held, tag)) [status, payload] = [304, null];
    }
    const accepted = request.headers['accept-encoding'];
    const isLong = typeof payload === 'string' && payload.length >= COMPRESS_FROM;
    const coding: Coding | undefined =
      isLong && accepted !== undefined ? preferredCoding(accepted) : undefined;
    // The answer of an operation that changes something may contain a secret, so caches must not store it.
    const keptBy = request.operation && (request.operation.isRead ? 'private' : 'no-store');
    routeHeaders(reply, head, keptBy, payload !== null && status !== 204, isLong);
    if (isStream(payload)) {
      const length = reply.getHeader('content-length');
      if (length !== undefined) head.push('Content-Length', length as number);
      reply.raw.writeHead(status, head as string[]);
      if (request.method === 'HEAD') reply.raw.end(() => payload.destroy());
      // The pipeline closes both streams when either of them closes. A caller that disconnects is not an error.
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

function tagOf(
  { operation, method }: FastifyRequest,
  payload: string | Buffer | Readable | null,
): string | undefined {
  // A PATCH answers what the GET of its path would answer, so the tag is that of the GET.
  if (method !== 'GET' && method !== 'HEAD' && method !== 'PATCH') return undefined;
  if (typeof payload === 'string') return answerTag(payload);
  return operation !== null && Buffer.isBuffer(payload) ? bytesTag(payload) : undefined;
}

/**
 * Writes a body. A large one is written in pieces, one in each turn of the event loop, because encrypting it at once
 * takes milliseconds. Waits while the caller does not read.
 */
function writeBody(response: ServerResponse, payload: string | Buffer | null): void {
  if (payload === null || payload.length <= PIECE_BYTES) {
    response.end(payload);
    return;
  }
  const body = typeof payload === 'string' ? Buffer.from(payload) : payload;
  let at = 0;
  const next = (): void => {
    if (response.destroyed) return;
    const piece = body.subarray(at, (at += PIECE_BYTES));
    if (at >= body.length) response.end(piece);
    else if (response.write(piece)) setImmediate(next);
    else response.once('drain', next);
  };
  next();
}

/** Returns whether an answer is a stream. */
export const isStream = (payload: unknown): payload is Readable =>
  typeof (payload as Readable | null)?.pipe === 'function';

/** Appends the headers that the route and earlier hooks have set, and default values for headers that are not set. */
function routeHeaders(
  reply: FastifyReply,
  head: (string | number)[],
  keptBy: string | null,
  hasBody: boolean,
  mayBeCoded: boolean,
): void {
  const set = reply.getHeaders();
  let type: string | undefined = JSON_TYPE;
  let cache = keptBy ?? undefined;
  let vary: string | undefined;
  for (const name in set) {
    const value = set[name];
    // Fastify sets headers to undefined when a route fails. A length set by the route may no longer be correct.
    if (value === undefined || name === 'content-length') continue;
    if (name === 'content-type') type = String(value);
    else if (name === 'cache-control') cache = String(value);
    else if (name === 'vary') vary = String(value);
    else if (Array.isArray(value)) for (const one of value) head.push(name, one);
    else head.push(name, value);
  }
  if (cache !== undefined) head.push('Cache-Control', cache);
  if (hasBody) head.push('Content-Type', type);
  if (mayBeCoded) vary = vary === undefined ? 'Accept-Encoding' : `${vary}, Accept-Encoding`;
  if (vary !== undefined) head.push('Vary', vary);
}
