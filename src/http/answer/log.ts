import { isLogged, type LogLevel } from '../../base/log-level.ts';

type Level = 'info' | 'warn' | 'error';

/** Buffered lines are written when their total length exceeds this [characters], and after `FLUSH_MS` at the latest. */
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

/** Writes one JSON object per line: level, time, `msg` and the given fields. At least one field is required. */
export interface Log {
  info(fields: Fields, message: string): void;
  warn(fields: Fields, message: string): void;
  error(fields: Fields, message: string): void;
  /** Logs an answer. For speed, concatenates the line without JSON.stringify: none of the fields needs escaping. */
  answered(answer: AnswerLine): void;
  /** Writes the buffered lines, and removes the handler that writes them when the process exits. */
  close(): void;
}

/**
 * Opens a log for messages at or above a level. Errors are written at once. Other lines are buffered for up to a tenth
 * of a second, because one write per answer would cost as much as the answer itself.
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

/**
 * Makes a function that returns the current time in UTC, as RFC 3339 with milliseconds. The part without the
 * milliseconds is formatted only once per second.
 */
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
