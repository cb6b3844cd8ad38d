import { join } from 'node:path';
import { CubeHandle } from './cube-handle.ts';
import type { CubeSettings } from './cube-settings.ts';
import { manifestStamp } from './manifest.ts';

/** Longest folder name of a cube [bytes]; file systems allow 255. */
const MAX_NAME_BYTES = 200;

/** Folder name of a cube: letters, digits, `-` and `_` unchanged, all else percent-encoded. */
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
  /** By cube id, the least recently used first. */
  readonly #handles = new Map<string, CubeHandle>();

  constructor(settings: CubeSettings) {
    this.#settings = settings;
  }

  /**
   * The handle of a cube, now the most recently used. Closes the files of the least recently used ones over the
   * bound.
   */
  get(cubeId: string): CubeHandle {
    let cube = this.#handles.get(cubeId);
    if (cube === undefined) {
      cube = new CubeHandle(cubeId, join(this.#settings.root, folderName(cubeId)), this.#settings);
      // The disk space of a cube that another process removed is not freed while its files are open here.
      for (const other of this.#handles.values()) {
        if (other.isOpen && manifestStamp(other.folder) === null) other.forget();
      }
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

  delete(cubeId: string): void {
    this.#handles.delete(cubeId);
  }

  /** Waits until no full log is being closed, runs `stop`, then closes all files. */
  async close(stop: () => Promise<void>): Promise<void> {
    const cubes = [...this.#handles.values()];
    for (const cube of cubes) await cube.settle();
    await stop();
    for (const cube of cubes) cube.forget();
    this.#handles.clear();
  }
}
