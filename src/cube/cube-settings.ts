import { ByteCache } from './byte-cache.ts';
import type { CubeCaches } from './cube-view.ts';
import { LOCK_TIMEOUT_MS } from './writer-lock.ts';

/** Options of a folder of cubes. The defaults are meant for the service. */
export interface FolderCubeOptions {
  /** The open log is sealed, and later turned into a segment, when it has this number of scenes. */
  readonly closeAt?: number;
  /** Maximum size of the cache of decoded strips [bytes]. The cache of log frames has the same limit. */
  readonly cacheBytes?: number;
  /** Maximum number of cubes whose files stay open. An open cube has one file handle per segment and one per log. */
  readonly openCubes?: number;
  /** Maximum time for which a writer waits for the lock of another process [ms]. */
  readonly lockTimeoutMs?: number;
  /** Whether large reads, and the closing of large logs, run in worker threads. Must be false in such a thread. */
  readonly threads?: boolean;
}

/** Default of `closeAt`: with 127 scenes in the open log, reading a series takes less than a millisecond. */
const CLOSE_AT = 128;
/** Default of `cacheBytes`: 32 MiB, enough for the strips of about 80 places with ten years of observations. */
const CACHE_BYTES = 32 * 1024 * 1024;
const OPEN_CUBES = 64;

/** Settings that all cubes of one store share. */
export interface CubeSettings {
  /** Folder of all cubes. */
  readonly root: string;
  readonly caches: CubeCaches;
  /** The open log is sealed, and later turned into a segment, when it has this number of scenes. */
  readonly closeAt: number;
  /** Maximum number of cubes whose files stay open. */
  readonly maxOpen: number;
  /** Maximum time for which a writer waits for the lock of another process [ms]. */
  readonly lockTimeoutMs: number;
  /**
   * Turns the sealed logs in a cube's folder into segments in a new thread; null if logs are always closed in this
   * thread.
   */
  readonly closeInThread: ((folder: string) => Promise<void>) | null;
}

/** Fills in the defaults of missing options. */
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
