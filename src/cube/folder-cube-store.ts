import { hash } from 'node:crypto';
import { mkdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { InvalidInput, NotFound } from '../app/errors.ts';
import type { CubeScene, CubeSpec, CubeStore, CubeStrip, Samples } from '../app/ports.ts';
import { ByteCache } from './byte-cache.ts';
import { CubeView } from './cube-view.ts';
import type { CubeCaches } from './cube-view.ts';
import { appendRecord, closeLog, createFiles, sweepLeftovers } from './cube-writer.ts';
import { syncFolder } from './durable-file.ts';
import { manifestStamp, readManifest } from './manifest.ts';
import { checkSpec, storedBytes } from './sample-layout.ts';
import { encodeRecord, MAX_KEY_BYTES } from './scene-record.ts';
import { yieldToOthers } from './segment-writer.ts';
import { WriterLock } from './writer-lock.ts';

/** How a folder of cubes is kept; the defaults suit a service. */
export interface FolderCubeOptions {
  /** Scenes of the open log at which it is closed into a segment. */
  readonly closeAt?: number;
  /** Memory for decoded strips, and as much again for the open log's frames [bytes]. */
  readonly cacheBytes?: number;
  /** Cubes kept open at once; each holds one file handle a segment and one more. */
  readonly openCubes?: number;
  /** How long a writer waits for another process [ms]. */
  readonly lockTimeoutMs?: number;
}

/** One in 128 scenes pays for a transposition; 127 open scenes still read in less than a millisecond. */
const CLOSE_AT = 128;
/** 32 MiB: the strips of some 300 places with ten years of observations. */
const CACHE_BYTES = 32 * 1024 * 1024;
const OPEN_CUBES = 64;
/** Longer than it takes to close a 10980 x 10980 block on a slow disk [ms]. */
const LOCK_TIMEOUT_MS = 300_000;
/** Pixels read between two looks at the clock in a long read. */
const BATCH_PIXELS = 4096;
/** How long a long read may hold the event loop before it lets others run [ms]. */
const SLICE_MS = 10;
/** How often a manifest that changes under the reader is read again before it counts as an error. */
const LOAD_TRIES = 5;
/** Longest folder name of a cube [bytes], as file systems allow it. */
const MAX_NAME_BYTES = 200;

/** One cube as this process knows it. */
interface Cube {
  readonly folder: string;
  view: CubeView | null;
  /** The last writer of this process; the next waits for it. */
  writers: Promise<unknown>;
  swept: boolean;
}

/** Folder name of a cube: letters, digits, `-`, `_` as they are, all else percent-encoded. */
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

function isMissing(error: unknown): boolean {
  return (error as NodeJS.ErrnoException).code === 'ENOENT';
}

/**
 * Cubes in a folder: each has closed segments (strips by time, compressed) and one open log (scenes as they came).
 *
 * Safe beside other processes on the same folder: writers take turns by a lock file, readers see what was appended
 * at their next call. Nothing acknowledged is lost by a crash at any moment; nothing half-written is ever read.
 */
export class FolderCubeStore implements CubeStore {
  readonly #root: string;
  readonly #closeAt: number;
  readonly #openCubes: number;
  readonly #lockTimeoutMs: number;
  readonly #caches: CubeCaches;
  readonly #cubes = new Map<string, Cube>();

  constructor(root: string, options: FolderCubeOptions = {}) {
    this.#root = root;
    this.#closeAt = options.closeAt ?? CLOSE_AT;
    this.#openCubes = options.openCubes ?? OPEN_CUBES;
    this.#lockTimeoutMs = options.lockTimeoutMs ?? LOCK_TIMEOUT_MS;
    const bytes = options.cacheBytes ?? CACHE_BYTES;
    this.#caches = { strips: new ByteCache(bytes), columns: new ByteCache(bytes) };
  }

  async create(cubeId: string, spec: CubeSpec): Promise<void> {
    checkSpec(spec);
    const cube = this.#cube(cubeId);
    await mkdir(cube.folder, { recursive: true });
    await this.#write(cube, async () => {
      if (manifestStamp(cube.folder) === null) {
        await createFiles(cube.folder, spec);
        await syncFolder(this.#root);
        return;
      }
      const view = this.#view(cube, cubeId);
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
    });
  }

  async append(
    cubeId: string,
    scene: { readonly key: string; readonly timeMs: number },
    samples: Samples,
  ): Promise<{ readonly sha256: string; readonly added: boolean }> {
    const keyBytes = Buffer.byteLength(scene.key);
    if (keyBytes < 1 || keyBytes > MAX_KEY_BYTES || !scene.key.isWellFormed()) {
      throw new RangeError(`a scene key has 1 to ${MAX_KEY_BYTES} bytes of UTF-8, got ${keyBytes}`);
    }
    if (!Number.isFinite(scene.timeMs)) throw new RangeError(`a scene time is finite, got ${scene.timeMs}`);
    const cube = this.#cube(cubeId);
    const { spec } = this.#use(cube, cubeId, (view) => view);
    const payload = storedBytes(spec, samples);
    const sha256 = hash('sha256', payload, 'hex');
    return await this.#write(cube, async (lock) => {
      const known = this.#use(cube, cubeId, (view) => view.placement.byKey.get(scene.key));
      if (known?.sha256 === sha256 && known.timeMs === scene.timeMs) return { sha256, added: false };
      await this.#sweep(cube, cubeId);
      const full = this.#use(cube, cubeId, (view) => view.log.records.length >= this.#closeAt);
      if (full) await this.#close(cube, cubeId, lock);
      const record = encodeRecord(spec, { key: scene.key, timeMs: scene.timeMs, sha256 }, payload);
      const [path, end] = this.#use(cube, cubeId, ({ log }) => [log.file.path, log.end] as const);
      await appendRecord(path, end, record);
      this.#use(cube, cubeId, () => undefined);
      return { sha256, added: true };
    });
  }

  scenes(cubeId: string): Promise<readonly CubeScene[]> {
    // An async function's promise, so that every failure is a rejection.
    return Promise.resolve().then(() =>
      this.#use(this.#cube(cubeId), cubeId, (view) => view.placement.scenes),
    );
  }

  async readStrip(cubeId: string, from: number, to: number): Promise<CubeStrip> {
    const view = this.#view(this.#cube(cubeId), cubeId);
    try {
      const { spec, placement } = view;
      const pixels = spec.width * spec.height;
      if (
        !(Number.isSafeInteger(from) && Number.isSafeInteger(to) && 0 <= from && from <= to && to <= pixels)
      ) {
        throw new RangeError(`pixels [${from}, ${to}) are not within the cube's [0, ${pixels})`);
      }
      const { scenes } = placement;
      const length = (to - from) * scenes.length;
      const values = spec.sampleType === 'float64' ? new Float64Array(length) : new Float32Array(length);
      let sliceEnd = performance.now() + SLICE_MS;
      for (let start = from; start < to; start += BATCH_PIXELS) {
        view.read(placement, start, Math.min(to, start + BATCH_PIXELS), values, start - from);
        if (performance.now() > sliceEnd) {
          await yieldToOthers();
          sliceEnd = performance.now() + SLICE_MS;
        }
      }
      return { scenes, values };
    } finally {
      view.release();
    }
  }

  async remove(cubeId: string): Promise<void> {
    const cube = this.#cube(cubeId);
    if (manifestStamp(cube.folder) === null) return;
    await this.#write(cube, async () => {
      this.#forget(cube);
      // Without its manifest the cube is gone at once, however long the rest takes.
      const doomed = `${cube.folder}.removed`;
      await rm(doomed, { recursive: true, force: true });
      await rename(cube.folder, doomed);
      await syncFolder(this.#root);
      await rm(doomed, { recursive: true, force: true });
    });
    this.#cubes.delete(cubeId);
  }

  /** Lets go of every file. Reads that are under way finish. */
  close(): void {
    for (const cube of this.#cubes.values()) this.#forget(cube);
    this.#cubes.clear();
  }

  #cube(cubeId: string): Cube {
    let cube = this.#cubes.get(cubeId);
    if (cube === undefined) {
      cube = {
        folder: join(this.#root, folderName(cubeId)),
        view: null,
        writers: Promise.resolve(),
        swept: false,
      };
    } else {
      this.#cubes.delete(cubeId);
    }
    this.#cubes.set(cubeId, cube);
    return cube;
  }

  #forget(cube: Cube): void {
    cube.view?.release();
    cube.view = null;
  }

  /** Runs one writer at a time: first within this process, then against others. */
  #write<T>(cube: Cube, work: (lock: WriterLock) => Promise<T>): Promise<T> {
    const turn = async (): Promise<T> => {
      const lock = await this.#lock(cube);
      try {
        return await work(lock);
      } finally {
        lock.release();
      }
    };
    const result = cube.writers.then(turn);
    cube.writers = result.catch(() => undefined);
    return result;
  }

  async #lock(cube: Cube): Promise<WriterLock> {
    try {
      return await WriterLock.take(cube.folder, this.#lockTimeoutMs);
    } catch (error) {
      if (isMissing(error)) throw new NotFound(`there is no cube folder ${cube.folder}`);
      throw error;
    }
  }

  /** Looks at the cube as it is now on disk. */
  #use<T>(cube: Cube, cubeId: string, look: (view: CubeView) => T): T {
    const view = this.#view(cube, cubeId);
    try {
      return look(view);
    } finally {
      view.release();
    }
  }

  /** The cube as it is now on disk; the caller releases it. @throws NotFound when there is none */
  #view(cube: Cube, cubeId: string): CubeView {
    for (let tries = 1; ; tries++) {
      const stamp = manifestStamp(cube.folder);
      if (stamp === null) {
        this.#forget(cube);
        throw new NotFound(`there is no cube ${cubeId}`);
      }
      if (cube.view?.stamp === stamp) {
        cube.view.refresh();
        return cube.view.hold();
      }
      try {
        const view = new CubeView(cube.folder, readManifest(cube.folder), stamp, this.#caches, cube.view);
        this.#forget(cube);
        cube.view = view;
        this.#closeIdle();
        return view.hold();
      } catch (error) {
        // The manifest was replaced, and its log deleted, between the two reads.
        if (!isMissing(error) || tries === LOAD_TRIES) throw error;
      }
    }
  }

  /** Keeps the number of open files bounded: the longest unused cubes are closed. */
  #closeIdle(): void {
    let excess = -this.#openCubes;
    for (const cube of this.#cubes.values()) if (cube.view !== null) excess++;
    for (const cube of this.#cubes.values()) {
      if (excess <= 0) return;
      if (cube.view === null) continue;
      this.#forget(cube);
      excess--;
    }
  }

  /** Deletes, once a process, what a writer that crashed has left unnamed. */
  async #sweep(cube: Cube, cubeId: string): Promise<void> {
    if (cube.swept) return;
    await sweepLeftovers(
      cube.folder,
      this.#use(cube, cubeId, (view) => view.manifest),
    );
    cube.swept = true;
  }

  async #close(cube: Cube, cubeId: string, lock: WriterLock): Promise<void> {
    const view = this.#view(cube, cubeId);
    try {
      await closeLog(cube.folder, view, () => lock.touch());
    } finally {
      view.release();
    }
  }
}
