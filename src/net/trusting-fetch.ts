import { getCACertificates } from 'node:tls';
import { LateClient } from './late-client.ts';

const MAX_BYTES = 1024 * 1024; // metadata, keys and tokens have a few kilobytes

/** A function like the global `fetch`, and how to close its connections. */
export interface TrustingFetch {
  readonly fetch: typeof globalThis.fetch;
  readonly close: () => Promise<void>;
}

/**
 * Makes a `fetch` for an address that the operator or the caller of a command set. It may be private, so none is
 * refused.
 * @param options `extraCa`: PEM certificates that are trusted in addition to the system's; `timeoutMs`: time limit of
 * each phase: connecting, headers, body; `maxBytes`: maximum size of
 * an answer, 1 MiB by default
 */
export function trustingFetch(options: {
  readonly extraCa: string | undefined;
  readonly timeoutMs: number;
  readonly maxBytes?: number;
}): TrustingFetch {
  const { extraCa, timeoutMs, maxBytes = MAX_BYTES } = options;
  const client = new LateClient(
    ({ Agent }) =>
      new Agent({
        connect: {
          timeout: timeoutMs,
          // `ca` replaces the default authorities, so the defaults are added again.
          ...(extraCa !== undefined && { ca: [...getCACertificates('default'), extraCa] }),
        },
        headersTimeout: timeoutMs,
        bodyTimeout: timeoutMs,
        maxResponseSize: maxBytes,
      }),
  );
  return {
    fetch: (async (url: string, init: object) => {
      const dispatcher = await client.use();
      const { fetch } = await import('undici');
      return await fetch(url, { ...init, dispatcher });
    }) as unknown as typeof globalThis.fetch,
    close: () => client.close(),
  };
}
