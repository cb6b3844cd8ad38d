import { existsSync } from 'node:fs';
import { mkdir, readdir, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { syncFolder } from '../../base/durable-file.ts';
import type { Config } from '../../config.ts';
import { CUBES } from '../objects/cubes.ts';

/** Folder for the cubes that are replaced, until the restore is complete. */
const FORMER = 'former';

/** Cubes of a data folder that are replaced by those of a restored account. Without effect where cubes are in a bucket. */
export class SwappedCubes {
  readonly #cubes: string;
  readonly #stage: string;
  readonly #isUsed: boolean;
  readonly #swapped: string[] = [];
  #isSettled = false;

  /** @param stage folder with the restored files */
  constructor({ dataFolder, objects }: Pick<Config, 'dataFolder' | 'objects'>, stage: string) {
    this.#cubes = join(dataFolder, CUBES);
    this.#stage = stage;
    this.#isUsed = objects === undefined;
  }

  /** The cubes that were replaced or added. */
  get names(): readonly string[] {
    return this.#swapped;
  }

  /** Puts the restored cubes into the place of the former ones. No process may use them. */
  async swap(): Promise<void> {
    if (!this.#isUsed) return;
    await mkdir(this.#cubes, { recursive: true, mode: 0o700 });
    await mkdir(join(this.#stage, FORMER), { recursive: true, mode: 0o700 });
    for (const name of await readdir(join(this.#stage, CUBES)).catch(() => [])) {
      const place = join(this.#cubes, name);
      if (existsSync(place)) await rename(place, join(this.#stage, FORMER, name));
      this.#swapped.push(name);
      await rename(join(this.#stage, CUBES, name), place);
    }
    await syncFolder(this.#cubes);
  }

  /** Says that the rows of the restored cubes are in the database, so that the former cubes do not come back. */
  settle(): void {
    this.#isSettled = true;
  }

  /** Puts the former cubes back, unless the restored ones are settled. */
  async undo(): Promise<void> {
    if (this.#isSettled) return;
    for (const name of this.#swapped.splice(0)) {
      const place = join(this.#cubes, name);
      if (existsSync(place)) await rename(place, join(this.#stage, CUBES, name));
      const former = join(this.#stage, FORMER, name);
      if (existsSync(former)) await rename(former, place);
    }
  }
}
