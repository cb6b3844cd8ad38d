import { observe } from '../base/observed.ts';

/** A stored file has changed since it was written: flipped bits, a missing end, or bytes of another program. */
export class DamagedFile extends Error {
  override readonly name = 'DamagedFile';
  /** Marks an error in stored data, not in the code. Such errors are shown without a stack trace. */
  readonly code = 'DAMAGED_FILE';
  readonly path: string;
  /** Description of the damage. */
  readonly what: string;
  constructor(path: string, what: string, cause?: unknown) {
    super(
      `${path} is damaged: ${what}. Restore it from a backup, or run "groundwatch collections repair" and ingest again.`,
      { cause },
    );
    this.path = path;
    this.what = what;
    observe({ kind: 'damaged-file', outcome: 'found' });
  }
}
