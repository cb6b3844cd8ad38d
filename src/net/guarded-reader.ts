import { setTimeout as pause } from 'node:timers/promises';
import type { Agent, buildConnector, Dispatcher, Pool as Pools } from 'undici';
import { collect, contentRange } from './answer-body.ts';
import { AddressRefused, guardedConnect, type ConnectOptions } from './guarded-connect.ts';
import { LateClient } from './late-client.ts';
import { inRegion } from './object-address.ts';
import { isOfConnection, isTemporary, ReadFailed, reason, retryAfterMs, saying } from './read-failure.ts';

export { ReadFailed } from './read-failure.ts';

const MAX_REDIRECTS = 5; // enough to reach a mirror (our choice)
const ATTEMPTS = 4; // maximum number of attempts, including the first
const FIRST_PAUSE_MS = 500; // pause before the second attempt; doubled for each further attempt
const LONGEST_PAUSE_MS = 60_000; // maximum pause that a server can request with Retry-After
const CONNECTIONS_PER_ORIGIN = 8; // enough to use the full bandwidth when reading ranges of a few hundred kB
/**
 * Hosts that allow fewer connections of one user at a time.
 * @see https://documentation.dataspace.copernicus.eu/Quotas.html
 */
const FEWER_CONNECTIONS: readonly (readonly [host: RegExp, connections: number])[] = [
  [/(^|\.)dataspace\.copernicus\.eu$/, 4],
];

/** Request of a {@link GuardedReader}. */
export interface ReadRequest {
  readonly url: string;
  readonly accept?: string;
  /** JSON body. With a body the request is a POST, otherwise a GET. */
  readonly json?: unknown;
  /** Fields of a form. With them the request is a POST. */
  readonly form?: Readonly<Record<string, string>>;
  readonly headers?: Readonly<Record<string, string>>;
  /** Maximum length of the response body [bytes]. A longer response is refused. */
  readonly maxBytes: number;
}

/** Body of a successful response. */
export interface ReadAnswer {
  /** URL after redirects. */
  readonly url: string;
  readonly bytes: Buffer;
}

/** A range of a file. */
export interface ReadPiece {
  readonly bytes: Buffer;
  /** Length of the whole file [bytes]. */
  readonly size: number;
  /** ETag or modification date of the file; null when the server sends neither. */
  readonly version: string | null;
  /** Modification date of the file, as the server states it; null when it does not. */
  readonly modified: string | null;
}

/**
 * Reads over HTTPS from allowed addresses. Follows redirects, checks the address of each redirect, and retries after
 * temporary failures.
 */
export interface GuardedReader {
  /** @throws ReadFailed, AddressRefused, or RangeError when the URL is not https */
  read(request: ReadRequest): Promise<ReadAnswer>;
  /**
   * Reads bytes `[from, to)` of a file. Returns fewer bytes if the file ends before `to`.
   * @param ifVersion strong ETag or date of the file that the piece must belong to (If-Range, RFC 9110)
   * @throws the errors of `read`, and ReadFailed with status 200 when the server does not support ranges, or has
   * another version of the file
   */
  readPiece(url: string, from: number, to: number, ifVersion?: string): Promise<ReadPiece>;
  close(): Promise<void>;
}

/** What a request gets from a server that does not answer everybody. */
export interface Granted {
  /** The address, which may have a signature. */
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** The provider, where its hosts redirect to each other: each of them gets credentials of its own. */
  readonly provider?: string;
}

/**
 * Returns the credentials of a GET request; undefined when there are none for it.
 * @param refused credentials that the server has refused for this request; undefined at first
 */
export type Authorise = (url: string, refused?: Granted) => Promise<Granted | undefined>;

interface ReaderOptions extends ConnectOptions {
  readonly userAgent: string;
  /** Adds credentials. They go to the host of the requested address only, and never to one that it redirects to. */
  readonly authorise?: Authorise | undefined;
  /** Opens connections; by default a guarded one. */
  readonly connect?: buildConnector.connector;
  /** Pause before the second attempt [ms]. */
  readonly firstPauseMs?: number;
}

