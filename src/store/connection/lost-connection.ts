import { Unavailable } from '../../base/errors.ts';
import { errorCode } from './error-code.ts';

/**
 * Codes of errors that say nothing about the statement, but that the server, a pooler or the way to them has failed or has
 * too little room. PostgreSQL, appendix A: class 08 (connection exception; PgBouncer sends its own refusals as 08P01),
 * class 53 (insufficient resources) without a full disk, 57P01 to 57P05 (the server ends or starts), 57014 (a statement
 * took longer than its limit; nothing else cancels ours), 25006 (the server became a standby), 25P03 and 25P04 (a
 * transaction was idle or took too long).
 */
const AWAY_STATES = /^(?:08...|53(?!100)...|57P0[1-5]|57014|25006|25P0[34])$/;
/** Codes of the operating system for a server that is not reached, or whose connection ended. */
const AWAY_CODES = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'ECONNABORTED',
  'EPIPE',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'EHOSTDOWN',
  'ENETUNREACH',
  'ENETDOWN',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EADDRNOTAVAIL',
]);
/** Errors of pg and its pool, which have no code. */
const AWAY_MESSAGES =
  /^(?:Connection terminated|timeout exceeded when trying to connect|timeout expired|Client has encountered a connection error|Client was closed|The server does not support)/;

/** Whether the connection to the database failed, rather than what was asked over it. */
export function isConnectionLost(error: unknown): boolean {
  if (error instanceof Unavailable) return true;
  const code = errorCode(error);
  if (code === undefined) return error instanceof Error && AWAY_MESSAGES.test(error.message);
  if (AWAY_STATES.test(code) || AWAY_CODES.has(code)) return true;
  // The socket of a server that is not running. Files that are missing have the same code.
  return code === 'ENOENT' && (error as NodeJS.ErrnoException).syscall === 'connect';
}

/** Returns an error of a statement or of a connection as it is thrown: {@link Unavailable} when the connection failed. */
export function lost(error: unknown): unknown {
  return isConnectionLost(error) && !(error instanceof Unavailable) ? new Unavailable(error) : error;
}
