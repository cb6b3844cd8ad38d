import type { FastifyRequest } from 'fastify';

/** Address of the service at the host that a caller named, without a path, such as `https://localhost:8443`. */
export const hostAddress = ({ protocol, host }: Pick<FastifyRequest, 'protocol' | 'host'>): string =>
  `${protocol}://${host}`;

/** Address of the tiles that a TileJSON describes, at the host that was called. */
export function tileAddresses(
  request: Pick<FastifyRequest, 'protocol' | 'host' | 'url'>,
  query = '',
): string[] {
  const [path] = request.url.split('?', 1);
  return [`${hostAddress(request)}${path}/{z}/{x}/{y}${query}`];
}
