import type { IncomingHttpHeaders } from 'node:http';
import { Agent, type Dispatcher } from 'undici';
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
      const { protocol, origin, pathname, search } = new URL(url);
      if (protocol !== 'https:') throw new RangeError(`expected an https URL, got ${protocol}`);
      return new Promise((resolve, reject) => {
        const exchange = new Exchange(options.timeoutMs, resolve, reject);
        agent.dispatch({ origin, path: pathname + search, method: 'POST', headers, body }, exchange);
      });
    },
    close: () => agent.destroy(),
  };
}

/**
 * One POST as undici's own events tell of it. A stream for each body and an abort signal that lives out its time would cost
 * more than all else of a delivery.
 */
class Exchange implements Dispatcher.DispatchHandler {
  readonly #resolve: (answer: GuardedAnswer) => void;
  readonly #reject: (reason: unknown) => void;
  readonly #timer: NodeJS.Timeout; // over everything: look-up, handshake, answer, body
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
    if (this.#late !== undefined) controller.abort(this.#late); // it waited for a connection until now
  }

  onResponseStart(_: Dispatcher.DispatchController, status: number, headers: IncomingHttpHeaders): void {
    this.#status = status; // the last one counts: those below 200 come before it
    const retryAfter = headers['retry-after'];
    this.#retryAfter = typeof retryAfter === 'string' ? retryAfter : undefined;
  }

  /** Keeps the start of a body, reads on a little to free the connection, and cuts what is longer. */
  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.#read < EXCERPT_BYTES) this.#kept.push(chunk.subarray(0, EXCERPT_BYTES - this.#read));
    this.#read += chunk.length;
    if (this.#read <= DRAIN_BYTES) return;
    this.onResponseEnd();
    controller.abort(new RangeError(`an answer of more than ${DRAIN_BYTES} bytes`));
  }

  onResponseEnd(): void {
    clearTimeout(this.#timer);
    // PostgreSQL stores no NUL in text.
    const excerpt = Buffer.concat(this.#kept).toString('utf8').replaceAll('\0', '\ufffd');
    const retryAfter = this.#retryAfter;
    this.#resolve({ status: this.#status, excerpt, ...(retryAfter !== undefined && { retryAfter }) });
  }

  onResponseError(_: Dispatcher.DispatchController, error: Error): void {
    clearTimeout(this.#timer);
    this.#reject(error); // nothing, when it is settled already
  }
}
