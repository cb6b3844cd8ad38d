/** A stored file does not hold what was written: flipped bits, a cut, or another program's bytes. Names the file. */
export class DamagedFile extends Error {
  override readonly name = 'DamagedFile';
  readonly path: string;
  constructor(path: string, what: string, cause?: unknown) {
    super(`${path} is damaged: ${what}. Restore it from a backup, or remove the cube and ingest again.`, {
      cause,
    });
    this.path = path;
  }
}
