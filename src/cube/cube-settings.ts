import { ByteCache } from './byte-cache.ts';
import type { CubeCaches } from './cube-view.ts';
import { LOCK_TIMEOUT_MS } from './writer-lock.ts';

/** Options of a folder of cubes. The defaults suit a service. */
export interface FolderCubeOptions {
  /** Number of scenes in the open log at which it is sealed, to become a segment. */
  readonly closeAt?: number;
  /** Size of the cache of decoded strips, and of the cache of log frames [bytes]. */
  readonly cacheBytes?: number;
  /** Cubes whose files stay open. Each open cube has one file handle per segment and one per log. */
  readonly openCubes?: number;
  /** How long a writer waits for another process [ms]. */
  readonly lockTimeoutMs?: number;
  /** Whether large jobs run in threads. Must be false inside such a thread. */
  readonly threads?: boolean;
}

/** With 127 scenes in the open log, a series is still read in less than a millisecond. */
const CLOSE_AT = 128;
/** 32 MiB: the strips of about 80 places with ten years of observations. */
const CACHE_BYTES = 32 * 1024 * 1024;
const OPEN_CUBES = 64;

/** Settings that all cubes of one store share. */
export interface CubeSettings {
  /** Folder of all cubes. */
  readonly root: string;
  readonly caches: CubeCaches;
  /** Number of scenes in the open log at which it is sealed, to become a segment. */
  readonly closeAt: number;
  /** Cubes whose files stay open. */
  readonly maxOpen: number;
  /** How long a writer waits for another process [ms]. */
  readonly lockTimeoutMs: number;
  /**
   * Turns the sealed logs of a cube's folder into segments in a thread; null: they are always closed in this thread.
   */
  readonly closeInThread: ((folder: string) => Promise<void>) | null;
}

/** Completes options by their defaults. */
export function cubeSettings(
  root: string,
  options: FolderCubeOptions,
  closeInThread: CubeSettings['closeInThread'],
): CubeSettings {
  const bytes = options.cacheBytes ?? CACHE_BYTES;
  return {
    root,
    caches: { strips: new ByteCache(bytes), columns: new ByteCache(bytes) },
    closeAt: options.closeAt ?? CLOSE_AT,
    maxOpen: options.openCubes ?? OPEN_CUBES,
    lockTimeoutMs: options.lockTimeoutMs ?? LOCK_TIMEOUT_MS,
    closeInThread,
  };
}
