import { Session } from 'node:inspector/promises';

/**
 * Collects all garbage of the calling thread, and stops it meanwhile: up to some tenths of a second after large work, so
 * not in the thread that answers calls. Memory that threads share is freed when the last of them has collected its part,
 * which an idle thread would do late. Does nothing where Node forbids its inspector (`--permission`).
 *
 * By the inspector and not by `gc()`, which needs a flag of the whole process set after its start; Node warns of that. No
 * port is opened.
 */
export async function collectGarbage(): Promise<void> {
  const session = new Session();
  try {
    session.connect();
    // Awaited, because a disconnect before the answer cancels the collection.
    await session.post('HeapProfiler.collectGarbage');
  } catch {
    // The memory is freed later.
  } finally {
    session.disconnect();
  }
}
