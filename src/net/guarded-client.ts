import type { IncomingHttpHeaders } from 'node:http';
import type { Dispatcher } from 'undici';
import { guardedConnect, type ConnectOptions } from './guarded-connect.ts';
import { LateClient } from './late-client.ts';

const EXCERPT_BYTES = 1024; // number of bytes of a response body that are kept
/** Maximum length of a body that is read to its end to reuse the connection [bytes]. A longer body is aborted. */
const DRAIN_BYTES = 65_536;

export interface GuardedClientOptions extends ConnectOptions {
  /** Maximum number of connections to one origin. */
  readonly connectionsPerOrigin: number;
}

export interface GuardedAnswer {
  readonly status: number;
  /** First kibibyte of the body. Invalid UTF-8 and NUL are replaced by U+FFFD. */
  readonly excerpt: string;
  /** Value of the header `Retry-After`, if present. */
  readonly retryAfter?: string;
}

export interface GuardedClient {
  /**
   * Sends one POST over HTTPS. Does not follow redirects.
   * @throws AddressRefused, or an error of the socket, TLS, the HTTP parser or the time limit
   */
  readonly post: (
    url: string,
    headers: Readonly<Record<string, string>>,
    body: Uint8Array,
  ) => Promise<GuardedAnswer>;
  /** Closes all connections. Pending calls of `post` fail. */
  close(): Promise<void>;
}

/** Creates an HTTPS client that connects only to allowed addresses. Connections are kept alive for later requests. */
export function guardedClient(options: GuardedClientOptions): GuardedClient {
  const connect = guardedConnect(options);
  const client = new LateClient(
    ({ Agent }) =>
      new Agent({ connect, connections: options.connectionsPerOrigin, pipelining: 1, allowH2: false }),
  );

  return {
    async post(url, headers, body) {
      const { protocol, origin, pathname, search } = new URL(url);
      if (protocol !== 'https:') throw new RangeError(`expected an https URL, got ${protocol}`);
      const agent = await client.use();
      return new Promise((resolve, reject) => {
        const exchange = new Exchange(options.timeoutMs, resolve, reject);
        agent.dispatch({ origin, path: pathname + search, method: 'POST', headers, body }, exchange);
      });
    },
    close: () => client.close(),
  };
}

/**
 * Handler of one POST for undici's `dispatch`. undici's `request` would be slower: it creates a stream per body and an
 * abort signal per request, which together cost more than the rest of a delivery.
 */
class Exchange implements Dispatcher.DispatchHandler {
  readonly #resolve: (answer: GuardedAnswer) => void;
  readonly #reject: (reason: unknown) => void;
  readonly #timer: NodeJS.Timeout; // time limit of the whole exchange: name lookup, handshake, response, body
  #controller: Dispatcher.DispatchController | undefined;
  #late: Error | undefined;
  #status = 0;
  #retryAfter: string | undefined;
  readonly #kept: Buffer[] = [];
  #read = 0;

  constructor(
    timeoutMs: number,
    resolve: (answer: GuardedAnswer) => void,
    reject: (reason: unknown) => void,
  ) {
    this.#resolve = resolve;
    this.#reject = reject;
    this.#timer = setTimeout(() => {
      this.#late = new DOMException('no whole answer within the time limit', 'TimeoutError');
      reject(this.#late);
      this.#controller?.abort(this.#late);
    }, timeoutMs);
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    // The time limit may have passed while the request waited for a connection. It is then aborted here.
    if (this.#late !== undefined) controller.abort(this.#late);
  }

  onResponseStart(_: Dispatcher.DispatchController, status: number, headers: IncomingHttpHeaders): void {
    this.#status = status; // the last call counts: informational responses (1xx) come first
    const retryAfter = headers['retry-after'];
    this.#retryAfter = typeof retryAfter === 'string' ? retryAfter : undefined;
  }

  /** Keeps the start of the body. Reads a short body to its end, to reuse the connection, and aborts a long one. */
  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.#read < EXCERPT_BYTES) this.#kept.push(chunk.subarray(0, EXCERPT_BYTES - this.#read));
    this.#read += chunk.length;
    if (this.#read <= DRAIN_BYTES) return;
    this.onResponseEnd();
    controller.abort(new RangeError(`an answer of more than ${DRAIN_BYTES} bytes`));
  }

  onResponseEnd(): void {
    clearTimeout(this.#timer);
    // PostgreSQL cannot store NUL in text.
    const excerpt = Buffer.concat(this.#kept).toString('utf8').replaceAll('\0', '\ufffd');
    const retryAfter = this.#retryAfter;
    this.#resolve({ status: this.#status, excerpt, ...(retryAfter !== undefined && { retryAfter }) });
  }

  onResponseError(_: Dispatcher.DispatchController, error: Error): void {
    clearTimeout(this.#timer);
    this.#reject(error); // no effect if the promise is already settled
  }
}
