import { existsSync } from 'node:fs';
import { mkdir, readdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { syncFolder } from '../base/durable-file.ts';
import { InvalidInput } from '../base/errors.ts';
import type { SearchedCubes } from '../app/changes/search/searched-cubes.ts';
import type {
  CubeAddress,
  CubeScene,
  CubeSpec,
  CubeStore,
  CubeStrip,
  Samples,
} from '../app/series/cube-store.ts';
import { checkCube, repairCube } from './cube-check.ts';
import type { SavedState, SavedStateWriter, SomeSearches } from '../app/changes/search/saved-state.ts';
import { CubeHandles } from './cube-handles.ts';
import { cubeSettings } from './cube-settings.ts';
import type { CubeSettings, FolderCubeOptions } from './cube-settings.ts';
import { createFiles } from './cube-writer.ts';
import { MANIFEST_NAME, manifestStamp, MOVED_NAME, refuseMoved } from './manifest.ts';
import { checkSpec, storedBytes } from './sample-layout.ts';
import { sceneDigest, sceneSums } from './scene-digest.ts';
import { encodeHeader, encodeRemoval, MAX_KEY_BYTES } from './scene-record.ts';
import { openStateFile, writeStateFile } from './state-file.ts';
import { checkPixels, readPixels, readRaw, readScene } from './strip-reader.ts';
import { ThreadCaller } from './thread-caller.ts';
import { isOverIn, removeLeftovers, removeUnits, unitFile, unitsIn } from './unit-files.ts';

/**
 * Maximum number of values that one read returns in this thread; such a read takes 2 ms. Larger reads run in a worker
 * thread.
 */
const THREAD_VALUES = 262_144;
/** Suffix of a cube's folder while it is being deleted. Folder names of cubes contain no dot. */
const REMOVED_SUFFIX = '.removed';

/**
 * Opens the cubes of a folder inside a worker thread. Has no cache, since such a thread rarely reads a strip twice, and
 * starts no further threads.
 */
export function openCubes(root: string): SearchedCubes {
  return new FolderCubeStore(root, { cacheBytes: 0, threads: false });
}

/**
 * Cubes in a folder. Each has closed segments (compressed strips of pixels by time) and one open log (scenes in
 * order of arrival).
 *
 * Several processes may use the same folder: writers take turns by a lock file, and readers see appended scenes at
 * their next call. A crash at any moment loses no acknowledged scene, and a partly written scene is never read.
 */
export class FolderCubeStore implements CubeStore, SearchedCubes {
  readonly address: CubeAddress;
  readonly #settings: CubeSettings;
  readonly #usesThreads: boolean;
  readonly #scans: ThreadCaller;
  readonly #cubes: CubeHandles;

  constructor(root: string, options: FolderCubeOptions = {}) {
    this.address = { module: import.meta.url, at: root };
    this.#usesThreads = options.threads ?? true;
    this.#settings = cubeSettings(root, options, this.#usesThreads ? (folder) => this.#close(folder) : null);
    this.#cubes = new CubeHandles(this.#settings);
    this.#scans = new ThreadCaller(root);
  }

  async create(cubeId: string, spec: CubeSpec): Promise<void> {
    checkSpec(spec);
    const cube = this.#cubes.get(cubeId);
    await mkdir(cube.folder, { recursive: true, mode: 0o700 });
    await cube.inTurn(() =>
      cube.locked(async () => {
        if (manifestStamp(cube.folder) === null) {
          refuseMoved(cube.folder);
          await createFiles(cube.folder, spec);
          await syncFolder(this.#settings.root);
          return;
        }
        const view = cube.open();
        try {
          const known = view.spec;
          if (
            known.width === spec.width &&
            known.height === spec.height &&
            known.sampleType === spec.sampleType
          )
            return;
          throw new InvalidInput(
            `the cube ${cubeId} holds ${known.width} x ${known.height} ${known.sampleType} samples; ` +
              `these are ${spec.width} x ${spec.height} ${spec.sampleType}`,
          );
        } finally {
          view.release();
        }
      }),
    );
  }

  async append(
    cubeId: string,
    scene: { readonly key: string; readonly timeMs: number },
    samples: Samples,
  ): Promise<{ readonly sha256: string; readonly added: boolean }> {
    const { key, timeMs } = scene;
    const keyBytes = Buffer.byteLength(key);
    if (keyBytes < 1 || keyBytes > MAX_KEY_BYTES || !key.isWellFormed()) {
      throw new RangeError(`a scene key has 1 to ${MAX_KEY_BYTES} bytes of UTF-8, got ${keyBytes}`);
    }
    if (!Number.isFinite(timeMs)) throw new RangeError(`a scene time is finite, got ${timeMs}`);
    const cube = this.#cubes.get(cubeId);
    const { spec } = cube.use((view) => view);
    const payload = storedBytes(spec, samples);
    return await cube.inTurn(async () => {
      const sha256 = await sceneDigest(payload);
      const isKnown = (): boolean => {
        const known = cube.use((view) => view.placement.byKey.get(key));
        return known?.sha256 === sha256 && known.timeMs === timeMs;
      };
      if (isKnown()) return { sha256, added: false };
      const header = encodeHeader(spec, { key, timeMs, sha256 });
      const sums = await sceneSums(payload);
      return await cube.add<{ sha256: string; added: boolean }>(() =>
        isKnown()
          ? { records: [], count: 0, answer: { sha256, added: false } }
          : { records: [header, sums, payload], count: 1, answer: { sha256, added: true } },
      );
    });
  }

  async removeScenes(cubeId: string, keys: readonly string[]): Promise<readonly string[]> {
    const cube = this.#cubes.get(cubeId);
    const { spec } = cube.use((view) => view);
    return await cube.inTurn(() =>
      cube.add(() => {
        const byKey = cube.use((view) => view.placement.byKey);
        const there = [...new Set(keys)].filter((key) => byKey.has(key));
        const records = there.map((key) => encodeRemoval(spec, key));
        return { records, count: records.length, answer: there };
      }),
    );
  }

  scenes(cubeId: string): Promise<readonly CubeScene[]> {
    // Inside `then`, a thrown error becomes a rejection.
    return Promise.resolve().then(() => this.#cubes.get(cubeId).use((view) => view.placement.scenes));
  }

  async readStrip(cubeId: string, from: number, to: number, into?: CubeStrip['values']): Promise<CubeStrip> {
    return await this.#cubes.get(cubeId).read((view) => {
      checkPixels(view.spec, from, to);
      const isLong = (to - from) * view.placement.scenes.length > THREAD_VALUES;
      return this.#usesThreads && isLong ? this.#scan(cubeId, from, to) : readPixels(view, from, to, into);
    });
  }

  async readSamples(
    cubeId: string,
    from: number,
    to: number,
    into: Int16Array,
  ): Promise<CubeStrip['scenes']> {
    return await this.#cubes.get(cubeId).read((view) => readRaw(view, from, to, into));
  }

  async readScene(cubeId: string, key: string, from: number, to: number): Promise<Float32Array | undefined> {
    return await this.#cubes.get(cubeId).read((view) => readScene(view, key, from, to));
  }

  async remove(cubeId: string): Promise<void> {
    const cube = this.#cubes.get(cubeId);
    if (!existsSync(cube.folder)) return;
    await cube.inTurn(() =>
      cube.locked(async () => {
        cube.forget();
        // The cube is renamed first, so that it is gone at once, however long the deletion takes.
        const doomed = `${cube.folder}${REMOVED_SUFFIX}`;
        await rm(doomed, { recursive: true, force: true });
        await rename(cube.folder, doomed);
        await syncFolder(this.#settings.root);
      }),
    );
    // Also deletes folders of interrupted removals.
    for (const name of await readdir(this.#settings.root)) {
      if (!name.endsWith(REMOVED_SUFFIX)) continue;
      await rm(join(this.#settings.root, name), { recursive: true, force: true });
    }
    this.#cubes.delete(cubeId);
  }

  async check(cubeId: string): Promise<readonly string[]> {
    const cube = this.#cubes.get(cubeId);
    if (manifestStamp(cube.folder) === null) return [`${cube.folder} holds no cube`];
    return await cube.inTurn(() => cube.locked(() => checkCube(cube.folder)));
  }

  async repair(cubeId: string, spec: CubeSpec): Promise<readonly string[]> {
    checkSpec(spec);
    const cube = this.#cubes.get(cubeId);
    await mkdir(cube.folder, { recursive: true, mode: 0o700 });
    return await cube.inTurn(() =>
      cube.alone(() => {
        refuseMoved(cube.folder);
        return repairCube(cube.folder, spec);
      }),
    );
  }

  /**
   * Gives a cube to another store, while nobody writes to it. Its files stay, but this folder has no such cube any more.
   * @param take has the whole cube elsewhere, durably, when it resolves
   * @returns false when there is no such cube
   */
  async leave(cubeId: string, take: () => Promise<void>): Promise<boolean> {
    const cube = this.#cubes.get(cubeId);
    return await cube.inTurn(() =>
      cube.alone(async () => {
        if (manifestStamp(cube.folder) === null) return false;
        await take();
        await rename(join(cube.folder, MANIFEST_NAME), join(cube.folder, MOVED_NAME));
        await syncFolder(cube.folder);
        return true;
      }),
    );
  }

  async openState(cubeId: string): Promise<SavedState | undefined> {
    return await openStateFile(this.#cubes.get(cubeId).folder);
  }

  async writeState(cubeId: string, expectedBytes: number, about: string): Promise<SavedStateWriter> {
    const cube = this.#cubes.get(cubeId);
    cube.use(({ spec }) => spec);
    return await writeStateFile(cube.folder, expectedBytes, about);
  }

  async openUnit(cubeId: string, search: string, unit: string): Promise<SavedState | undefined> {
    return await openStateFile(this.folderOf(cubeId), unitFile(search, unit));
  }

  async writeUnit(cubeId: string, search: string, unit: string): Promise<SavedStateWriter> {
    const folder = this.folderOf(cubeId);
    await removeLeftovers(folder, search, unit);
    return await writeStateFile(folder, 0, '', unitFile(search, unit));
  }

  async unitsOf(cubeId: string, search: string): Promise<readonly string[]> {
    return await unitsIn(this.folderOf(cubeId), search);
  }

  async dropUnits(cubeId: string, searches: SomeSearches): Promise<void> {
    await removeUnits(this.folderOf(cubeId), isOverIn(searches));
  }

  /** Waits until no sealed log of a cube is being closed by this process. */
  async settle(cubeId: string): Promise<void> {
    await this.#cubes.get(cubeId).settle();
  }

  /** Folder of a cube, whether it exists or not. */
  folderOf(cubeId: string): string {
    return this.#cubes.get(cubeId).folder;
  }

  /** Closes the files of cubes that were deleted, which frees their disk space. */
  forgetRemoved(): void {
    this.#cubes.forgetRemoved();
  }

  /** Closes the files of a cube that are open here. */
  forget(cubeId: string): void {
    this.#cubes.get(cubeId).forget();
  }

  /**
   * Waits until no sealed log is being closed, then closes all files. Reads that run in this thread can still finish;
   * reads that run in the worker thread are aborted.
   */
  async close(): Promise<void> {
    await this.#cubes.close(() => this.#scans.stop());
  }

  /** Turns the sealed logs of a cube into segments in a new thread. */
  async #close(folder: string): Promise<void> {
    const { root, lockTimeoutMs } = this.#settings;
    const thread = new ThreadCaller(root);
    try {
      await thread.run({ kind: 'close', folder, lockTimeoutMs });
    } finally {
      await thread.stop();
    }
  }

  async #scan(cubeId: string, from: number, to: number): Promise<CubeStrip> {
    const outcome = await this.#scans.run({ kind: 'read', cubeId, from, to });
    if (outcome.kind !== 'strip') throw new Error(`the cube thread answered a read with ${outcome.kind}`);
    return { scenes: outcome.scenes, values: outcome.values };
  }
}