/** A response, its body, and the URL from which it came after redirects. */
interface Found {
  readonly url: string;
  readonly answer: Dispatcher.ResponseData;
  readonly bytes: Buffer;
}

/** @param options.timeoutMs time limit of one attempt, including redirects, until the end of the response */
export function guardedReader(options: ReaderOptions): GuardedReader {
  const connect = options.connect ?? guardedConnect(options);
  const client = new LateClient(
    ({ Agent, Pool }) =>
      new Agent({
        connect,
        allowH2: false,
        factory: (origin, pool) =>
          new Pool(origin, { ...(pool as Pools.Options), connections: connectionsTo(new URL(origin)) }),
      }),
  );
  return {
    async read(request) {
      const found = await retry(await client.use(), options, request);
      return { url: found.url, bytes: found.bytes };
    },
    async readPiece(url, from, to, ifVersion) {
      const { answer, bytes } = await retry(await client.use(), options, {
        url,
        headers: {
          range: `bytes=${from}-${to - 1}`,
          ...(ifVersion !== undefined && { 'if-range': ifVersion }),
        },
        maxBytes: to - from,
      });
      const { first, size } = contentRange(answer) ?? {};
      if (answer.statusCode !== 206 || size === undefined || first !== from)
        throw new ReadFailed(
          url,
          'the server does not give pieces of a file (HTTP ranges)',
          answer.statusCode,
        );
      const modified = answer.headers['last-modified'];
      const version = answer.headers.etag ?? modified;
      const textOf = (value: unknown): string | null => (typeof value === 'string' ? value : null);
      return { bytes, size, version: textOf(version), modified: textOf(modified) };
    },
    close: () => client.close(),
  };
}

/** Repeats a request after failures that may be temporary: connection errors, timeouts, status 429 and 5xx. */
async function retry(agent: Agent, options: ReaderOptions, request: ReadRequest): Promise<Found> {
  for (let attempt = 1; ; attempt++) {
    let failure: ReadFailed;
    let wait = (options.firstPauseMs ?? FIRST_PAUSE_MS) * 2 ** (attempt - 1);
    try {
      const found = await followRedirects(agent, options, request);
      const { statusCode: status } = found.answer;
      if (status >= 200 && status < 300) return found;
      failure = new ReadFailed(request.url, `the server answered ${status}${saying(found.bytes)}`, status);
      if (status !== 429 && status < 500) throw failure;
      const asked = retryAfterMs(found.answer.headers['retry-after'], Date.now());
      if (asked > 0) wait = Math.min(LONGEST_PAUSE_MS, Math.max(wait, asked));
    } catch (error) {
      if (error instanceof AddressRefused || !isOfConnection(error)) throw error;
      failure = new ReadFailed(request.url, reason(error), null, { cause: error });
      if (!isTemporary(error)) throw failure;
    }
    if (attempt === ATTEMPTS) throw failure;
    await pause(wait);
  }
}

