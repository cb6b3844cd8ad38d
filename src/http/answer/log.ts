import { isLogged, type LogLevel } from '../../base/log-level.ts';

type Level = 'info' | 'warn' | 'error';

/** Buffered lines are written at this length [characters], and after this time [ms] at the latest. */
const FLUSH_LENGTH = 16_384;
const FLUSH_MS = 100;

type Fields = Readonly<Record<string, unknown>>;

/** The fields of an answer's log line. */
export interface AnswerLine {
  readonly requestId: string;
  readonly keyId: string | undefined;
  readonly method: string;
  /** The route's pattern, not the requested path. */
  readonly path: string;
  readonly status: number;
  readonly ms: number;
}

/** Writes one JSON object a line: level, time, `msg` and the given fields, of which there must be at least one. */
export interface Log {
  info(fields: Fields, message: string): void;
  warn(fields: Fields, message: string): void;
  error(fields: Fields, message: string): void;
  /** Logs an answer. The line is concatenated by hand, because there are many; nothing in it needs escaping. */
  answered(answer: AnswerLine): void;
  /** Writes the buffered lines, and stops doing so at the exit of the process. */
  close(): void;
}

/**
 * Opens a log of a level and above. Errors are written at once. Other lines are buffered for up to a tenth of a second,
 * because one write for each answer would cost as much as the answer.
 */
export function openLog(threshold: LogLevel, write: (lines: string) => void): Log {
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
    if (!isLogged(name, threshold)) return () => undefined;
    return (fields, message) => {
      const all = 'err' in fields ? { ...fields, err: describeError(fields['err']) } : fields;
      add(
        `{"level":"${name}","time":"${isoTime()}","msg":${JSON.stringify(message)},${JSON.stringify(all).slice(1)}\n`,
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
      if (!isLogged('info', threshold)) return;
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

/** The current time in UTC, RFC 3339 with milliseconds. The part down to the second is formatted once a second. */
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
