import { createHash } from 'node:crypto';
import type { TarEntry } from './tar.ts';

/** The last file of an archive: a sum of each other one, in the form that `sha256sum -c` reads. */
export const SUMS_NAME = 'SHA256SUMS';

/** SHA-256 of an archive's files, taken as they pass. */
export class Checksums {
  readonly #sums = new Map<string, string>();

  /** The same file, whose sum is known when it has been read. */
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

  /** What is to be kept. */
  text(): string {
    return [...this.#sums].map(([name, sum]) => `${sum}  ${name}\n`).join('');
  }

  /** Holds what was read against what was kept. @throws Error naming a file that is not as it was, or not there */
  compare(kept: string): void {
    const others = new Map(this.#sums);
    for (const line of kept.split('\n')) {
      const [, sum, name] = /^([0-9a-f]{64}) {2}(.+)$/.exec(line) ?? [];
      if (name === undefined) continue;
      if (others.get(name) !== sum) throw new Error(`${name} in it is damaged`);
      others.delete(name);
    }
    for (const name of others.keys()) throw new Error(`${name} in it was not there when it was made`);
  }
}
