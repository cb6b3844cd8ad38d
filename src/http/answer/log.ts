/** Thresholds in their order; what is written here is information, a warning or an error. */
const LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const;
type Level = 'info' | 'warn' | 'error';

/** Lines waiting are written when there are this many characters of them, and after this time [ms] at the latest. */
const FLUSH_LENGTH = 16_384;
const FLUSH_MS = 100;

type Fields = Readonly<Record<string, unknown>>;

/** An answer, as the log tells it. */
export interface AnswerLine {
  readonly requestId: string;
  readonly keyId: string | undefined;
  readonly method: string;
  /** The route's pattern, not what was asked for. */
  readonly path: string;
  readonly status: number;
  readonly ms: number;
}

/** One JSON object a line: level, time, `msg` and the fields given, of which there is one at least. */
export interface Log {
  info(fields: Fields, message: string): void;
  warn(fields: Fields, message: string): void;
  error(fields: Fields, message: string): void;
  /** The line of an answer: of so many, so it is put together by hand. Nothing in it needs escaping. */
  answered(answer: AnswerLine): void;
  /** Writes what waits, and no longer at the end of the process. */
  close(): void;
}

/**
 * A log of a level and above. What is no error waits for others like it, a tenth of a
 * second at most: a write for each answer would cost as much as the answer.
 */
export function openLog(level: string, write: (lines: string) => void): Log {
  const from = (LEVELS as readonly string[]).indexOf(level);
  const isoTime = isoClock();
  let waiting = '';
  let timer: NodeJS.Timeout | undefined;

  const flush = (): void => {
    clearTimeout(timer);
    timer = undefined;
    if (waiting !== '') write(waiting);
    waiting = '';
  };
  const add = (line: string): void => {
    waiting += line;
    if (waiting.length > FLUSH_LENGTH) flush();
    else timer ??= setTimeout(flush, FLUSH_MS).unref();
  };
  const put = (name: Level): ((fields: Fields, message: string) => void) => {
    if (LEVELS.indexOf(name) < from) return () => undefined;
    return (fields, message) => {
      const told = 'err' in fields ? { ...fields, err: describeError(fields['err']) } : fields;
      add(
        `{"level":"${name}","time":"${isoTime()}","msg":${JSON.stringify(message)},${JSON.stringify(told).slice(1)}\n`,
      );
      if (name === 'error') flush();
    };
  };
  process.on('exit', flush);
  return {
    info: put('info'),
    warn: put('warn'),
    error: put('error'),
    answered({ requestId, keyId, method, path, status, ms }) {
      if (LEVELS.indexOf('info') < from) return;
      const key = keyId === undefined ? '' : `"key_id":"${keyId}",`;
      add(
        `{"level":"info","time":"${isoTime()}","msg":"answered","request_id":"${requestId}",${key}"method":"${method}","path":"${path}","status":${status},"ms":${Math.round(ms * 10) / 10}}\n`,
      );
    },
    close() {
      flush();
      process.off('exit', flush);
    },
  };
}

/** Now in UTC, RFC 3339 with milliseconds; the part down to the second is made once a second. */
export function isoClock(now: () => number = Date.now): () => string {
  let second = Number.NaN;
  let text = '';
  return () => {
    const ms = now();
    const whole = Math.floor(ms / 1000);
    if (whole !== second) {
      second = whole;
      text = new Date(whole * 1000).toISOString().slice(0, 20);
    }
    return `${text}${String(ms - whole * 1000).padStart(3, '0')}Z`;
  };
}

function describeError(error: unknown): unknown {
  if (!(error instanceof Error)) return String(error);
  const { name, message, stack, cause } = error;
  const { code } = error as { code?: unknown };
  return {
    type: name,
    message,
    ...(code !== undefined && { code }),
    stack,
    ...(cause !== undefined && { cause: describeError(cause) }),
  };
}
