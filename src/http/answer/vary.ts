import type { FastifyReply } from 'fastify';

/** Tells caches that the answer depends on the `Accept` header: RFC 9110 section 12.5.5. */
export function varyByAccept(reply: FastifyReply): void {
  const vary = reply.getHeader('Vary');
  const names = vary === undefined ? [] : String(vary).split(/, */);
  if (!names.includes('Accept')) reply.header('Vary', [...names, 'Accept'].join(', '));
}
