import type { ResourceLimits } from 'node:worker_threads';
import type { SharedStrips } from './strip-cache.ts';

/**
 * Limits of the heap of a search thread. It has some 9 MB of objects, and almost all of its garbage dies at once. By
 * default V8 lets the young generation grow up to 134 MB where the machine has much memory.
 */
export const SEARCH_HEAP: ResourceLimits = { maxYoungGenerationSizeMb: 3 };

/** Size of the strips of a search from which its memory counts more than the time to free it [bytes]. */
const LARGE_BYTES = 2 ** 25;

/** Whether the memory of a search counts more than some tenths of a second. */
export function isLarge(strips: SharedStrips | undefined): boolean {
  return strips !== undefined && strips.memory.byteLength >= LARGE_BYTES;
}
