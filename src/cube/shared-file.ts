import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { DamagedFile } from './damaged-file.ts';

/** A file open for reading that several views hold; closed when the last lets go. */
export class SharedFile {
  readonly path: string;
  readonly fd: number;
  #holders = 1;

  constructor(path: string) {
    this.path = path;
    this.fd = openSync(path, 'r');
  }

  hold(): this {
    this.#holders++;
    return this;
  }

  release(): void {
    if (--this.#holders === 0) closeSync(this.fd);
  }

  /** Length of the file now [bytes]. */
  size(): number {
    return fstatSync(this.fd).size;
  }

  /** Fills the target from a byte position. @throws DamagedFile when the file ends before it is full */
  read(target: Uint8Array, position: number): void {
    let done = 0;
    while (done < target.byteLength) {
      const got = readSync(this.fd, target, done, target.byteLength - done, position + done);
      if (got === 0) {
        throw new DamagedFile(
          this.path,
          `it ends at byte ${position + done}, ${target.byteLength - done} bytes too early`,
        );
      }
      done += got;
    }
  }
}
