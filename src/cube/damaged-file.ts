/** A stored file does not hold what was written: flipped bits, a cut, or another program's bytes. Names the file. */
export class DamagedFile extends Error {
  override readonly name = 'DamagedFile';
  /** A sentence about a stored file, not about a mistake in the code: shown without a stack. */
  readonly code = 'DAMAGED_FILE';
  readonly path: string;
  /** What is wrong with the file, in words. */
  readonly what: string;
  constructor(path: string, what: string, cause?: unknown) {
    super(
      `${path} is damaged: ${what}. Restore it from a backup, or run "groundwatch collections repair" and ingest again.`,
      { cause },
    );
    this.path = path;
    this.what = what;
  }
}
