import { isIPv6 } from 'node:net';

const NETWORK_GROUPS = 4; // groups of 16 bits in the network part of an IPv6 address, RFC 4291 section 2.5.4

/** The caller of a connection that is already closed, whose address is no longer known. */
const GONE = 'gone';

/**
 * Returns the address by which a caller without a credential is counted. For IPv6 it is the 64-bit network, because a
 * subscriber commonly has all 2^64 addresses of a network (RFC 6177), and would otherwise have 2^64 limits.
 */
export function callerOf(ip: string | undefined): string {
  if (ip === undefined) return GONE;
  const [address = ''] = ip.split('%'); // a link-local address may end with the name of an interface
  const mapped = /^::ffff:([\d.]+)$/i.exec(address)?.[1];
  if (mapped !== undefined || !isIPv6(address)) return mapped ?? ip;
  const [head = '', tail] = address.split('::');
  const groups = head === '' ? [] : head.split(':');
  if (tail !== undefined) {
    const after = tail === '' ? 0 : tail.split(':').length + (tail.includes('.') ? 1 : 0);
    groups.push(...Array.from({ length: 8 - groups.length - after }, () => '0'), ...tail.split(':'));
  }
  const network = groups.slice(0, NETWORK_GROUPS).map((group) => Number.parseInt(group, 16).toString(16));
  return `${network.join(':')}::/64`;
}
