import { isIP } from 'node:net';
import type { FastifyRequest } from 'fastify';

/** An IPv4 address with a port, and an IPv6 address in brackets with or without one. */
const WITH_PORT = /^(?:([\d.]+):\d+|\[([\da-f:.%]+)\](?::\d+)?)$/i;

/**
 * Brings what proxies forwarded into the form that Fastify reads. Fastify believes it of trusted proxies only.
 * @returns the protocol by which the caller came: `http` when a trusted proxy reports plain HTTP on any hop
 */
export function readForwarded(request: Pick<FastifyRequest, 'headers' | 'protocol'>): string {
  const { headers } = request;
  const addresses = headers['x-forwarded-for'] as string | undefined; // Node joins repeated ones with commas
  if (addresses) headers['x-forwarded-for'] = bareAddresses(addresses);
  const reported = headers['x-forwarded-proto'] as string | undefined;
  // Each proxy may append its own entry, but Fastify reads only the last one.
  if (reported) headers['x-forwarded-proto'] = isSecure(reported) ? 'https' : 'http';
  return request.protocol;
}

function isSecure(protocols: string): boolean {
  return protocols.split(',').every((protocol) => protocol.trim().toLowerCase() === 'https');
}

/**
 * Reduces a value of `X-Forwarded-For` to bare addresses. Some proxies append the port of each connection (Azure
 * Application Gateway does, load balancers of AWS by a setting). With it, a proxy would not be found among the trusted
 * ones, and each connection of a caller would count as another caller. What stands before an entry that is no address
 * is left out with it: nobody who can be trusted wrote it.
 */
export function bareAddresses(header: string): string {
  const kept: string[] = [];
  const entries = header.split(',').map((entry) => entry.trim());
  for (const entry of entries.toReversed()) {
    if (entry === '') continue;
    const [, v4, v6] = WITH_PORT.exec(entry) ?? [];
    const address = v4 ?? v6 ?? entry;
    if (isIP(address) === 0) break;
    kept.unshift(address);
  }
  return kept.join(', ');
}
