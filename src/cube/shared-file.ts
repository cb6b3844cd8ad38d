import { closeSync, fstatSync, openSync, readSync, statSync } from 'node:fs';
import { DamagedFile } from './damaged-file.ts';

/** A file open for reading that several views share. It is closed when the last view releases it. */
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

  /** Current length of the file [bytes]. */
  size(): number {
    return fstatSync(this.fd).size;
  }

  /** Whether the path still leads to this file, and not to another that has replaced it. */
  isInPlace(): boolean {
    return statSync(this.path, { throwIfNoEntry: false })?.ino === fstatSync(this.fd).ino;
  }

  /** Fills `target` from a byte position. @throws DamagedFile when the file ends too early */
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
