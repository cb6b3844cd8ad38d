import type { LookupAddress } from 'node:dns';
import { lookup } from 'node:dns';
import type { BlockList, LookupFunction } from 'node:net';
import { isIP } from 'node:net';
import { createSecureContext, getCACertificates } from 'node:tls';
import type { buildConnector } from 'undici';
import { reachable } from './address-guard.ts';

/** The host has an address outside the public Internet that the operator has not allowed. */
export class AddressRefused extends Error {
  override readonly name = 'AddressRefused';
  readonly code = 'ADDRESS_REFUSED';
  /** Addresses of the host. They may appear in the operator's log, but never in answers to the tenant. */
  readonly addresses: readonly string[];
  constructor(host: string, addresses: readonly string[]) {
    super(`${host} does not stand for a public address`);
    this.addresses = addresses;
  }
}

/** Looks up all addresses of a name. */
export type Resolve = (
  hostname: string,
  callback: (error: Error | null, found: readonly LookupAddress[]) => void,
) => void;

/** Addresses that a guarded connection may reach, and certificates that it trusts. */
export interface ConnectOptions {
  /** Addresses outside the public Internet that are allowed nevertheless. */
  readonly allow: BlockList;
  /** PEM certificates that are trusted in addition to the system's. */
  readonly extraCa?: string | undefined;
  /** Time limit for opening a connection [ms]. */
  readonly timeoutMs: number;
  readonly resolve?: Resolve | undefined;
}

/**
 * Connects over TLS to hosts that tenants chose. A name is resolved once per connection, all its addresses are checked,
 * and the connection goes to a checked address. The name is only used for SNI and the certificate. DNS rebinding (a
 * name whose addresses change between two lookups) therefore has no effect.
 */
export function guardedConnect({
  allow,
  extraCa,
  timeoutMs,
  resolve = (hostname, callback) => lookup(hostname, { all: true }, callback),
}: ConnectOptions): buildConnector.connector {
  const secureContext = createSecureContext({
    minVersion: 'TLSv1.2',
    // `ca` replaces the default authorities, including NODE_EXTRA_CA_CERTS, so the defaults are added again.
    ...(extraCa === undefined ? {} : { ca: [...getCACertificates('default'), extraCa] }),
  });
  /** Loaded for the first connection, with the client that asks for it. */
  let connecting: Promise<buildConnector.connector> | undefined;
  const connector = async (): Promise<buildConnector.connector> => {
    const { buildConnector: build } = await import('undici');
    return build({
      lookup: guardedLookup(resolve, allow),
      autoSelectFamily: true,
      allowH2: false, // over HTTP/1.1 a stalled request blocks no other, since a connection has one request at a time
      timeout: timeoutMs,
      secureContext,
    });
  };
  const connect = async (
    target: buildConnector.Options,
    callback: buildConnector.Callback,
  ): Promise<void> => {
    try {
      (await (connecting ??= connector()))(target, callback);
    } catch (error) {
      callback(error as Error, null);
    }
  };
  return (target, callback) => {
    const literal = target.hostname.replace(/^\[(.*)\]$/, '$1');
    // The socket does not call `lookup` for an IP address, so the address is checked here.
    if (isIP(literal) !== 0 && reachable([literal], allow).length === 0)
      callback(new AddressRefused(literal, [literal]), null);
    else void connect({ ...target, hostname: literal }, callback);
  };
}

/** Makes a `lookup` function for sockets that returns only allowed addresses. */
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
