import { responseError, connectionError, GroundwatchError } from './error.ts';
import { type ProofKey, proofOfPossession } from './proof.ts';
import { DEFAULT_RETRY, parseRetryAfter, type RetryPolicy, sleep, waitMs } from './retry.ts';

/**
 * Returns the token to send. When the service rejects a token with 401, the provider is called once more for that call,
 * with the rejected token as `refused`.
 */
export type TokenProvider = (refused?: string) => string | Promise<string>;

export interface ClientOptions {
  /** Address of the service, such as `https://localhost:8443`. */
  readonly baseUrl: string;
  /** An API key. Set exactly one of `apiKey`, `token` and `session`. */
  readonly apiKey?: string;
  /** Provides OAuth access tokens. */
  readonly token?: TokenProvider;
  /** Key pair that the access tokens are bound to (DPoP), see `newProofKey`. Only with `token`. */
  readonly proofKey?: ProofKey;
  /** In a page of the service: calls with the session of the signed-in person, about this account. */
  readonly session?: { readonly accountId: string; readonly environment: string };
  /** Function that sends requests; default: the global `fetch`. */
  readonly fetch?: typeof globalThis.fetch;
  /** Timeout of one attempt, including the response body [ms]; default 30,000. */
  readonly timeoutMs?: number;
  readonly retry?: Partial<RetryPolicy>;
}

/** Options of a single call. */
export interface CallOptions {
  /** Aborts the call, including its waits and retries; the call then rejects with the signal's reason. */
  readonly signal?: AbortSignal;
  readonly timeoutMs?: number;
  /**
   * Idempotency key of a call that creates a resource. A call with the same key gets the same response. Default: a new
   * key for each call.
   */
  readonly idempotencyKey?: string;
}

/** A call to the service, before the transport adds the credential. */
export interface Call {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  readonly path: string;
  readonly query?: Readonly<Record<string, QueryValue>>;
  readonly body?: unknown;
  /** Whether the call can be retried when its outcome is unknown, such as after a timeout. */
  readonly replayable: boolean;
  readonly creates?: boolean;
  /** Whether the response is a stream. The stream is returned open; the timeout applies only until it begins. */
  readonly stream?: boolean;
  /** Media type of a response of bytes, which are returned as they are. */
  readonly accept?: string;
  /** Called with the headers of a successful response. */
  readonly onHeaders?: (headers: Headers) => void;
}

/** Rate limit of the credential, from the last response. */
export interface RateLimit {
  readonly limit: number;
  readonly remaining: number;
  /** Time when the full limit is available again; after a 429, time when the same call would succeed. */
  readonly resetAt: Date;
}

/** Clock, random numbers, waiting and UUIDs; tests replace them. */
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

const TIMEOUT_MS = 30_000; // ms; generous, because even a batch of 1,000 locations takes well under a second

interface Answer {
  readonly status: number;
  readonly headers: Headers;
  /** Parsed JSON or an open stream; undefined for an empty body and for a body that is not JSON. */
  readonly body: unknown;
}

/** Value of a query parameter; a parameter whose value is undefined is not sent. */
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

/**
 * Returns the address without a slash at its end.
 * @throws TypeError for an invalid address, and for an address without `https:` or `http:` (`localhost:8443` would
 * parse as the scheme "localhost")
 */
function addressOf(baseUrl: string): string {
  const url = URL.canParse(baseUrl) ? new URL(baseUrl) : undefined;
  if (url?.protocol !== 'https:' && url?.protocol !== 'http:')
    throw new TypeError(
      `baseUrl: expected an address such as https://localhost:8443, got ${JSON.stringify(baseUrl)}`,
    );
  return url.href.replace(/\/$/, '');
}

interface Credential {
  readonly headers: Readonly<Record<string, string>>;
  /** Absent for a session, whose cookie the browser sends. */
  readonly token?: string;
}

function byToken(
  provider: TokenProvider,
  scheme: 'Bearer' | 'DPoP',
): (refused?: string) => Promise<Credential> {
  return async (refused) => {
    const token = await provider(refused);
    return { token, headers: { authorization: `${scheme} ${token}` } };
  };
}

async function bySession({
  accountId,
  environment,
}: NonNullable<ClientOptions['session']>): Promise<Credential> {
  return { headers: { 'groundwatch-account': accountId, 'groundwatch-environment': environment } };
}

