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
import { S3Objects, type S3Place } from '../../net/s3-objects.ts';
import type { FolderCubeOptions } from '../cube-settings.ts';
import { FolderCubeStore } from '../folder-cube-store.ts';
import { MOVED_NAME } from '../manifest.ts';
import type { CubeBackups } from '../objects/cube-backups.ts';
import { CubeDeparture } from './cube-departure.ts';
import { ObjectCubeStore, type ObjectCubesAt } from '../objects/object-cube-store.ts';

/** Where the cubes are while they are moved, as plain data that a thread can be given. */
export interface MovingCubesAt {
  /** Folder with the cubes that have not been moved. */
  readonly folder: string;
  readonly objects: ObjectCubesAt;
}

/** Opens the cubes inside a worker thread. */
export function openCubes(at: MovingCubesAt): SearchedCubes {
  return new MovingCubeStore(at, { cacheBytes: 0, threads: false }, false);
}

/**
 * Cubes while they are moved from a folder to objects. Each is at one of the two places at any time: in the folder until
 * it has a mark there that it was moved. New cubes are made in the objects. A call that finds its cube moved meanwhile is
 * made again at the other place.
 *
 * Other ways were refused. Writing to both places: a failure of one leaves two truths. Reading new, then old: a removed
 * scene would come back. A row in the database for each cube: a third place that can disagree with the files.
 */
export class MovingCubeStore implements CubeStore, SearchedCubes {
  readonly address: CubeAddress;
  readonly folder: FolderCubeStore;
  readonly objects: ObjectCubeStore;
  readonly #place: S3Place;
  /** Cubes whose mark is known to survive a power cut. */
  readonly #settled = new Set<string>();

  constructor(at: MovingCubesAt, options: FolderCubeOptions = {}, asks = true) {
    this.address = { module: import.meta.url, at };
    this.folder = new FolderCubeStore(at.folder, options);
    this.objects = new ObjectCubeStore(at.objects, options, asks);
    this.#place = at.objects.place;
  }

  /** What backups keep of the cubes in the objects. */
  get backups(): CubeBackups {
    return this.objects.backups;
  }

  create(cubeId: string, spec: CubeSpec): Promise<void> {
    return this.#where(cubeId, (cubes) => cubes.create(cubeId, spec));
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

  readScene(cubeId: string, key: string, from: number, to: number): Promise<Float32Array | undefined> {
    return this.#where(cubeId, (cubes) => cubes.readScene(cubeId, key, from, to));
  }

  /** Removes a cube from both places, so that none of it is left. */
  async remove(cubeId: string): Promise<void> {
    await this.folder.remove(cubeId);
    await this.objects.remove(cubeId);
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
  writeState(cubeId: string, expectedBytes: number, about: string): Promise<SavedStateWriter> {
    return this.#where(cubeId, (cubes) => cubes.writeState(cubeId, expectedBytes, about));
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

  /** See `CubeDeparture.move`. */
  async move(cubeId: string): Promise<number | undefined> {
    const objects = new S3Objects(this.#place);
    try {
      return await new CubeDeparture(objects, this.folder, cubeId).move();
    } finally {
      await objects.close();
    }
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
    return await work(this.objects);
  }

  async #isInFolder(cubeId: string): Promise<boolean> {
    const folder = this.folder.folderOf(cubeId);
    if (!existsSync(folder)) return false;
    if (!existsSync(join(folder, MOVED_NAME))) return true;
    // Nothing may be written to the objects while a power cut could take the mark back.
    if (!this.#settled.has(cubeId)) await syncFolder(folder);
    this.#settled.add(cubeId);
    return false;
  }
}
