import { addressBlocks } from '../../src/net/address-guard.ts';
import { guardedClient, type GuardedClient } from '../../src/net/guarded-client.ts';

const CONNECTIONS_PER_ORIGIN = 256; // maximum number of connections, as in the service

/** The HTTP client of the service, allowed to reach the sink. */
export function sinkClient(caPem: string): GuardedClient {
  return guardedClient({
    allow: addressBlocks(['127.0.0.1']),
    extraCa: caPem,
    timeoutMs: 15_000,
    connectionsPerOrigin: CONNECTIONS_PER_ORIGIN,
  });
}