/** Makes one attempt: sends the request and follows redirects. @throws ReadFailed after too many redirects */
async function followRedirects(agent: Agent, options: ReaderOptions, request: ReadRequest): Promise<Found> {
  const { url: start, json, form, maxBytes } = request;
  const signal = AbortSignal.timeout(options.timeoutMs);
  if (!URL.canParse(start)) throw new RangeError(`${start}: expected an https URL`);
  let url = new URL(start);
  // Credentials are for the address that was asked for, not for those that its server names.
  let origin = url.origin;
  let renewed: Granted | undefined;
  let provider: string | undefined;
  let body =
    form === undefined
      ? json === undefined
        ? undefined
        : JSON.stringify(json)
      : new URLSearchParams(form).toString();
  for (let hop = 0; hop <= MAX_REDIRECTS; hop++) {
    if (url.protocol !== 'https:') throw new RangeError(`${url.href}: expected an https URL`);
    const isOwn = url.origin === origin;
    if (!isOwn && form !== undefined && body !== undefined)
      throw new ReadFailed(start, `the server sends a form with secrets on to ${url.host}`, null);
    const granted = renewed ?? (await grantedTo(url, { isOwn, body, provider }, options));
    provider ??= granted?.provider;
    const answer = await send(agent, options, request, { url, granted, body, isOwn, signal });
    const { statusCode: status, headers } = answer;
    const there = status === 200 || status === 206 ? undefined : regional(url, headers);
    const again: Granted | undefined =
      there === undefined && isRefusal(status) && granted !== undefined && renewed === undefined
        ? await options.authorise?.(url.href, granted)
        : undefined;
    renewed = again;
    if (there !== undefined) [url, origin] = [there, isOwn ? there.origin : origin];
    else if (again === undefined) {
      const { location } = headers;
      if (status < 300 || status >= 400 || typeof location !== 'string')
        return { url: url.href, answer, bytes: await collect(start, url.href, answer, maxBytes) };
      if (!URL.canParse(location, url.href))
        throw new ReadFailed(start, 'the server redirects to an address that is no URL', status);
      url = new URL(location, url);
      if (status === 303) body = undefined; // 303 See Other is always followed by GET
    }
    await answer.body.dump();
  }
  throw new ReadFailed(start, `more than ${MAX_REDIRECTS} redirects`, null);
}

/** The credentials of a request: none behind a redirect, except to another host of the same provider. */
async function grantedTo(
  url: URL,
  {
    isOwn,
    body,
    provider,
  }: { readonly isOwn: boolean; readonly body: string | undefined; readonly provider: string | undefined },
  { authorise }: ReaderOptions,
): Promise<Granted | undefined> {
  if (body !== undefined || (!isOwn && provider === undefined)) return undefined;
  const granted = await authorise?.(url.href);
  return isOwn || granted?.provider === provider ? granted : undefined;
}

const isRefusal = (status: number): boolean => status === 401 || status === 403;

/** The address in the region of the bucket, where Amazon S3 answered that it is in another one. */
function regional(url: URL, headers: Dispatcher.ResponseData['headers']): URL | undefined {
  const region = headers['x-amz-bucket-region'];
  return typeof region === 'string' ? inRegion(url, region) : undefined;
}

/** The headers that another host may see. */
function withoutSecrets(headers: ReadRequest['headers'] = {}): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => /^(range|if-range)$/i.test(name)));
}

function send(
  agent: Agent,
  { userAgent }: ReaderOptions,
  { accept, form, headers }: ReadRequest,
  {
    url,
    granted,
    body,
    isOwn,
    signal,
  }: {
    readonly url: URL;
    readonly granted: Granted | undefined;
    readonly body: string | undefined;
    readonly isOwn: boolean;
    readonly signal: AbortSignal;
  },
): Promise<Dispatcher.ResponseData> {
  const { origin, pathname, search } = new URL(granted?.url ?? url);
  const type = form === undefined ? 'application/json' : 'application/x-www-form-urlencoded';
  return agent.request({
    origin,
    path: pathname + search,
    method: body === undefined ? 'GET' : 'POST',
    headers: {
      'user-agent': userAgent,
      accept: accept ?? '*/*',
      'accept-encoding': 'identity', // without it a server may pack what it sends (RFC 9110, 12.5.3)
      ...(body !== undefined && { 'content-type': type }),
      ...(isOwn ? headers : withoutSecrets(headers)),
      ...granted?.headers,
    },
    body: body ?? null,
    signal,
  });
}

function connectionsTo({ hostname }: URL): number {
  return FEWER_CONNECTIONS.find(([host]) => host.test(hostname))?.[1] ?? CONNECTIONS_PER_ORIGIN;
}
