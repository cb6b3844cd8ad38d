import { createHash } from 'node:crypto';
import type { TarEntry } from './tar.ts';

/** The last file of an archive: checksums of all other files, in the format of `sha256sum -c`. */
export const SUMS_NAME = 'SHA256SUMS';

/** Computes the SHA-256 of an archive's files while they are read. */
export class Checksums {
  readonly #sums = new Map<string, string>();

  /** Returns a copy of an entry whose checksum is computed while its content is read. */
  take<T extends TarEntry>(entry: T): T {
    return { ...entry, content: this.#read(entry) };
  }

  async *#read({ name, content }: TarEntry): TarEntry['content'] {
    const hash = createHash('sha256');
    for await (const chunk of content) {
      hash.update(chunk);
      yield chunk;
    }
    this.#sums.set(name, hash.digest('hex'));
  }

  /** The text of the checksum file. */
  text(): string {
    return [...this.#sums].map(([name, sum]) => `${sum}  ${name}\n`).join('');
  }

  /**
   * Compares the files read with a checksum file.
   * @throws Error naming a file that is damaged, missing or not listed
   */
  compare(kept: string): void {
    const others = new Map(this.#sums);
    for (const line of kept.split('\n')) {
      const [, sum, name] = /^([0-9a-f]{64}) {2}(.+)$/.exec(line) ?? [];
      if (name === undefined) continue;
      if (others.get(name) !== sum) throw new Error(`${name} in it is damaged`);
      others.delete(name);
    }
    for (const name of others.keys()) throw new Error(`${name} in it is not in its list of checksums`);
  }
}
