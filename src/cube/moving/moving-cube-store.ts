import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { SavedState, SavedStateWriter, SomeSearches } from '../../app/changes/search/saved-state.ts';
import type { SearchedCubes } from '../../app/changes/search/searched-cubes.ts';
import type {
  CubeAddress,
  CubeScene,
  CubeSpec,
  CubeStore,
  CubeStrip,
  Samples,
} from '../../app/series/cube-store.ts';
import { syncFolder } from '../../base/durable-file.ts';
import { NotFound } from '../../base/errors.ts';
import { S3Objects } from '../../net/s3-objects.ts';
import type { FolderCubeOptions } from '../cube-settings.ts';
import { FolderCubeStore } from '../folder-cube-store.ts';
import { MOVED_NAME } from '../manifest.ts';
import { CubeMoved } from '../objects/cube-head.ts';
import type { CubeBackups } from '../objects/cube-backups.ts';
import { CubeDeparture } from './cube-departure.ts';
import { CubeReturn } from './cube-return.ts';
import { ObjectCubeStore, type ObjectCubesAt } from '../objects/object-cube-store.ts';

/** Where the cubes are while they are moved, as plain data that a thread can be given. */
export interface MovingCubesAt {
  /** Folder of the cubes. */
  readonly folder: string;
  readonly objects: ObjectCubesAt;
  /** Where they are moved. */
  readonly to: 'objects' | 'folder';
}

/** Opens the cubes inside a worker thread. */
export function openCubes(at: MovingCubesAt): SearchedCubes {
  return new MovingCubeStore(at, { cacheBytes: 0, threads: false }, false);
}

/**
 * Cubes while they are moved from a folder to objects, or back. Each is at one of the two places at any time: in its folder
 * if that exists without a mark that the cube was moved, else in the objects. New cubes are made where the others are
 * moved to. A call that finds its cube moved meanwhile is made again at the other place.
 *
 * Other ways were refused. Writing to both places: a failure of one leaves two truths. Reading new, then old: a removed
 * scene would come back. A row in the database for each cube: a third place that can disagree with the files.
 */
export class MovingCubeStore implements CubeStore, SearchedCubes {
  readonly address: CubeAddress;
  readonly folder: FolderCubeStore;
  readonly objects: ObjectCubeStore;
  readonly #at: MovingCubesAt;
  /** Moved cubes whose switch is known to survive a power cut. */
  readonly #settled = new Set<string>();

  constructor(at: MovingCubesAt, options: FolderCubeOptions = {}, asks = true) {
    this.address = { module: import.meta.url, at };
    this.folder = new FolderCubeStore(at.folder, options);
    this.objects = new ObjectCubeStore(at.objects, options, asks);
    this.#at = at;
  }

  /** What backups keep of the cubes in the objects. */
  get backups(): CubeBackups {
    return this.objects.backups;
  }

