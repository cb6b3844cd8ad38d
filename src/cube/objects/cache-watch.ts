import { spaceMissing } from './cached-copies.ts';

/** A copy that was used within this time stays, however full the folder is [ms]. */
const IDLE_MS = 60_000;
/** On a disk that is short of space, a copy that was used within this time stays [ms]. */
export const BUSY_MS = 2_000;
/** Pause between two looks at the size of the folder, and between two at the free space of its disk [ms]. */
const [SIZE_MS, SPACE_MS] = [10_000, 500];

/**
 * Decides when copies are deleted that were not used for long. A look at the size of a folder reads the size of each file
 * of each copy, which takes longer than a read of one cube, so it is not part of every read.
 */
export class CacheWatch {
  readonly #folder: string;
  readonly #trim: (idleMs: number) => Promise<void>;
  #sizeAt = 0;
  #spaceAt = -Infinity;

  /** @param trim deletes copies that were not used for `idleMs`, as long as there are too many */
  constructor(folder: string, trim: (idleMs: number) => Promise<void>) {
    this.#folder = folder;
    this.#trim = trim;
  }

  /** To be called after each use of a copy. */
  async used(): Promise<void> {
    if (performance.now() - this.#spaceAt < SPACE_MS) return;
    this.#spaceAt = performance.now();
    const isShort = (await spaceMissing(this.#folder)) > 0;
    if (!isShort && performance.now() - this.#sizeAt < SIZE_MS) return;
    this.#sizeAt = performance.now();
    await this.#trim(isShort ? BUSY_MS : IDLE_MS);
  }
}
