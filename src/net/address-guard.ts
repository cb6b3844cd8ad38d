import { BlockList, isIP } from 'node:net';

/** A block of addresses outside the public Internet, and its use. */
interface SpecialBlock {
  readonly cidr: string;
  readonly use: string;
}

/**
 * IPv4 blocks that no outbound request may reach unless the operator allows them.
 * @see https://www.iana.org/assignments/iana-ipv4-special-registry
 */
const SPECIAL_IPV4: readonly SpecialBlock[] = [
  { cidr: '0.0.0.0/8', use: 'this network, RFC 791' },
  { cidr: '10.0.0.0/8', use: 'private, RFC 1918' },
  { cidr: '100.64.0.0/10', use: 'shared by a carrier (CGNAT), RFC 6598' },
  { cidr: '127.0.0.0/8', use: 'loopback, RFC 1122' },
  { cidr: '168.63.129.16/32', use: 'the Azure platform, reachable from inside its machines' },
  { cidr: '169.254.0.0/16', use: 'link-local, RFC 3927; cloud metadata lives there' },
  { cidr: '172.16.0.0/12', use: 'private, RFC 1918' },
  { cidr: '192.0.0.0/24', use: 'IETF protocol assignments, RFC 6890' },
  { cidr: '192.0.2.0/24', use: 'documentation, RFC 5737' },
  { cidr: '192.31.196.0/24', use: 'AS112 anycast, RFC 7535' },
  { cidr: '192.52.193.0/24', use: 'multicast tunnelling anycast, RFC 7450' },
  { cidr: '192.88.99.0/24', use: '6to4 relay anycast, RFC 7526' },
  { cidr: '192.168.0.0/16', use: 'private, RFC 1918' },
  { cidr: '192.175.48.0/24', use: 'AS112 anycast, RFC 7534' },
  { cidr: '198.18.0.0/15', use: 'benchmarking, RFC 2544' },
  { cidr: '198.51.100.0/24', use: 'documentation, RFC 5737' },
  { cidr: '203.0.113.0/24', use: 'documentation, RFC 5737' },
  { cidr: '224.0.0.0/4', use: 'multicast, RFC 5771' },
  { cidr: '255.255.255.255/32', use: 'broadcast, RFC 919' },
  { cidr: '240.0.0.0/4', use: 'reserved, RFC 1112' },
];

/**
 * IPv6 blocks that no outbound request may reach unless the operator allows them. A block that lies inside another
 * block is listed before it, so that messages name the more specific use.
 * @see https://www.iana.org/assignments/iana-ipv6-special-registry
 */
const SPECIAL_IPV6: readonly SpecialBlock[] = [
  { cidr: '::/128', use: 'unspecified, RFC 4291' },
  { cidr: '::1/128', use: 'loopback, RFC 4291' },
  { cidr: '::ffff:0:0/96', use: 'IPv4-mapped, RFC 4291' },
  { cidr: '::ffff:0:0:0/96', use: 'IPv4-translated, RFC 2765' },
  { cidr: '::/96', use: 'IPv4-compatible, RFC 4291' },
  { cidr: '64:ff9b::/96', use: 'NAT64, RFC 6052' },
  { cidr: '64:ff9b:1::/48', use: 'NAT64 of local use, RFC 8215' },
  { cidr: '100::/64', use: 'discard, RFC 6666' },
  { cidr: '100:0:0:1::/64', use: 'dummy prefix, RFC 9780' },
  { cidr: '2001::/32', use: 'Teredo, RFC 4380' },
  { cidr: '2001:2::/48', use: 'benchmarking, RFC 5180' },
  { cidr: '2001::/23', use: 'IETF protocol assignments, RFC 2928' },
  { cidr: '2001:db8::/32', use: 'documentation, RFC 3849' },
  { cidr: '2002::/16', use: '6to4, RFC 3056' },
  { cidr: '2620:4f:8000::/48', use: 'AS112 anycast, RFC 7534' },
  { cidr: '3fff::/20', use: 'documentation, RFC 9637' },
  { cidr: '5f00::/16', use: 'segment routing, RFC 9602' },
  { cidr: 'fc00::/7', use: 'unique local, RFC 4193' },
  { cidr: 'fe80::/10', use: 'link-local, RFC 4291' },
  { cidr: 'fec0::/10', use: 'site-local, RFC 3879' },
  { cidr: 'ff00::/8', use: 'multicast, RFC 4291' },
];

/** The range that IANA has allocated for global unicast. All IPv6 addresses outside this range are refused. */
const GLOBAL_IPV6_UNICAST = addressBlocks(['2000::/3']); // RFC 4291 section 2.4

const compile = (block: SpecialBlock): { readonly text: string; readonly matches: BlockList } => ({
  text: `${block.cidr} (${block.use})`,
  matches: addressBlocks([block.cidr]),
});
const IPV4_RULES = SPECIAL_IPV4.map(compile);
const IPV6_RULES = SPECIAL_IPV6.map(compile);

/** Combines addresses and CIDRs into one set. @throws RangeError naming a text that is neither of them */
export function addressBlocks(cidrs: readonly string[]): BlockList {
  const blocks = new BlockList();
  for (const cidr of cidrs) {
    const [, address = '', prefix] = /^([^/%]+)(?:\/(\d{1,3}))?$/.exec(cidr) ?? [];
    const family = isIP(address);
    const width = family === 4 ? 32 : 128; // number of bits in an address
    const bits = prefix === undefined ? width : Number(prefix);
    if (family === 0 || bits > width)
      throw new RangeError(`expected an address or a CIDR such as 10.0.0.0/8 or fd00::/8, got "${cidr}"`);
    blocks.addSubnet(address, bits, family === 4 ? 'ipv4' : 'ipv6');
  }
  return blocks;
}

/**
 * Describes the special block that contains an address; undefined for a public address. IPv6 addresses that embed an
 * IPv4 address (mapped, compatible, 6to4, Teredo, NAT64) are always special.
 * @throws RangeError when the text is not an IP address
 */
export function specialUse(address: string): string | undefined {
  const [bare = ''] = address.split('%'); // a resolver may append the zone of a link-local address
  switch (isIP(bare)) {
    case 4:
      return IPV4_RULES.find((rule) => rule.matches.check(bare, 'ipv4'))?.text;
    case 6:
      return (
        IPV6_RULES.find((rule) => rule.matches.check(bare, 'ipv6'))?.text ??
        (GLOBAL_IPV6_UNICAST.check(bare, 'ipv6') ? undefined : 'outside 2000::/3 (not allocated)')
      );
    default:
      throw new RangeError(`expected an IP address, got "${address}"`);
  }
}

/** Whether the operator allows an address explicitly. */
export function isAllowed(address: string, allow: BlockList): boolean {
  const [bare = ''] = address.split('%');
  return allow.check(bare, isIP(bare) === 4 ? 'ipv4' : 'ipv6');
}

/**
 * Returns the addresses of a resolved name to which connections are allowed, in the resolver's order. If the operator
 * allows any of the addresses explicitly, other special addresses are left out (`localhost` is often both 127.0.0.1
 * and ::1). Otherwise a single special address is enough to refuse the name, since it suggests DNS rebinding. The
 * result is then empty.
 */
export function reachable(addresses: readonly string[], allow: BlockList): readonly string[] {
  const allowed = addresses.filter((address) => isAllowed(address, allow));
  const open = addresses.filter((address) => allowed.includes(address) || specialUse(address) === undefined);
  return allowed.length > 0 || open.length === addresses.length ? open : [];
}
