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
import { ByteCache } from './byte-cache.ts';
import { checkCube, repairCube } from './cube-check.ts';
import type { SavedState, StateWriter } from '../app/changes/search/saved-state.ts';
import { CubeHandle } from './cube-handle.ts';
import type { CubeSettings } from './cube-handle.ts';
import { createFiles } from './cube-writer.ts';
import { manifestStamp } from './manifest.ts';
import { checkSpec, storedBytes } from './sample-layout.ts';
import { sceneDigest, sceneSums } from './scene-digest.ts';
import { encodeHeader, encodeRemoval, MAX_KEY_BYTES } from './scene-record.ts';
import { yieldToOthers } from './segment-writer.ts';
import { openStateFile, writeStateFile } from './state-file.ts';
import { ThreadCaller } from './thread-caller.ts';
import { CLOSER_LOCK, WriterLock } from './writer-lock.ts';

/** How a folder of cubes is kept; the defaults suit a service. */
export interface FolderCubeOptions {
  /** Scenes of the open log at which it is set aside to become a segment. */
  readonly closeAt?: number;
  /** Memory for decoded strips, and as much again for the logs' frames [bytes]. */
  readonly cacheBytes?: number;
  /** Cubes kept open at once; each holds one file handle a segment and one a log. */
  readonly openCubes?: number;
  /** How long a writer waits for another process [ms]. */
  readonly lockTimeoutMs?: number;
  /** Whether large work goes to threads; false inside one. */
  readonly threads?: boolean;
}

/** 127 open scenes still read in less than a millisecond. */
const CLOSE_AT = 128;
/** 32 MiB: the strips of some 80 places with ten years of observations. */
const CACHE_BYTES = 32 * 1024 * 1024;
const OPEN_CUBES = 64;
/** Longer than it takes to repair a 10980 x 10980 cube on a slow disk [ms]. */
const LOCK_TIMEOUT_MS = 300_000;
/** A read of more values than this goes to a thread: 2 ms of work. */
const THREAD_VALUES = 262_144;
/** Pixels read between two looks at the clock in a long read. */
const BATCH_PIXELS = 4096;
/** How long a long read may hold the event loop before it lets others run [ms]. */
const SLICE_MS = 10;
/** Ends the name of a cube's folder while it is being deleted; no cube's own name has a dot. */
const REMOVED_SUFFIX = '.removed';
/** Longest folder name of a cube [bytes], as file systems allow it. */
const MAX_NAME_BYTES = 200;

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

/** Opens the cubes of a folder in a thread that reads strips of its own accord, each of them seldom. */
export function openCubes(root: string): SearchedCubes {
  return new FolderCubeStore(root, { cacheBytes: 0, threads: false });
}

/**
 * Cubes in a folder: each has closed segments (strips by time, compressed) and one open log (scenes as they came).
 *
 * Safe beside other processes on the same folder: writers take turns by a lock file, readers see what was appended
 * at their next call. Nothing acknowledged is lost by a crash at any moment; nothing half-written is ever read.
 */
export class FolderCubeStore implements CubeStore, SearchedCubes {
  readonly address: CubeAddress;
  readonly #settings: CubeSettings;
  readonly #openCubes: number;
  readonly #scans: ThreadCaller;
  readonly #cubes = new Map<string, CubeHandle>();

