import { Session } from 'node:inspector/promises';

/**
 * Collects all garbage of the calling thread, which takes up to some tenths of a second of large work. Memory that threads
 * share is freed when the last of them has collected its part, which an idle thread would do late. Where the inspector is
 * not allowed, this does nothing: what was computed must not be lost for the sake of memory.
 */
export async function collectGarbage(): Promise<void> {
  const session = new Session();
  try {
    session.connect();
    await session.post('HeapProfiler.collectGarbage');
  } catch {
    // V8 collects by itself later.
  } finally {
    session.disconnect();
  }
}
