import type { FastifyRequest } from 'fastify';

/** Address of the service at the host that a caller named, without a path, such as `https://localhost:8443`. */
export const hostAddress = ({ protocol, host }: Pick<FastifyRequest, 'protocol' | 'host'>): string =>
  `${protocol}://${host}`;