  constructor(root: string, options: FolderCubeOptions = {}) {
    const bytes = options.cacheBytes ?? CACHE_BYTES;
    this.address = { module: import.meta.url, at: root };
    this.#settings = {
      root,
      caches: { strips: new ByteCache(bytes), columns: new ByteCache(bytes) },
      closeAt: options.closeAt ?? CLOSE_AT,
      lockTimeoutMs: options.lockTimeoutMs ?? LOCK_TIMEOUT_MS,
      threads: options.threads ?? true,
    };
    this.#openCubes = options.openCubes ?? OPEN_CUBES;
    this.#scans = new ThreadCaller(root);
  }

  async create(cubeId: string, spec: CubeSpec): Promise<void> {
    checkSpec(spec);
    const cube = this.#cube(cubeId);
    await mkdir(cube.folder, { recursive: true });
    await cube.inTurn(() =>
      cube.locked(async () => {
        if (manifestStamp(cube.folder) === null) {
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
    const cube = this.#cube(cubeId);
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
    const cube = this.#cube(cubeId);
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
    // An async function's promise, so that every failure is a rejection.
    return Promise.resolve().then(() => this.#cube(cubeId).use((view) => view.placement.scenes));
  }

  async readStrip(cubeId: string, from: number, to: number): Promise<CubeStrip> {
    const view = this.#cube(cubeId).open();
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
      if (this.#settings.threads && length > THREAD_VALUES) return await this.#scan(cubeId, from, to);
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
    if (!existsSync(cube.folder)) return;
    await cube.inTurn(() =>
      cube.locked(async () => {
        cube.forget();
        // Under its other name the cube is gone at once, however long the rest takes.
        const doomed = `${cube.folder}${REMOVED_SUFFIX}`;
        await rm(doomed, { recursive: true, force: true });
        await rename(cube.folder, doomed);
        await syncFolder(this.#settings.root);
      }),
    );
    // With what a removal that was cut short has left.
    for (const name of await readdir(this.#settings.root)) {
      if (!name.endsWith(REMOVED_SUFFIX)) continue;
      await rm(join(this.#settings.root, name), { recursive: true, force: true });
    }
    this.#cubes.delete(cubeId);
  }

  async check(cubeId: string): Promise<readonly string[]> {
    const cube = this.#cube(cubeId);
    if (manifestStamp(cube.folder) === null) return [`${cube.folder} holds no cube`];
    return await cube.inTurn(() => cube.locked(() => checkCube(cube.folder)));
  }

  async repair(cubeId: string, spec: CubeSpec): Promise<readonly string[]> {
    checkSpec(spec);
    const cube = this.#cube(cubeId);
    await mkdir(cube.folder, { recursive: true });
    return await cube.inTurn(async () => {
      // In this order, as who closes a log takes them.
      const closer = await WriterLock.take(cube.folder, CLOSER_LOCK, this.#settings.lockTimeoutMs);
      try {
        return await cube.locked(() => {
          cube.forget();
          return repairCube(cube.folder, spec);
        });
      } finally {
        closer.release();
      }
    });
  }

  async openState(cubeId: string): Promise<SavedState | undefined> {
    return await openStateFile(this.#cube(cubeId).folder);
  }

  async writeState(cubeId: string, expectedBytes: number): Promise<StateWriter> {
    const cube = this.#cube(cubeId);
    cube.use(({ spec }) => spec);
    return await writeStateFile(cube.folder, expectedBytes);
  }

  /** Lets go of every file once full logs are closed. Reads that are under way finish. */
  async close(): Promise<void> {
    const cubes = [...this.#cubes.values()];
    for (const cube of cubes) await cube.settle();
    await this.#scans.stop();
    for (const cube of cubes) cube.forget();
    this.#cubes.clear();
  }

  async #scan(cubeId: string, from: number, to: number): Promise<CubeStrip> {
    const outcome = await this.#scans.run({ kind: 'read', cubeId, from, to });
    if (outcome.kind !== 'strip')
      throw new Error(`the thread of the cubes answered a read with ${outcome.kind}`);
    return { scenes: outcome.scenes, values: outcome.values };
  }

  /** The cube, now the most recently used; the longest unused are closed, so that the open files are bounded. */
  #cube(cubeId: string): CubeHandle {
    let cube = this.#cubes.get(cubeId);
    if (cube === undefined) {
      cube = new CubeHandle(cubeId, join(this.#settings.root, folderName(cubeId)), this.#settings);
      // Open files of a cube that another process has removed would keep its room on the disk.
      for (const other of this.#cubes.values()) {
        if (other.isOpen && manifestStamp(other.folder) === null) other.forget();
      }
    }
    this.#cubes.delete(cubeId);
    this.#cubes.set(cubeId, cube);
    let excess = -this.#openCubes;
    for (const { isOpen } of this.#cubes.values()) excess += Number(isOpen);
    for (const other of this.#cubes.values()) {
      if (excess <= 0) break;
      if (!other.isOpen || other === cube) continue;
      other.forget();
      excess--;
    }
    return cube;
  }
}
