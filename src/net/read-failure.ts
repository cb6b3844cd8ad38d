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

/** A response ended before the length that it states. Another attempt may succeed. */
export class CutShort extends Error {
  readonly code = 'ECONNCUT';
}

/** Whether an error was caused by the connection, so that another attempt may succeed. */
export function isTemporary(error: unknown): boolean {
  const { code, name } = error as NodeJS.ErrnoException;
  if (name === 'TimeoutError') return true;
  return (
    code !== undefined &&
    /^(ECONN|EPIPE|ETIMEDOUT|EAI_AGAIN|ENETUNREACH|EHOSTUNREACH|UND_ERR_(SOCKET|CONNECT_TIMEOUT|HEADERS_TIMEOUT|BODY_TIMEOUT|RES_CONTENT_LENGTH))/.test(
      code,
    )
  );
}

/** Whether an error is of the connection or the protocol, temporary or not: of DNS, TLS or HTTP. */
export function isOfConnection(error: unknown): boolean {
  const { code, name } = error as NodeJS.ErrnoException;
  return (
    isTemporary(error) ||
    name === 'HTTPParserError' ||
    (typeof code === 'string' && /^(E[A-Z]+$|ERR_(SSL|TLS)|UND_ERR|[A-Z_]*(CERT|SIGNED|ISSUER))/.test(code))
  );
}

/** The message of an error of the connection, with its code. */
export function reason(error: unknown): string {
  const { code, message, name } = error as NodeJS.ErrnoException;
  if (name === 'TimeoutError') return 'the whole answer did not come in time';
  // OpenSSL names its source file and thread besides.
  const ofOpenSsl = /^[0-9A-F]+:error:[0-9A-F]+:[^:]*:[^:]*:([^:]+):/.exec(message)?.[1];
  if (ofOpenSsl !== undefined) return `no TLS connection: ${ofOpenSsl} (${code})`;
  return code === undefined || error instanceof CutShort || message.includes(code)
    ? message
    : `${message} (${code})`;
}

/**
 * What an error response says, behind a colon: code and message of the XML of object stores, otherwise the first line.
 * An empty text if that is not plain text.
 * @see https://docs.aws.amazon.com/AmazonS3/latest/API/ErrorResponses.html
 */
export function saying(bytes: Buffer): string {
  const text = bytes.toString('utf8').trim();
  const told = ['Code', 'Message']
    .map((name) => new RegExp(`<${name}>([^<]*)</${name}>`).exec(text)?.[1]?.trim().split('\n', 1)[0])
    .filter((part) => part !== undefined && part !== '');
  const line = (told.length > 0 ? told.join(': ') : text.split('\n', 1)[0]!).slice(0, 200).trim();
  return /^[\x20-\x7e]+$/.test(line) && !line.startsWith('<') ? `: ${line}` : '';
}

/**
 * Time that a server asks to wait [ms]: `Retry-After` as seconds or as a date (RFC 9110, 10.2.3). NaN without it.
 */
export function retryAfterMs(header: string | readonly string[] | undefined, nowMs: number): number {
  if (typeof header !== 'string') return Number.NaN;
  return /^\d+$/.test(header.trim()) ? Number(header) * 1000 : Date.parse(header) - nowMs;
}
