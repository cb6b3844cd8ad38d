import type { LookupAddress } from 'node:dns';
import { lookup } from 'node:dns';
import type { BlockList, LookupFunction } from 'node:net';
import { isIP } from 'node:net';
import { createSecureContext, getCACertificates } from 'node:tls';
import { buildConnector } from 'undici';
import { reachable } from './address-guard.ts';

/** The host is not the public Internet, and the operator has not allowed it. */
export class AddressRefused extends Error {
  override readonly name = 'AddressRefused';
  readonly code = 'ADDRESS_REFUSED';
  /** What the host resolved to: for the operator's log, never for the tenant who chose the name. */
  readonly addresses: readonly string[];
  constructor(host: string, addresses: readonly string[]) {
    super(`${host} does not stand for a public address`);
    this.addresses = addresses;
  }
}

/** Looks up every address of a name. */
export type Resolve = (
  hostname: string,
  callback: (error: Error | null, found: readonly LookupAddress[]) => void,
) => void;

/** Whom a guarded connection may reach, and whose certificates it believes. */
export interface ConnectOptions {
  /** Special addresses that may be reached all the same. */
  readonly allow: BlockList;
  /** PEM certificates trusted besides the system's. */
  readonly extraCa?: string | undefined;
  /** Time that a connection may take [ms]. */
  readonly timeoutMs: number;
  readonly resolve?: Resolve | undefined;
}

/**
 * Connects over TLS to addresses that strangers chose. A name is resolved once for each connection, every address it has
 * is judged, and the connection goes to a judged address, with the name for SNI and certificate; so a name that
 * changes between two look-ups gains nothing.
 */
export function guardedConnect({
  allow,
  extraCa,
  timeoutMs,
  resolve = (hostname, callback) => lookup(hostname, { all: true }, callback),
}: ConnectOptions): buildConnector.connector {
  const connectTls = buildConnector({
    lookup: guardedLookup(resolve, allow),
    autoSelectFamily: true,
    allowH2: false, // one request a connection at a time: a stalled stream cannot hold its neighbours
    timeout: timeoutMs,
    secureContext: createSecureContext({
      minVersion: 'TLSv1.2',
      // Naming any authority replaces the default ones, and with them NODE_EXTRA_CA_CERTS: so they are named as well.
      ...(extraCa === undefined ? {} : { ca: [...getCACertificates('default'), extraCa] }),
    }),
  });
  return (target, callback) => {
    const literal = target.hostname.replace(/^\[(.*)\]$/, '$1');
    // The socket never looks up what is an address already.
    if (isIP(literal) !== 0 && reachable([literal], allow).length === 0)
      callback(new AddressRefused(literal, [literal]), null);
    else connectTls({ ...target, hostname: literal }, callback);
  };
}

/** A `lookup` for sockets that answers only with addresses that were judged. */
export function guardedLookup(resolve: Resolve, allow: BlockList): LookupFunction {
  return (hostname, { all }, callback) => {
    resolve(hostname, (error, found) => {
      if (error !== null) return callback(error, '');
      const addresses = found.map(({ address }) => address);
      const judged = reachable(addresses, allow);
      const open = found.filter(({ address }) => judged.includes(address));
      const [first] = open;
      if (first === undefined) callback(new AddressRefused(hostname, addresses), '');
      else if (all === true) callback(null, open);
      else callback(null, first.address, first.family);
    });
  };
}
