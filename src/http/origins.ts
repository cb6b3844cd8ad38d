import cors from '@fastify/cors';
import type { FastifyInstance } from 'fastify';
import { OWN_HEADERS } from '../contract/operation.ts';

/** Time for which a browser may remember what a page may send, instead of asking before each call [s]. */
const PREFLIGHT_MAX_AGE_S = 600;

/** Response headers that a browser may read across origins. */
const EXPOSED_HEADERS = [
  'X-Request-Id',
  'X-RateLimit-Limit',
  'X-RateLimit-Remaining',
  'X-RateLimit-Reset',
  'RateLimit',
  'RateLimit-Policy',
  'Retry-After',
  'WWW-Authenticate',
  'Link',
  'Location',
  'ETag',
  'Allow',
  'Accept-Ranges',
  'Content-Range',
  ...OWN_HEADERS,
  'Deprecation',
  'Sunset',
];

/** Lets pages of these origins call the service. Without origins, browsers refuse all pages but its own. */
export async function allowOrigins(app: FastifyInstance, origins: readonly string[]): Promise<void> {
  if (origins.length === 0) return;
  await app.register(cors, {
    origin: [...origins],
    methods: ['GET', 'HEAD', 'POST', 'PATCH', 'DELETE'],
    exposedHeaders: EXPOSED_HEADERS,
    maxAge: PREFLIGHT_MAX_AGE_S,
  });
}
