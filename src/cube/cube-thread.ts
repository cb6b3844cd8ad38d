// Thread of a FolderCubeStore: closes logs and reads large parts of a cube, away from the loop that answers requests.
import { parentPort, workerData } from 'node:worker_threads';
import { giveWay } from '../base/give-way.ts';
import type { CubeScene } from '../app/series/cube-store.ts';
import { DamagedFile } from './damaged-file.ts';
import { FolderCubeStore } from './folder-cube-store.ts';
import { closeSealedLogs } from './log-closing.ts';
import { WriteFailed } from './write-failed.ts';

/** What the thread is asked to do. */
export type CubeJob =
  | { readonly kind: 'read'; readonly cubeId: string; readonly from: number; readonly to: number }
  | { readonly kind: 'close'; readonly folder: string; readonly lockTimeoutMs: number };

/** What came of it. */
export type CubeOutcome =
  | { readonly kind: 'done' }
  | {
      readonly kind: 'strip';
      readonly scenes: readonly CubeScene[];
      readonly values: Float32Array | Float64Array;
    }
  | { readonly kind: 'damaged'; readonly path: string; readonly what: string }
  | {
      readonly kind: 'unwritten';
      readonly path: string;
      readonly reason: string;
      readonly code: string | undefined;
    }
  | { readonly kind: 'failed'; readonly error: unknown };

const port = parentPort!;
giveWay();
const store = new FolderCubeStore(workerData as string, { cacheBytes: 0, threads: false });

async function outcomeOf(job: CubeJob): Promise<CubeOutcome> {
  try {
    if (job.kind === 'read')
      return { kind: 'strip', ...(await store.readStrip(job.cubeId, job.from, job.to)) };
    await closeSealedLogs(job.folder, job.lockTimeoutMs);
    return { kind: 'done' };
  } catch (error) {
    // An error of our own class would arrive as a plain one.
    if (error instanceof DamagedFile) return { kind: 'damaged', path: error.path, what: error.what };
    if (error instanceof WriteFailed)
      return { kind: 'unwritten', path: error.path, reason: error.reason, code: error.code };
    return { kind: 'failed', error };
  }
}

async function answer(id: number, job: CubeJob): Promise<void> {
  const outcome = await outcomeOf(job);
  port.postMessage({ id, outcome }, outcome.kind === 'strip' ? [outcome.values.buffer as ArrayBuffer] : []);
}

port.on('message', ({ id, job }: { readonly id: number; readonly job: CubeJob }) => {
  void answer(id, job);
});
