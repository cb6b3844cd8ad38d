import { LOG_LEVELS, type Config } from '../config.ts';

/** Log of what happens beside requests. */
export interface Log {
  info(message: string): void;
  warn(message: string): void;
  error(message: string): void;
}

/** Writes beside requests in the same form as requests are logged. */
export function stderrLog(threshold: Config['logLevel']): Log {
  const write = (level: 'info' | 'warn' | 'error') => (msg: string) => {
    if (LOG_LEVELS.indexOf(level) < LOG_LEVELS.indexOf(threshold) || threshold === 'silent') return;
    process.stderr.write(`${JSON.stringify({ level, time: new Date().toISOString(), msg })}\n`);
  };
  return { info: write('info'), warn: write('warn'), error: write('error') };
}
