import { setTimeout as pause } from 'node:timers/promises';
import { Agent, type Dispatcher } from 'undici';
import { guardedConnect, type ConnectOptions } from './guarded-connect.ts';

const MAX_REDIRECTS = 5; // enough to reach a mirror (our choice)
const ATTEMPTS = 4; // maximum number of attempts, including the first
const FIRST_PAUSE_MS = 500; // pause before the second attempt; doubled for each further attempt
const LONGEST_PAUSE_MS = 60_000; // maximum pause that a server can request with Retry-After
const CONNECTIONS_PER_ORIGIN = 8; // enough to use the full bandwidth when reading ranges of a few hundred kB

/** A server did not return the requested data. */
export class ReadFailed extends Error {
  override readonly name = 'ReadFailed';
  /** HTTP status of the last response; null when there was none. */
  readonly status: number | null;
  constructor(url: string, why: string, status: number | null, options?: ErrorOptions) {
    super(`${url}: ${why}`, options);
    this.status = status;
  }
}

/** Request of a {@link GuardedReader}. */
export interface ReadRequest {
  readonly url: string;
  readonly accept?: string;
  /** JSON body. With a body the request is a POST, otherwise a GET. */
  readonly json?: unknown;
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
   * @throws the errors of `read`, and ReadFailed when the server does not support ranges
   */
  readPiece(url: string, from: number, to: number): Promise<ReadPiece>;
  close(): Promise<void>;
}

interface ReaderOptions extends ConnectOptions {
  readonly userAgent: string;
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
  const agent = new Agent({
    connect: guardedConnect(options),
    connections: CONNECTIONS_PER_ORIGIN,
    allowH2: false,
  });
  return {
    async read(request) {
      const found = await retry(agent, options, request);
      return { url: found.url, bytes: found.bytes };
    },
    async readPiece(url, from, to) {
      const { answer, bytes } = await retry(agent, options, {
        url,
        headers: { range: `bytes=${from}-${to - 1}`, 'accept-encoding': 'identity' },
        maxBytes: to - from,
      });
      const size = Number(/^bytes \d+-\d+\/(\d+)$/.exec(String(answer.headers['content-range']))?.[1]);
      if (answer.statusCode !== 206 || !Number.isSafeInteger(size))
        throw new ReadFailed(
          url,
          'the server does not give pieces of a file (HTTP ranges)',
          answer.statusCode,
        );
      const version = answer.headers.etag ?? answer.headers['last-modified'];
      return { bytes, size, version: typeof version === 'string' ? version : null };
    },
    close: () => agent.destroy(),
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
      const asked = Number(found.answer.headers['retry-after']) * 1000;
      if (asked > 0) wait = Math.min(LONGEST_PAUSE_MS, Math.max(wait, asked));
    } catch (error) {
      if (!isTemporary(error)) throw error;
      failure = new ReadFailed(request.url, reason(error), null, { cause: error });
    }
    if (attempt === ATTEMPTS) throw failure;
    await pause(wait);
  }
}

/** Makes one attempt: sends the request and follows redirects. @throws ReadFailed after too many redirects */
async function followRedirects(
  agent: Agent,
  options: ReaderOptions,
  { url: start, accept, json: asked, headers, maxBytes }: ReadRequest,
): Promise<Found> {
  const signal = AbortSignal.timeout(options.timeoutMs);
  let url = new URL(start);
  let json = asked;
  for (let hop = 0; hop <= MAX_REDIRECTS; hop++) {
    if (url.protocol !== 'https:') throw new RangeError(`${url.href}: expected an https URL`);
    const answer = await agent.request({
      origin: url.origin,
      path: url.pathname + url.search,
      method: json === undefined ? 'GET' : 'POST',
      headers: {
        'user-agent': options.userAgent,
        accept: accept ?? '*/*',
        ...(json === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      body: json === undefined ? null : JSON.stringify(json),
      signal,
    });
    const { location } = answer.headers;
    if (answer.statusCode < 300 || answer.statusCode >= 400 || typeof location !== 'string')
      return { url: url.href, answer, bytes: await collect(url.href, answer, maxBytes) };
    await answer.body.dump();
    url = new URL(location, url);
    if (answer.statusCode === 303) json = undefined; // 303 See Other is always followed by GET
  }
  throw new ReadFailed(start, `more than ${MAX_REDIRECTS} redirects`, null);
}

/** Reads a body; of an error response, only the start. @throws ReadFailed when any other body exceeds `maxBytes` */
async function collect(url: string, answer: Dispatcher.ResponseData, maxBytes: number): Promise<Buffer> {
  const isWhole = answer.statusCode === 200 || answer.statusCode === 206;
  // Only the first line of an error response is used, in the error message.
  const most = isWhole ? maxBytes : Math.min(maxBytes, 4096);
  const kept: Buffer[] = [];
  let length = 0;
  for await (const chunk of answer.body as AsyncIterable<Buffer>) {
    kept.push(chunk);
    length += chunk.length;
    if (length <= most) continue;
    if (!isWhole) break;
    throw new ReadFailed(url, `the answer is longer than ${maxBytes} bytes`, answer.statusCode);
  }
  return Buffer.concat(kept);
}

/** Whether an error was caused by the connection, so that another attempt may succeed. */
function isTemporary(error: unknown): boolean {
  const { code, name } = error as NodeJS.ErrnoException;
  if (name === 'TimeoutError') return true;
  return (
    code !== undefined &&
    /^(ECONN|EPIPE|ETIMEDOUT|EAI_AGAIN|ENETUNREACH|EHOSTUNREACH|UND_ERR_(SOCKET|CONNECT_TIMEOUT|HEADERS_TIMEOUT|BODY_TIMEOUT))/.test(
      code,
    )
  );
}

function reason(error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException;
  return code === undefined || message.includes(code) ? message : `${message} (${code})`;
}

/** Returns a colon and the first line of an error response; an empty text if that line is not plain text. */
function saying(bytes: Buffer): string {
  const line = bytes.toString('utf8').trim().split('\n', 1)[0]!.slice(0, 200);
  return /^[\x20-\x7e]+$/.test(line) && !line.startsWith('<') ? `: ${line}` : '';
}
