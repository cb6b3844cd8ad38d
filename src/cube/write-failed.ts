/** A file of a cube could not be written; the cube is as it was before. Names the file and why. */
export class WriteFailed extends Error {
  override readonly name = 'WriteFailed';
  /** What the system said: ENOSPC when the disk is full. */
  readonly code: string | undefined;
  readonly path: string;
  /** What the system said, in words. */
  readonly reason: string;
  constructor(path: string, cause: unknown) {
    const { code, message } = cause as NodeJS.ErrnoException;
    super(`${path} cannot be written: ${message}. Nothing was taken in; what was there before is whole.`, {
      cause,
    });
    this.code = code;
    this.path = path;
    this.reason = message;
  }
}