/** Sends calls with a credential, a timeout and retries, and turns failures into {@link GroundwatchError}. */
export class Transport {
  readonly #baseUrl: string;
  /** Returns the headers of the credential; `refused` is a token that the service rejected. */
  readonly #credential: (refused?: string) => Promise<Credential>;
  readonly #proofKey: ProofKey | undefined;
  readonly #fetch: typeof globalThis.fetch;
  readonly #timeoutMs: number;
  readonly #retry: RetryPolicy;
  readonly #around: Surroundings;
  rateLimit: RateLimit | undefined;

  /** @throws TypeError when the address is invalid, or when not exactly one kind of credential is given */
  constructor(options: ClientOptions, around: Partial<Surroundings> = {}) {
    this.#baseUrl = addressOf(options.baseUrl);
    const { apiKey, token, session } = options;
    if ([apiKey, token, session].filter((given) => given !== undefined).length !== 1)
      throw new TypeError('give either apiKey, token or session');
    this.#proofKey = options.proofKey;
    if (this.#proofKey !== undefined && token === undefined)
      throw new TypeError('give proofKey with token only');
    const scheme = this.#proofKey === undefined ? 'Bearer' : 'DPoP';
    this.#credential =
      session === undefined ? byToken(token ?? (() => apiKey!), scheme) : () => bySession(session);
    // Wrapped in a function, because browsers reject a `fetch` that is called as a method of another object.
    this.#fetch = options.fetch ?? ((...given) => globalThis.fetch(...given));
    this.#timeoutMs = options.timeoutMs ?? TIMEOUT_MS;
    this.#retry = { ...DEFAULT_RETRY, ...options.retry };
    this.#around = { ...SURROUNDINGS, ...around };
  }

  /**
   * Sends a call.
   * @returns the parsed body or the open stream; undefined for a response without a body
   * @throws GroundwatchError when the call failed; the signal's reason when it was aborted
   */
  async send(call: Call, options: CallOptions = {}): Promise<unknown> {
    const headers: Record<string, string> = {
      accept: call.stream ? 'text/event-stream' : (call.accept ?? 'application/json'),
    };
    if (call.body !== undefined) headers['content-type'] = 'application/json';
    if (call.creates) headers['idempotency-key'] = options.idempotencyKey ?? this.#around.uuid();
    let credential = await this.#credential();
    let renewed = false;
    let unsure = false;
    for (let attempt = 0; ; attempt++) {
      let failure: GroundwatchError;
      try {
        const proof = await this.#proofOf(call, credential.token);
        const answer = await this.#once(call, { ...headers, ...credential.headers, ...proof }, options);
        if (answer.status < 300) {
          call.onHeaders?.(answer.headers);
          return this.#bodyOf(answer);
        }
        // An earlier attempt, whose response was lost, may have deleted the resource. So a 404 counts as success.
        if (answer.status === 404 && call.method === 'DELETE' && unsure) return undefined;
        failure = this.#failureOf(answer);
      } catch (error) {
        if (!(error instanceof GroundwatchError)) throw error;
        failure = error;
      }
      if (failure.status === 401 && !renewed) {
        renewed = true;
        const fresh = await this.#credential(credential.token);
        if (fresh.token !== credential.token) {
          credential = fresh;
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

  /** Headers that prove that the caller holds the key of its token. Each attempt needs a proof of its own. */
  async #proofOf({ method, path }: Call, token: string | undefined): Promise<Record<string, string>> {
    if (this.#proofKey === undefined || token === undefined) return {};
    const stamp = { nowMs: this.#around.now(), id: this.#around.uuid() };
    const url = `${this.#baseUrl}${path}`;
    return { dpop: await proofOfPossession(this.#proofKey, { method, url, token }, stamp) };
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
        redirect: 'error', // a redirect must not send the credential to another address
        signal: stop.signal,
        ...(call.body === undefined ? {} : { body: JSON.stringify(call.body) }),
      });
      const said = { status: answer.status, headers: answer.headers };
      this.#noteRateLimit(answer.headers);
      if (call.stream && answer.ok) {
        streams = true;
        return { ...said, body: answer.body };
      }
      if (call.accept !== undefined && answer.ok)
        return { ...said, body: new Uint8Array(await answer.arrayBuffer()) };
      return { ...said, body: parse(await answer.text()) };
    } catch (cause) {
      if (signal?.aborted) throw signal.reason;
      throw timedOut
        ? new GroundwatchError(`no answer within ${limit} ms`, { status: 0, code: 'timed_out', cause })
        : connectionError('the service', cause);
    } finally {
      clearTimeout(timer);
      // The listener stays for an open stream, which the signal can still abort.
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
    return responseError(status, body, headers.get('x-request-id') ?? undefined, after);
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
