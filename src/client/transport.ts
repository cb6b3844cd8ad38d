import { errorOfAnswer, errorOfSilence, GroundwatchError } from './error.ts';
import { DEFAULT_RETRY, parseRetryAfter, type RetryPolicy, sleep, waitMs } from './retry.ts';

/** Gives the token to send. After a 401 it is asked once more, with the token that was refused. */
export type TokenProvider = (refused?: string) => string | Promise<string>;

export interface ClientOptions {
  /** Address of the service, `https://localhost:8443`. */
  readonly baseUrl: string;
  /** An API key. Give this or `token`. */
  readonly apiKey?: string;
  /** Gives OAuth access tokens. */
  readonly token?: TokenProvider;
  /** Takes the place of the platform's `fetch`. */
  readonly fetch?: typeof globalThis.fetch;
  /** Longest time one try may take, its body included [ms]; 30,000 unless told. */
  readonly timeoutMs?: number;
  readonly retry?: Partial<RetryPolicy>;
}

/** What a single call can be given besides its input. */
export interface CallOptions {
  /** Ends the call, its waiting and its retries; it rejects with the signal's reason. */
  readonly signal?: AbortSignal;
  readonly timeoutMs?: number;
  /** For calls that create: the same key gives the same answer. Made anew for each call unless given. */
  readonly idempotencyKey?: string;
}

/** One call as the transport sends it. */
export interface Call {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  readonly path: string;
  readonly query?: Readonly<Record<string, QueryValue>>;
  readonly body?: unknown;
  /** Whether repeating it after an unknown outcome is harmless. */
  readonly replayable: boolean;
  readonly creates?: boolean;
  /** The answer is a stream: it is given open, and the time limit holds only until it begins. */
  readonly stream?: boolean;
}

/** What was left of the credential's budget after the last answer. */
export interface RateLimit {
  readonly limit: number;
  readonly remaining: number;
  /** When the budget is full again; after a 429, when the same call would pass. */
  readonly resetAt: Date;
}

/** Clock, chance and waiting, so that tests need not wait. */
export interface Surroundings {
  readonly now: () => number;
  readonly random: () => number;
  readonly sleep: (ms: number, signal?: AbortSignal) => Promise<void>;
  readonly uuid: () => string;
}

const SURROUNDINGS: Surroundings = {
  now: () => Date.now(),
  random: () => Math.random(),
  sleep,
  uuid: () => crypto.randomUUID(),
};

const TIMEOUT_MS = 30_000; // ms; a batch of 1,000 locations takes well under a second

interface Answer {
  readonly status: number;
  readonly headers: Headers;
  /** Parsed JSON, or an open stream; undefined where there is none. */
  readonly body: unknown;
}

/** What a query parameter can hold; undefined ones are not sent. */
export type QueryValue = string | number | boolean | Date | undefined;

function queryText(query: Readonly<Record<string, QueryValue>> = {}): string {
  const pairs = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value === undefined) continue;
    pairs.set(name, value instanceof Date ? value.toISOString() : String(value));
  }
  const text = pairs.toString();
  return text === '' ? '' : `?${text}`;
}

function parse(text: string): unknown {
  try {
    return text === '' ? undefined : (JSON.parse(text) as unknown);
  } catch {
    return undefined;
  }
}

/** Without its last slash. `localhost:8443` parses too, as the scheme "localhost". @throws TypeError */
function addressOf(baseUrl: string): string {
  const url = URL.canParse(baseUrl) ? new URL(baseUrl) : undefined;
  if (url?.protocol !== 'https:' && url?.protocol !== 'http:')
    throw new TypeError(
      `baseUrl: expected an address such as https://localhost:8443, got ${JSON.stringify(baseUrl)}`,
    );
  return url.href.replace(/\/$/, '');
}

/** Sends calls with a credential, a time limit and retries, and turns failures into {@link GroundwatchError}. */
export class Transport {
  readonly #baseUrl: string;
  readonly #token: TokenProvider;
  readonly #fetch: typeof globalThis.fetch;
  readonly #timeoutMs: number;
  readonly #retry: RetryPolicy;
  readonly #around: Surroundings;
  rateLimit: RateLimit | undefined;

  /** @throws TypeError when the address is none, or not exactly one credential is given */
  constructor(options: ClientOptions, around: Partial<Surroundings> = {}) {
    this.#baseUrl = addressOf(options.baseUrl);
    const { apiKey, token } = options;
    if ((apiKey === undefined) === (token === undefined)) throw new TypeError('give either apiKey or token');
    this.#token = token ?? (() => apiKey!);
    // Called as a plain function: browsers refuse a fetch with another receiver.
    this.#fetch = options.fetch ?? ((...given) => globalThis.fetch(...given));
    this.#timeoutMs = options.timeoutMs ?? TIMEOUT_MS;
    this.#retry = { ...DEFAULT_RETRY, ...options.retry };
    this.#around = { ...SURROUNDINGS, ...around };
  }

