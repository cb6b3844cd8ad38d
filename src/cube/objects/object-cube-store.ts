import { basename, join } from 'node:path';
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
import { isDiskFull } from '../../base/disk-full.ts';
import { NotFound, UpstreamUnavailable } from '../../base/errors.ts';
import { type ObjectStore, ObjectStoreFailed } from '../../net/object-store.ts';
import { S3Objects, type S3Place } from '../../net/s3-objects.ts';
import type { FolderCubeOptions } from '../cube-settings.ts';
import { FolderCubeStore } from '../folder-cube-store.ts';
import { ROOM_SHARE } from '../state-file.ts';
import { isOfSystem, WriteFailed } from '../write-failed.ts';
import { LOCK_TIMEOUT_MS } from '../writer-lock.ts';
import { BUSY_MS, CacheWatch } from './cache-watch.ts';
import { type CopiesAt, makeRoom, spaceMissing, trimCopies } from './cached-copies.ts';
import { CubeBackups } from './cube-backups.ts';
import type { StoredHead } from './cube-head.ts';
import { CubeMirror, prefixOf } from './cube-mirror.ts';
import { ObservedObjects } from './observed-objects.ts';
import { PieceMissing } from './pulled-files.ts';
import { isOverIn, unitFile } from '../unit-files.ts';
import { UnitObjects } from './unit-objects.ts';

/** Where cubes are kept, as plain data that a thread can be given, and where this machine has copies. */
export interface ObjectCubesAt extends CopiesAt {
  readonly place: S3Place;
}

/** Pause between two collections of the objects of one cube by one process [ms]. */
const COLLECT_MS = 3_600_000;

/**
 * Opens the cubes inside a worker thread. Reads what the folder has, without asking the objects for something newer:
 * the thread that gave the work has asked.
 */
export function openCubes(at: ObjectCubesAt): SearchedCubes {
  return new ObjectCubeStore(at, { cacheBytes: 0, threads: false }, false);
}

/**
 * Cubes and saved states in objects. A folder of this machine has copies of the cubes that it uses; it can be lost at
 * any time. A scene or state is in the objects when its promise resolves, and a read sees what any node has written.
 */
export class ObjectCubeStore implements CubeStore, SearchedCubes {
  readonly address: CubeAddress;
  readonly #folder: FolderCubeStore;
  readonly #objects: ObjectStore;
  readonly #lockTimeoutMs: number;
  readonly #asks: boolean;
  readonly #at: ObjectCubesAt;
  readonly #turns = new Map<string, Promise<unknown>>();
  /** When the objects of a cube were collected last, by its id. */
  readonly #collected = new Map<string, number>();
  /** Absent in a search thread, which leaves it to the thread that gave the work. */
  readonly #watch: CacheWatch | undefined;

  constructor(at: ObjectCubesAt, options: FolderCubeOptions = {}, asks = true) {
    this.address = { module: import.meta.url, at };
    this.#at = at;
    this.#folder = new FolderCubeStore(at.cache, options);
    this.#objects = new ObservedObjects(new S3Objects(at.place));
    this.#lockTimeoutMs = options.lockTimeoutMs ?? LOCK_TIMEOUT_MS;
    this.#asks = asks;
    if (asks) this.#watch = new CacheWatch(at.cache, (idleMs) => this.trim(idleMs));
  }

