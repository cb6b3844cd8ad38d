import { join } from 'node:path';
import { CubeHandle } from './cube-handle.ts';
import type { CubeSettings } from './cube-settings.ts';
import { manifestStamp } from './manifest.ts';

/** Maximum length of the folder name of a cube [bytes]; file systems allow 255. */
const MAX_NAME_BYTES = 200;

/** Returns the folder name of a cube. Letters, digits, `-` and `_` are unchanged, all else is percent-encoded. */
function folderName(cubeId: string): string {
  const name = encodeURIComponent(cubeId).replace(
    /[.!~*'()]/g,
    (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  if (name === '' || name.length > MAX_NAME_BYTES) {
    throw new RangeError(`a cube id has 1 to ${MAX_NAME_BYTES} bytes when encoded, got '${cubeId}'`);
  }
  return name;
}

/** The handles of a store's cubes. A bounded number of them keep their files open. */
export class CubeHandles {
  readonly #settings: CubeSettings;
  /** Handles by cube id, the least recently used first. */
  readonly #handles = new Map<string, CubeHandle>();

  constructor(settings: CubeSettings) {
    this.#settings = settings;
  }

  /**
   * Returns the handle of a cube, which becomes the most recently used. If too many cubes have open files, closes the
   * files of the least recently used.
   */
  get(cubeId: string): CubeHandle {
    let cube = this.#handles.get(cubeId);
    if (cube === undefined) {
      cube = new CubeHandle(cubeId, join(this.#settings.root, folderName(cubeId)), this.#settings);
      this.forgetRemoved();
    }
    this.#handles.delete(cubeId);
    this.#handles.set(cubeId, cube);
    let excess = -this.#settings.maxOpen;
    for (const { isOpen } of this.#handles.values()) excess += Number(isOpen);
    for (const other of this.#handles.values()) {
      if (excess <= 0) break;
      if (!other.isOpen || other === cube) continue;
      other.forget();
      excess--;
    }
    return cube;
  }

  /** Closes cubes whose files are deleted: their disk space is not freed while they are open here. */
  forgetRemoved(): void {
    for (const cube of this.#handles.values())
      if (cube.isOpen && manifestStamp(cube.folder) === null) cube.forget();
  }

  delete(cubeId: string): void {
    this.#handles.delete(cubeId);
  }

  /** Waits until no sealed log is being closed, runs `stop`, then closes all files. */
  async close(stop: () => Promise<void>): Promise<void> {
    const cubes = [...this.#handles.values()];
    for (const cube of cubes) await cube.settle();
    await stop();
    for (const cube of cubes) cube.forget();
    this.#handles.clear();
  }
}
