import { setFlagsFromString } from 'node:v8';

/**
 * Lets the young part of heaps grow with the work. The command (`bin/groundwatch.js`) keeps it at its first size while the
 * program loads: V8 would let it grow to 32 MB, which the process keeps, for code and tables that stay anyway.
 */
export function letYoungHeapGrow(): void {
  setFlagsFromString('--semi-space-growth-factor=2');
}
