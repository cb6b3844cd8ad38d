import type { FastifyRequest } from 'fastify';

/**
 * Returns whether a browser sent a request from a page of this service. Browsers set both headers themselves, and no
 * page can forge them. Browsers that do not send `Sec-Fetch-Site` send `Origin` with every request that changes
 * something.
 * @param baseUrl address of the service
 */
export function isFromOwnPage({ headers, method }: FastifyRequest, baseUrl: string): boolean {
  const site = headers['sec-fetch-site'];
  if (site !== undefined) return site === 'same-origin';
  const { origin } = headers;
  if (origin !== undefined) return origin === new URL(baseUrl).origin;
  return method === 'GET' || method === 'HEAD';
}
