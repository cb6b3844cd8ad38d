import { isLogged, type LogLevel } from '../base/log-level.ts';

/** The log of everything that is not a request. */
export interface Log {
  info(message: string): void;
  warn(message: string): void;
  error(message: string): void;
}

/**
 * Minimum interval between log lines of the same warning or error [ms]: a lost database is reported ten times per
 * second.
 */
const REPEAT_MS = 60_000;
const MAX_REMEMBERED = 1_000; // maximum number of different messages that are remembered

/**
 * A log in the same form as that of requests: one JSON object per line. A repeated warning or error is counted
 * instead of written; the count appears as `repeated` when the message is next written.
 */
export function stderrLog(
  threshold: LogLevel,
  put: (line: string) => void = (line) => process.stderr.write(line),
  nowMs: () => number = () => performance.now(),
): Log {
  const complaints = new Map<string, { readonly atMs: number; again: number }>();
  /**
   * Returns how often a warning or error was suppressed since it was last written; undefined if it must be suppressed
   * now.
   */
  const repeats = (complaint: string): number | undefined => {
    const known = complaints.get(complaint);
    if (known !== undefined && nowMs() - known.atMs < REPEAT_MS) {
      known.again += 1;
      return undefined;
    }
    complaints.delete(complaint);
    complaints.set(complaint, { atMs: nowMs(), again: 0 });
    if (complaints.size > MAX_REMEMBERED) complaints.delete(complaints.keys().next().value!);
    return known?.again ?? 0;
  };
  const write = (level: 'info' | 'warn' | 'error') => (msg: string) => {
    if (!isLogged(level, threshold)) return;
    const repeated = level === 'info' ? 0 : repeats(msg);
    if (repeated === undefined) return;
    const time = new Date().toISOString();
    put(`${JSON.stringify({ level, time, msg, ...(repeated > 0 && { repeated }) })}\n`);
  };
  return { info: write('info'), warn: write('warn'), error: write('error') };
}
