import { Session } from 'node:inspector/promises';

/**
 * Collects all garbage of the calling thread, which takes up to some tenths of a second of large work. Memory that threads
 * share is freed when the last of them has collected its part, which an idle thread would do late.
 */
export async function collectGarbage(): Promise<void> {
  const session = new Session();
  session.connect();
  try {
    await session.post('HeapProfiler.collectGarbage');
  } finally {
    session.disconnect();
  }
}
