import { checkServerIdentity, TLSSocket } from 'node:tls';
import type { FastifyRequest } from 'fastify';

declare module 'fastify' {
  interface FastifyInstance {
    /** Address at which callers reach the service, by its setting; undefined: it has none. */
    publicUrl: string | undefined;
  }
}

type Named = Pick<FastifyRequest, 'protocol' | 'host' | 'hostname' | 'headers'> & {
  readonly raw: { readonly socket: unknown };
  readonly server: Pick<FastifyRequest['server'], 'publicUrl'>;
};

/** Host and port as an address may have them: a name, an IPv4 address, or an IPv6 address in brackets. */
const HOST = /^(?:[a-z0-9](?:[a-z0-9._-]*[a-z0-9])?|\[[0-9a-f:.]+\])(?::[0-9]{1,5})?$/i;

/**
 * Address of the service without a slash at its end, such as `https://localhost:8443`: that of `GROUNDWATCH_BASE_URL`, or the host
 * that the caller named. An answer may be kept for others, so a name is believed only if the certificate that the
 * caller has accepted is for it, or if a trusted proxy gave it (`X-Forwarded-Host`). In place of another it is localhost.
 */
export function hostAddress(request: Named): string {
  const { protocol, host, server } = request;
  if (server.publicUrl !== undefined) return server.publicUrl.replace(/\/+$/, '');
  return `${protocol}://${isBelievable(request) ? host : localHost(request)}`;
}

/**
 * Path below which callers reach the service: that of `GROUNDWATCH_BASE_URL`, such as `/risk` where a proxy removes it
 * from its calls; empty without one. Addresses in headers that have no host begin with it.
 */
export function pathBefore({ server }: Pick<Named, 'server'>): string {
  return server.publicUrl === undefined ? '' : new URL(server.publicUrl).pathname.replace(/\/+$/, '');
}

function isBelievable({ host, hostname, headers, raw: { socket } }: Named): boolean {
  if (!HOST.test(host)) return false;
  // Another host than that of the header is one that a trusted proxy named.
  if (!(socket instanceof TLSSocket) || host !== (headers[':authority'] ?? headers.host)) return true;
  const certificate = socket.getCertificate();
  if (certificate === null || !('subject' in certificate)) return false;
  const name = hostname.replace(/^\[|\]$/g, '');
  return checkServerIdentity(name, certificate) === undefined;
}

function localHost({ raw: { socket } }: Named): string {
  const port = socket instanceof TLSSocket ? socket.localPort : undefined;
  return port === undefined || port === 443 ? 'localhost' : `localhost:${port}`;
}

/** Address of the tiles that a TileJSON describes. */
export function tileAddresses(request: Named & Pick<FastifyRequest, 'url'>, query = ''): string[] {
  const [path] = request.url.split('?', 1);
  return [`${hostAddress(request)}${path}/{z}/{x}/{y}${query}`];
}
