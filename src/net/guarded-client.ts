import { Agent } from 'undici';
import { guardedConnect, type ConnectOptions } from './guarded-connect.ts';

const EXCERPT_BYTES = 1024; // of an answer are kept
const DRAIN_BYTES = 65_536; // of an answer are read so that the connection can serve again; beyond, it is cut

export interface GuardedClientOptions extends ConnectOptions {
  /** Connections to one origin, at most. */
  readonly connectionsPerOrigin: number;
}

export interface GuardedAnswer {
  readonly status: number;
  /** First kilobyte of the body; what is no UTF-8, and NUL, shown as U+FFFD. */
  readonly excerpt: string;
  /** The header `Retry-After`, when there is one. */
  readonly retryAfter?: string;
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

/** Outbound HTTPS to judged addresses alone; connections are kept alive, and keep their judged address. */
export function guardedClient(options: GuardedClientOptions): GuardedClient {
  const agent = new Agent({
    connect: guardedConnect(options),
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
      const excerpt = await readExcerpt(answer.body);
      const retryAfter = answer.headers['retry-after'];
      return { status: answer.statusCode, excerpt, ...(typeof retryAfter === 'string' && { retryAfter }) };
    },
    close: () => agent.destroy(),
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
