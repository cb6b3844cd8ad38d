import { setTimeout as pause } from 'node:timers/promises';
import { Agent, type Dispatcher } from 'undici';
import { guardedConnect, type ConnectOptions } from './guarded-connect.ts';

const MAX_REDIRECTS = 5; // as many as curl's users expect of a mirror
const ATTEMPTS = 4; // of one reading, the first included
const FIRST_PAUSE_MS = 500; // before the second attempt; doubled each time
const LONGEST_PAUSE_MS = 60_000; // that a server may ask for by Retry-After
const CONNECTIONS_PER_ORIGIN = 8; // enough to fill a line with ranges of a few hundred kB

/** A server did not give what was asked of it. */
export class ReadFailed extends Error {
  override readonly name = 'ReadFailed';
  /** Of the last answer; null when there was none. */
  readonly status: number | null;
  constructor(url: string, why: string, status: number | null, options?: ErrorOptions) {
    super(`${url}: ${why}`, options);
    this.status = status;
  }
}

/** What was asked for. */
export interface ReadRequest {
  readonly url: string;
  readonly accept?: string;
  /** A JSON body makes it a POST. */
  readonly json?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  /** More than this is refused [bytes]. */
  readonly maxBytes: number;
}

/** A whole answer. */
export interface ReadAnswer {
  /** Where it came from in the end. */
  readonly url: string;
  readonly bytes: Buffer;
}

/** A piece of a file. */
export interface ReadPiece {
  readonly bytes: Buffer;
  /** Of the whole file [bytes]. */
  readonly size: number;
  /** Changes when the file does; null when the server does not tell. */
  readonly version: string | null;
}

/** Reads over HTTPS from judged addresses; redirects are followed, each judged again, and passing failures tried again. */
export interface GuardedReader {
  /** @throws ReadFailed, AddressRefused, RangeError for what is no https URL */
  read(request: ReadRequest): Promise<ReadAnswer>;
  /** Bytes `[from, to)` of a file, fewer where it ends. @throws as `read` does, and where ranges are not served */
  readPiece(url: string, from: number, to: number): Promise<ReadPiece>;
  close(): Promise<void>;
}

/** @param options.timeoutMs for one attempt, from the call to the end of the answer */
export function guardedReader(
  options: ConnectOptions & { readonly userAgent: string; readonly firstPauseMs?: number },
): GuardedReader {
  const agent = new Agent({
    connect: guardedConnect(options),
    connections: CONNECTIONS_PER_ORIGIN,
    allowH2: false,
  });

  const once = async (
    start: string,
    request: Omit<ReadRequest, 'url'>,
  ): Promise<{ readonly url: string; readonly answer: Dispatcher.ResponseData; readonly bytes: Buffer }> => {
    const signal = AbortSignal.timeout(options.timeoutMs);
    let url = new URL(start);
    let json = request.json;
    for (let hop = 0; hop <= MAX_REDIRECTS; hop++) {
      if (url.protocol !== 'https:') throw new RangeError(`${url.href}: expected an https URL`);
      const answer = await agent.request({
        origin: url.origin,
        path: url.pathname + url.search,
        method: json === undefined ? 'GET' : 'POST',
        headers: {
          'user-agent': options.userAgent,
          accept: request.accept ?? '*/*',
          ...(json === undefined ? {} : { 'content-type': 'application/json' }),
          ...request.headers,
        },
        body: json === undefined ? null : JSON.stringify(json),
        signal,
      });
      const { location } = answer.headers;
      if (answer.statusCode < 300 || answer.statusCode >= 400 || typeof location !== 'string')
        return { url: url.href, answer, bytes: await collect(url.href, answer, request.maxBytes) };
      await answer.body.dump();
      url = new URL(location, url);
      if (answer.statusCode === 303) json = undefined;
    }
    throw new ReadFailed(start, `more than ${MAX_REDIRECTS} redirects`, null);
  };

  const again = async (start: string, request: Omit<ReadRequest, 'url'>) => {
    for (let attempt = 1; ; attempt++) {
      let failure: ReadFailed;
      let wait = (options.firstPauseMs ?? FIRST_PAUSE_MS) * 2 ** (attempt - 1);
      try {
        const { url, answer, bytes } = await once(start, request);
        const { statusCode: status } = answer;
        if (status >= 200 && status < 300) return { url, answer, bytes };
        failure = new ReadFailed(start, `the server answered ${status}${saying(bytes)}`, status);
        if (status !== 429 && status < 500) throw failure;
        const asked = Number(answer.headers['retry-after']) * 1000;
        if (asked > 0) wait = Math.min(LONGEST_PAUSE_MS, Math.max(wait, asked));
      } catch (error) {
        if (!passes(error)) throw error;
        failure = new ReadFailed(start, reason(error), null, { cause: error });
      }
      if (attempt === ATTEMPTS) throw failure;
      await pause(wait);
    }
  };

  return {
    async read({ url, ...request }) {
      const found = await again(url, request);
      return { url: found.url, bytes: found.bytes };
    },
    async readPiece(url, from, to) {
      const { answer, bytes } = await again(url, {
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

/** Reads a body to its end. @throws ReadFailed when it is longer than allowed */
async function collect(url: string, answer: Dispatcher.ResponseData, maxBytes: number): Promise<Buffer> {
  const isWhole = answer.statusCode === 200 || answer.statusCode === 206;
  // What a server says of a failure is worth a line, not a page.
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

/** Whether a failure may not come again: the line, not what was asked for. */
function passes(error: unknown): boolean {
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

/** The first line of what a server said of a failure, when it is text. */
function saying(bytes: Buffer): string {
  const line = bytes.toString('utf8').trim().split('\n', 1)[0]!.slice(0, 200);
  return /^[\x20-\x7e]+$/.test(line) && !line.startsWith('<') ? `: ${line}` : '';
}