  /** What backups keep of the cubes here. */
  get backups(): CubeBackups {
    return new CubeBackups(this.#objects);
  }

  create(cubeId: string, spec: CubeSpec): Promise<void> {
    return this.#change(cubeId, false, () => this.#folder.create(cubeId, spec));
  }

  append(
    cubeId: string,
    scene: { readonly key: string; readonly timeMs: number },
    samples: Samples,
  ): Promise<{ readonly sha256: string; readonly added: boolean }> {
    let added = false;
    return this.#change(cubeId, true, async () => {
      const done = await this.#folder.append(cubeId, scene, samples);
      added ||= done.added;
      return { ...done, added };
    });
  }

  removeScenes(cubeId: string, keys: readonly string[]): Promise<readonly string[]> {
    return this.#change(cubeId, true, () => this.#folder.removeScenes(cubeId, keys));
  }

  scenes(cubeId: string): Promise<readonly CubeScene[]> {
    return this.#read(cubeId, () => this.#folder.scenes(cubeId));
  }

  readStrip(cubeId: string, from: number, to: number, into?: CubeStrip['values']): Promise<CubeStrip> {
    return this.#read(cubeId, () => this.#folder.readStrip(cubeId, from, to, into));
  }

  readSamples(cubeId: string, from: number, to: number, into: Int16Array): Promise<readonly CubeScene[]> {
    return this.#read(cubeId, () => this.#folder.readSamples(cubeId, from, to, into));
  }

  readScene(cubeId: string, key: string, from: number, to: number): Promise<Float32Array | undefined> {
    return this.#read(cubeId, () => this.#folder.readScene(cubeId, key, from, to));
  }

  remove(cubeId: string): Promise<void> {
    return this.#inTurn(cubeId, async () => {
      this.#folder.forget(cubeId);
      await this.#mirror(cubeId).remove();
      await this.#units(cubeId).drop(() => true);
      await this.#folder.remove(cubeId);
    });
  }

  async check(cubeId: string): Promise<readonly string[]> {
    const objects = await told(() => this.#mirror(cubeId).check());
    return objects.length > 0 ? objects : await this.#read(cubeId, () => this.#folder.check(cubeId));
  }

  repair(cubeId: string, spec: CubeSpec): Promise<readonly string[]> {
    return this.#change(cubeId, false, () => this.#folder.repair(cubeId, spec));
  }

  openState(cubeId: string): Promise<SavedState | undefined> {
    const open = async (): Promise<SavedState | undefined> => {
      await told(() => this.#withRoom(() => this.#mirror(cubeId).pullState()));
      return await this.#folder.openState(cubeId);
    };
    return this.#read(cubeId, open, true);
  }

  async writeState(cubeId: string, expectedBytes: number, about: string): Promise<SavedStateWriter> {
    const freeBytes = expectedBytes / ROOM_SHARE;
    if ((await spaceMissing(this.#at.cache, freeBytes)) > 0)
      await trimCopies(this.#at, { idleMs: BUSY_MS, freeBytes });
    const writer = await this.#writing(cubeId, () => this.#folder.writeState(cubeId, expectedBytes, about));
    let isCommitted = false;
    return {
      ...writer,
      commit: (heading) =>
        this.#change(cubeId, true, async () => {
          // After a lost race the folder has the other node's state. It is as good: a state tells what it is of.
          if (!isCommitted) await writer.commit(heading);
          isCommitted = true;
        }),
    };
  }

  async openUnit(cubeId: string, search: string, unit: string): Promise<SavedState | undefined> {
    const path = join(this.#folder.folderOf(cubeId), unitFile(search, unit));
    const pull = (): Promise<boolean> => this.#units(cubeId).pull(search, unit, path);
    if (!(await told(() => this.#withRoom(pull)))) return undefined;
    return await this.#folder.openUnit(cubeId, search, unit);
  }

  async writeUnit(cubeId: string, search: string, unit: string): Promise<SavedStateWriter> {
    const writer = await this.#writing(cubeId, () => this.#folder.writeUnit(cubeId, search, unit));
    return {
      ...writer,
      commit: async (heading) => {
        await this.#withRoom(() => writer.commit(heading));
        const path = join(this.#folder.folderOf(cubeId), unitFile(search, unit));
        await told(() => this.#units(cubeId).push(search, unit, path));
      },
    };
  }

  unitsOf(cubeId: string, search: string): Promise<readonly string[]> {
    return told(() => this.#units(cubeId).names(search));
  }

  async dropUnits(cubeId: string, searches: SomeSearches): Promise<void> {
    await this.#folder.dropUnits(cubeId, searches);
    await told(() => this.#units(cubeId).drop(isOverIn(searches)));
  }

  async close(): Promise<void> {
    await Promise.allSettled(this.#turns.values());
    await this.#folder.close();
    await this.#objects.close();
  }

  /** Deletes objects of a cube that nothing names and that are older than the grace. @returns their number */
  collect(cubeId: string, graceMs?: number): Promise<number> {
    return told(() => this.#mirror(cubeId).collect(graceMs));
  }

  #mirror(cubeId: string): CubeMirror {
    const folder = this.#folder.folderOf(cubeId);
    return new CubeMirror(this.#objects, prefixOf(basename(folder)), folder, this.#lockTimeoutMs);
  }

  #units(cubeId: string): UnitObjects {
    return new UnitObjects(this.#objects, `cubes/${basename(this.#folder.folderOf(cubeId))}/`);
  }

  /** Begins to write a state, whose parts get room. */
  async #writing(cubeId: string, begin: () => Promise<SavedStateWriter>): Promise<SavedStateWriter> {
    const writer = await this.#read(cubeId, () => this.#withRoom(begin));
    return {
      ...writer,
      add: (part, bytes, note) => this.#withRoom(() => writer.add(part, bytes, note)),
    };
  }

  async #read<T>(cubeId: string, read: () => Promise<T>, isOptional = false): Promise<T> {
    const pull = (): Promise<boolean> =>
      told(() => this.#withRoom(() => this.#mirror(cubeId).pull(this.#asks)));
    const isThere = await pull();
    if (!isThere && !isOptional) throw new NotFound(`there is no cube ${cubeId}`);
    try {
      return await read();
    } catch (error) {
      // Another process may have deleted the copy between the two steps.
      if (!isThere || !(error instanceof NotFound || (error as NodeJS.ErrnoException).code === 'ENOENT'))
        throw error;
      await pull();
      return await read();
    } finally {
      await this.#watch?.used();
    }
  }

  #change<T>(cubeId: string, mustExist: boolean, work: () => Promise<T>): Promise<T> {
    return this.#inTurn(cubeId, async () => {
      const mirror = this.#mirror(cubeId);
      const change = async (head: StoredHead | undefined): Promise<T> => {
        if (mustExist && (head?.manifest ?? null) === null) throw new NotFound(`there is no cube ${cubeId}`);
        const result = await work();
        await this.#folder.settle(cubeId);
        return result;
      };
      const done = await this.#withRoom(() => mirror.change(change));
      const now = performance.now();
      const before = this.#collected.get(cubeId) ?? now;
      this.#collected.set(cubeId, now - before > COLLECT_MS ? now : before);
      // What could not be deleted is deleted by a later collection.
      if (now - before > COLLECT_MS) await mirror.collect().catch(() => undefined);
      await this.#watch?.used();
      return done;
    });
  }

  /** Does work again after making room, if the disk is full. */
  async #withRoom<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      if (!isDiskFull(error)) throw error;
      await makeRoom(this.#at, isOfSystem(error));
      this.#folder.forgetRemoved();
      return await work().catch((again: unknown) => {
        // What fills the disk is not ours. The error tells which disk it is.
        throw isDiskFull(again) && isOfSystem(again) && !(again instanceof WriteFailed)
          ? new WriteFailed(this.#at.cache, again)
          : again;
      });
    }
  }

  /** Deletes copies of cubes that were not used for `idleMs`, the oldest first; see `trimCopies`. */
  async trim(idleMs: number): Promise<void> {
    await trimCopies(this.#at, { idleMs });
    this.#folder.forgetRemoved();
  }

  /** Runs work on a cube when the earlier work on it in this process is done. */
  #inTurn<T>(cubeId: string, work: () => Promise<T>): Promise<T> {
    const result = (this.#turns.get(cubeId) ?? Promise.resolve()).then(() => told(work));
    const settled = result
      .catch(() => undefined)
      .finally(() => {
        if (this.#turns.get(cubeId) === settled) this.#turns.delete(cubeId);
      });
    this.#turns.set(cubeId, settled);
    return result;
  }
}

/** Runs work, and tells failures of the objects as those of a system that this service depends on. */
async function told<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof ObjectStoreFailed || error instanceof PieceMissing)
      throw new UpstreamUnavailable(error.message, { cause: error });
    throw error;
  }
}
