// Worker thread of a FolderCubeStore. Closes logs and reads large parts of a cube without blocking the main thread.
import { parentPort, workerData } from 'node:worker_threads';
import type { CubeStrip } from '../app/series/cube-store.ts';
import { lowerThreadPriority } from '../base/thread-priority.ts';
import { CubeHandles } from './cube-handles.ts';
import type { CubeJob, CubeOutcome } from './cube-messages.ts';
import { cubeSettings } from './cube-settings.ts';
import { DamagedFile } from './damaged-file.ts';
import { closeSealedLogs } from './log-closing.ts';
import { checkPixels, readPixels } from './strip-reader.ts';
import { WriteFailed } from './write-failed.ts';

const port = parentPort!;
lowerThreadPriority();
const cubes = new CubeHandles(cubeSettings(workerData as string, { cacheBytes: 0 }, null));

async function read({ cubeId, from, to }: CubeJob & { readonly kind: 'read' }): Promise<CubeStrip> {
  const view = cubes.get(cubeId).open();
  try {
    checkPixels(view.spec, from, to);
    return await readPixels(view, from, to);
  } finally {
    view.release();
  }
}

async function outcomeOf(job: CubeJob): Promise<CubeOutcome> {
  try {
    if (job.kind === 'read') return { kind: 'strip', ...(await read(job)) };
    await closeSealedLogs(job.folder, job.lockTimeoutMs);
    return { kind: 'done' };
  } catch (error) {
    // The fields are sent separately, since postMessage would turn instances of these classes into plain errors.
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
