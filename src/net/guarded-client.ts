import type { LookupAddress } from 'node:dns';
import { lookup } from 'node:dns';
import type { BlockList, LookupFunction } from 'node:net';
import { isIP } from 'node:net';
import { createSecureContext, getCACertificates } from 'node:tls';
import { Agent, buildConnector } from 'undici';
import { reachable } from './address-guard.ts';

const EXCERPT_BYTES = 1024; // of an answer are kept
const DRAIN_BYTES = 65_536; // of an answer are read so that the connection can serve again; beyond, it is cut

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

export interface GuardedClientOptions {
  /** Special addresses that may be reached all the same. */
  readonly allow: BlockList;
  /** PEM certificates trusted besides the system's. */
  readonly extraCa?: string | undefined;
  /** Time from the call to the end of the answer [ms]. */
  readonly timeoutMs: number;
  /** Connections to one origin, at most. */
  readonly connectionsPerOrigin: number;
  readonly resolve?: Resolve;
}

export interface GuardedAnswer {
  readonly status: number;
  /** First kilobyte of the body; what is no UTF-8, and NUL, shown as U+FFFD. */
  readonly excerpt: string;
}

export interface GuardedClient {
  /**
   * One POST over HTTPS, redirects not followed. @throws AddressRefused, or what the socket, TLS, the HTTP parser or
   * the time limit said
   */
  readonly post: (
    url: string,
    headers: Readonly<Record<string, string>>,
    body: Uint8Array,
  ) => Promise<GuardedAnswer>;
  /** Ends every connection; calls under way fail. */
  close(): Promise<void>;
}

/**
 * Outbound HTTPS to addresses that strangers chose. A name is resolved once for each connection, every address it has
 * is judged, and the connection goes to a judged address, with the name for SNI and certificate; so a name that
 * changes between two look-ups gains nothing. Connections are kept alive, and keep their judged address.
 */
export function guardedClient(options: GuardedClientOptions): GuardedClient {
  const resolve = options.resolve ?? ((hostname, callback) => lookup(hostname, { all: true }, callback));
  const connectTls = buildConnector({
    lookup: guardedLookup(resolve, options.allow),
    autoSelectFamily: true,
    allowH2: false, // one request a connection at a time: a stalled stream cannot hold its neighbours
    timeout: options.timeoutMs,
    secureContext: createSecureContext({
      minVersion: 'TLSv1.2',
      // Naming any authority replaces the default ones, and with them NODE_EXTRA_CA_CERTS: so they are named as well.
      ...(options.extraCa === undefined ? {} : { ca: [...getCACertificates('default'), options.extraCa] }),
    }),
  });
  const connect: buildConnector.connector = (target, callback) => {
    const literal = target.hostname.replace(/^\[(.*)\]$/, '$1');
    // The socket never looks up what is an address already.
    if (isIP(literal) !== 0 && reachable([literal], options.allow).length === 0)
      callback(new AddressRefused(literal, [literal]), null);
    else connectTls({ ...target, hostname: literal }, callback);
  };
  const agent = new Agent({
    connect,
    connections: options.connectionsPerOrigin,
    pipelining: 1,
    allowH2: false,
  });

  return {
    async post(url, headers, body) {
      const target = new URL(url);
      if (target.protocol !== 'https:') throw new RangeError(`expected an https URL, got ${target.protocol}`);
      const answer = await agent.request({
        origin: target.origin,
        path: target.pathname + target.search,
        method: 'POST',
        headers: { ...headers },
        body,
        signal: AbortSignal.timeout(options.timeoutMs), // over everything: look-up, handshake, answer, body
      });
      return { status: answer.statusCode, excerpt: await readExcerpt(answer.body) };
    },
    close: () => agent.destroy(),
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

/** Keeps the start of a body, reads on a little to free the connection, and cuts what is longer. */
async function readExcerpt(body: AsyncIterable<Buffer>): Promise<string> {
  const kept: Buffer[] = [];
  let read = 0;
  for await (const chunk of body) {
    if (read < EXCERPT_BYTES) kept.push(chunk.subarray(0, EXCERPT_BYTES - read));
    read += chunk.length;
    if (read > DRAIN_BYTES) break; // leaving the loop destroys the stream and its socket
  }
  // PostgreSQL stores no NUL in text.
  return Buffer.concat(kept).toString('utf8').replaceAll('\0', '\ufffd');
}