  async create(cubeId: string, spec: CubeSpec): Promise<void> {
    await this.#where(cubeId, async (cubes) => {
      const isNew = this.#at.to === 'folder' && cubes === this.objects && !(await this.#isInObjects(cubeId));
      await (isNew ? this.folder : cubes).create(cubeId, spec);
    });
  }

  append(
    cubeId: string,
    scene: { readonly key: string; readonly timeMs: number },
    samples: Samples,
  ): Promise<{ readonly sha256: string; readonly added: boolean }> {
    return this.#where(cubeId, (cubes) => cubes.append(cubeId, scene, samples));
  }

  removeScenes(cubeId: string, keys: readonly string[]): Promise<readonly string[]> {
    return this.#where(cubeId, (cubes) => cubes.removeScenes(cubeId, keys));
  }

  scenes(cubeId: string): Promise<readonly CubeScene[]> {
    return this.#where(cubeId, (cubes) => cubes.scenes(cubeId));
  }

  readStrip(cubeId: string, from: number, to: number, into?: CubeStrip['values']): Promise<CubeStrip> {
    return this.#where(cubeId, (cubes) => cubes.readStrip(cubeId, from, to, into));
  }

  readSamples(cubeId: string, from: number, to: number, into: Int16Array): Promise<readonly CubeScene[]> {
    return this.#where(cubeId, (cubes) => cubes.readSamples(cubeId, from, to, into));
  }

  readScene(cubeId: string, key: string, from: number, to: number): Promise<Float32Array | undefined> {
    return this.#where(cubeId, (cubes) => cubes.readScene(cubeId, key, from, to));
  }

  /** Removes a cube from both places, so that none of it is left. */
  async remove(cubeId: string): Promise<void> {
    const both = async (): Promise<void> => {
      await this.folder.remove(cubeId);
      await this.objects.remove(cubeId);
    };
    await (this.#at.to === 'objects' ? both() : this.#returning(cubeId, (cube) => cube.locked(both)));
  }

  check(cubeId: string): Promise<readonly string[]> {
    return this.#where(cubeId, (cubes) => cubes.check(cubeId));
  }

  repair(cubeId: string, spec: CubeSpec): Promise<readonly string[]> {
    return this.#where(cubeId, (cubes) => cubes.repair(cubeId, spec));
  }

  openState(cubeId: string): Promise<SavedState | undefined> {
    return this.#where(cubeId, (cubes) => cubes.openState(cubeId));
  }

  /** A state whose cube is moved before the commit is lost: the next search computes it again. */
  async writeState(cubeId: string, expectedBytes: number, about: string): Promise<SavedStateWriter> {
    const writer = await this.#where(cubeId, (cubes) => cubes.writeState(cubeId, expectedBytes, about));
    return {
      ...writer,
      async commit(heading) {
        try {
          await writer.commit(heading);
        } catch (error) {
          if (!(error instanceof CubeMoved)) throw error;
          await writer.discard();
        }
      },
    };
  }

  async openUnit(cubeId: string, search: string, unit: string): Promise<SavedState | undefined> {
    return (
      (await this.folder.openUnit(cubeId, search, unit)) ??
      (await this.objects.openUnit(cubeId, search, unit))
    );
  }

  writeUnit(cubeId: string, search: string, unit: string): Promise<SavedStateWriter> {
    return this.#where(cubeId, (cubes) => cubes.writeUnit(cubeId, search, unit));
  }

  async unitsOf(cubeId: string, search: string): Promise<readonly string[]> {
    const units = [this.folder.unitsOf(cubeId, search), this.objects.unitsOf(cubeId, search)];
    return [...new Set((await Promise.all(units)).flat())];
  }

  async dropUnits(cubeId: string, searches: SomeSearches): Promise<void> {
    await this.folder.dropUnits(cubeId, searches);
    await this.objects.dropUnits(cubeId, searches);
  }

  /** See `CubeDeparture.move` and `CubeReturn.move`. */
  async move(cubeId: string): Promise<number | undefined> {
    if (this.#at.to === 'folder') return await this.#returning(cubeId, (cube) => cube.move());
    return await this.#withObjects((objects) => new CubeDeparture(objects, this.folder, cubeId).move());
  }

  /** Reads a moved cube whole, then deletes its former files or objects. @returns as `check` */
  async removeSource(cubeId: string): Promise<readonly string[]> {
    const isBack = this.#at.to === 'folder';
    const damage = await (isBack ? this.folder : this.objects).check(cubeId).catch((error: unknown) => {
      if (!(error instanceof NotFound)) throw error;
      return [error.message];
    });
    if (damage.length > 0) return damage;
    if (isBack) await this.#returning(cubeId, (cube) => cube.removeSource());
    else await this.folder.remove(cubeId);
    return [];
  }

  async close(): Promise<void> {
    await this.folder.close();
    await this.objects.close();
  }

  /** Runs work where a cube is; a cube that does not exist is in the objects. */
  async #where<T>(
    cubeId: string,
    work: (cubes: FolderCubeStore | ObjectCubeStore) => Promise<T>,
  ): Promise<T> {
    if (await this.#isInFolder(cubeId))
      try {
        return await work(this.folder);
      } catch (error) {
        if (await this.#isInFolder(cubeId)) throw error;
      }
    try {
      return await work(this.objects);
    } catch (error) {
      if (this.#at.to !== 'folder' || !(error instanceof CubeMoved)) throw error;
      await this.#returning(cubeId, (cube) => cube.finish());
      await this.#isInFolder(cubeId);
      return await work(this.folder);
    }
  }

  async #isInFolder(cubeId: string): Promise<boolean> {
    const folder = this.folder.folderOf(cubeId);
    if (!existsSync(folder)) return false;
    const isHere = !existsSync(join(folder, MOVED_NAME));
    // Nothing may be written where a cube was moved to while a power cut could take the switch back.
    if (isHere === (this.#at.to === 'folder') && !this.#settled.has(cubeId)) {
      await syncFolder(isHere ? this.#at.folder : folder);
      this.#settled.add(cubeId);
    }
    return isHere;
  }

  /** @throws CubeMoved when the cube has just been moved */
  async #isInObjects(cubeId: string): Promise<boolean> {
    try {
      await this.objects.scenes(cubeId);
      return true;
    } catch (error) {
      if (error instanceof NotFound) return false;
      throw error;
    }
  }

  #returning<T>(cubeId: string, work: (cube: CubeReturn) => Promise<T>): Promise<T> {
    return this.#withObjects((objects) => work(new CubeReturn(objects, this.folder.folderOf(cubeId))));
  }

  async #withObjects<T>(work: (objects: S3Objects) => Promise<T>): Promise<T> {
    const objects = new S3Objects(this.#at.objects.place);
    try {
      return await work(objects);
    } finally {
      await objects.close();
    }
  }
}
