import { ObjectFiles } from '../../net/object-files.ts';
import type { ObjectStore } from '../../net/object-store.ts';

/** Results of units of searches in objects: `units/<search>/<unit>/`. */
export class UnitObjects {
  readonly #files: ObjectFiles;

  /** @param prefix of the cube's objects, with a slash at its end */
  constructor(objects: ObjectStore, prefix: string) {
    this.#files = new ObjectFiles(objects, `${prefix}units/`);
  }

  /** Writes the file of a unit to objects. Does nothing when another process has written it. */
  push(search: string, unit: string, path: string): Promise<void> {
    return this.#files.keep(`${search}/${unit}`, path);
  }

  /** Makes the file of a unit from its objects, unless it is there. @returns whether there is such a unit */
  pull(search: string, unit: string, path: string): Promise<boolean> {
    return this.#files.fetch(`${search}/${unit}`, path);
  }

  /** Names of the units of a search. */
  async names(search: string): Promise<readonly string[]> {
    const files = await this.#files.names(`${search}/`);
    return files.map((file) => file.slice(search.length + 1));
  }

  /** Deletes the units of some searches, the lists of their objects first. */
  async drop(isOver: (search: string) => boolean): Promise<void> {
    await this.#files.drop(({ name }) => isOver(name.split('/')[0]!));
  }
}
