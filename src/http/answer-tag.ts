import { hash } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';

/**
 * Tags the answer to a GET with its digest, and answers 304 without a body when the caller holds the same one
 * (RFC 9110 section 13.1.2). Weak, since compression changes the bytes but not what they say.
 */
export function tagAnswer(
  request: FastifyRequest,
  reply: FastifyReply,
  payload: unknown,
  done: (error: Error | null, payload?: unknown) => void,
): void {
  if (
    reply.statusCode !== 200 ||
    typeof payload !== 'string' ||
    (request.method !== 'GET' && request.method !== 'HEAD')
  ) {
    done(null, payload);
    return;
  }
  const tag = `W/"${hash('sha1', payload, 'base64url')}"`;
  reply.header('ETag', tag);
  const held = request.headers['if-none-match'];
  if (held === undefined || !holds(held, tag)) {
    done(null, payload);
    return;
  }
  reply.code(304).removeHeader('Content-Length');
  done(null, null);
}

function holds(header: string, tag: string): boolean {
  if (header.trim() === '*') return true;
  const bare = tag.slice(2); // weak comparison: W/ counts for nothing
  return header.split(',').some((held) => held.trim().replace(/^W\//, '') === bare);
}