  /**
   * The parsed body of the answer, or the open stream; undefined for an answer without one.
   * @throws GroundwatchError when the call failed; the signal's reason when it was aborted
   */
  async send(call: Call, options: CallOptions = {}): Promise<unknown> {
    const headers: Record<string, string> = {
      accept: call.stream ? 'text/event-stream' : 'application/json',
    };
    if (call.body !== undefined) headers['content-type'] = 'application/json';
    if (call.creates) headers['idempotency-key'] = options.idempotencyKey ?? this.#around.uuid();
    let token = await this.#token();
    let renewed = false;
    let unsure = false;
    for (let attempt = 0; ; attempt++) {
      let failure: GroundwatchError;
      try {
        const answer = await this.#once(call, { ...headers, authorization: `Bearer ${token}` }, options);
        if (answer.status < 300) return this.#bodyOf(answer);
        // The first try may have deleted it before its answer was lost.
        if (answer.status === 404 && call.method === 'DELETE' && unsure) return undefined;
        failure = this.#failureOf(answer);
      } catch (error) {
        if (!(error instanceof GroundwatchError)) throw error;
        failure = error;
      }
      if (failure.status === 401 && !renewed) {
        renewed = true;
        const fresh = await this.#token(token);
        if (fresh !== token) {
          token = fresh;
          attempt--;
          continue;
        }
      }
      const refused = failure.status === 429;
      const broken = failure.status === 0 || (failure.status >= 500 && failure.status !== 501);
      unsure ||= broken;
      if (!(refused || (broken && call.replayable)) || attempt >= this.#retry.retries) throw failure;
      const wait = waitMs(this.#retry, attempt, failure.retryAfterMs, this.#around.random);
      if (wait === undefined) throw failure;
      await this.#around.sleep(wait, options.signal);
    }
  }

  async #once(call: Call, headers: Record<string, string>, options: CallOptions): Promise<Answer> {
    const { signal } = options;
    signal?.throwIfAborted();
    const stop = new AbortController();
    const limit = options.timeoutMs ?? this.#timeoutMs;
    let timedOut = false;
    let streams = false;
    const timer = setTimeout(() => {
      timedOut = true;
      stop.abort();
    }, limit);
    const abort = () => stop.abort(signal!.reason);
    signal?.addEventListener('abort', abort, { once: true });
    try {
      const answer = await this.#fetch(`${this.#baseUrl}${call.path}${queryText(call.query)}`, {
        method: call.method,
        headers,
        redirect: 'error', // a credential must not follow a redirect elsewhere
        signal: stop.signal,
        ...(call.body === undefined ? {} : { body: JSON.stringify(call.body) }),
      });
      this.#noteRateLimit(answer.headers);
      if (call.stream && answer.ok) {
        streams = true;
        return { status: answer.status, headers: answer.headers, body: answer.body };
      }
      const text = await answer.text();
      return { status: answer.status, headers: answer.headers, body: parse(text) };
    } catch (cause) {
      if (signal?.aborted) throw signal.reason;
      throw timedOut
        ? new GroundwatchError(`no answer within ${limit} ms`, { status: 0, code: 'timed_out', cause })
        : errorOfSilence('the service', cause);
    } finally {
      clearTimeout(timer);
      // A stream that is open ends when the signal says so.
      if (!streams) signal?.removeEventListener('abort', abort);
    }
  }

  #bodyOf(answer: Answer): unknown {
    if (answer.status === 204 || answer.body !== undefined) return answer.body;
    throw new GroundwatchError(`the answer ${answer.status} is not JSON`, {
      status: answer.status,
      code: 'unreadable_answer',
      requestId: answer.headers.get('x-request-id') ?? undefined,
    });
  }

  #failureOf({ status, headers, body }: Answer): GroundwatchError {
    const after = parseRetryAfter(headers.get('retry-after'), this.#around.now());
    return errorOfAnswer(status, body, headers.get('x-request-id') ?? undefined, after);
  }

  #noteRateLimit(headers: Headers): void {
    const [limit, remaining, reset] = ['limit', 'remaining', 'reset'].map((name) => {
      const text = headers.get(`x-ratelimit-${name}`);
      return text === null ? Number.NaN : Number(text);
    }) as [number, number, number];
    if (Number.isNaN(limit + remaining + reset)) return;
    this.rateLimit = { limit, remaining, resetAt: new Date(reset * 1000) };
  }
}
