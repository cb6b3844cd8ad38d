import { observe } from '../base/observed.ts';

/** A file of a cube could not be written. The cube is unchanged. The message contains the file and the reason. */
export class WriteFailed extends Error {
  override readonly name = 'WriteFailed';
  /** Code of the system error, such as ENOSPC when the disk is full. */
  readonly code: string | undefined;
  readonly path: string;
  /** Message of the system error. */
  readonly reason: string;
  constructor(path: string, cause: unknown) {
    const { code, message } = cause as NodeJS.ErrnoException;
    super(`${path} cannot be written: ${message}. Nothing was changed.`, {
      cause,
    });
    this.code = code;
    this.path = path;
    this.reason = message;
    observe({ kind: 'failed-write', outcome: code ?? 'unknown' });
  }
}

/** Whether an error comes from a call of the system, and not from our own reckoning of the space. */
export function isOfSystem(error: unknown): boolean {
  return (error as NodeJS.ErrnoException).syscall !== undefined || error instanceof WriteFailed;
}
