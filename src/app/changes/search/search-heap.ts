import type { ResourceLimits } from 'node:worker_threads';

/**
 * Limits of the heap of a search thread. It has some 9 MB of objects, and almost all of its garbage dies at once. By
 * default V8 lets the young generation grow up to 134 MB where the machine has much memory.
 */
export const SEARCH_HEAP: ResourceLimits = { maxYoungGenerationSizeMb: 3 };
