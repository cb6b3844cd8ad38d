import { LOG_LEVELS, type Config } from '../config.ts';

/** Log of what happens beside requests. */
export interface Log {
  info(message: string): void;
  warn(message: string): void;
  error(message: string): void;
}

/** What was written is not written again for so long [ms]: a database that is away is told of ten times a second. */
const SAME_MS = 60_000;
const MOST_REMEMBERED = 1_000; // messages

/** Writes beside requests in the same form as requests are logged; a complaint that comes again is counted. */
export function stderrLog(
  threshold: Config['logLevel'],
  put: (line: string) => void = (line) => process.stderr.write(line),
  nowMs: () => number = () => performance.now(),
): Log {
  const complaints = new Map<string, { readonly atMs: number; again: number }>();
  /** How often a complaint came since it was written last; undefined while it is too early to write it again. */
  const repeats = (complaint: string): number | undefined => {
    const known = complaints.get(complaint);
    if (known !== undefined && nowMs() - known.atMs < SAME_MS) {
      known.again += 1;
      return undefined;
    }
    complaints.delete(complaint);
    complaints.set(complaint, { atMs: nowMs(), again: 0 });
    if (complaints.size > MOST_REMEMBERED) complaints.delete(complaints.keys().next().value!);
    return known?.again ?? 0;
  };
  const write = (level: 'info' | 'warn' | 'error') => (msg: string) => {
    if (LOG_LEVELS.indexOf(level) < LOG_LEVELS.indexOf(threshold) || threshold === 'silent') return;
    const repeated = level === 'info' ? 0 : repeats(msg);
    if (repeated === undefined) return;
    const time = new Date().toISOString();
    put(`${JSON.stringify({ level, time, msg, ...(repeated > 0 && { repeated }) })}\n`);
  };
  return { info: write('info'), warn: write('warn'), error: write('error') };
}
