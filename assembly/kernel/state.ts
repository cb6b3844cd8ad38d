// Monitoring state of the pixels, in groups of sixteen. Each group is contiguous in memory, because planes a power
// of two apart would share cache sets. A group has for each of its pixels, as floats: coefficients by column, 1 /
// sigma (0: not monitored), EWMA, moving sum, sum; then as 16-bit numbers: run of outliers (signed), observations
// of the history, observations seen, scene of the oldest residual in the moving window.
import { columns } from './workspace';

/** Pixels per group. */
export const GROUP: i32 = 16;

let base: usize = 0;
let groupBytes: usize = 0;
/** Byte offsets of the quantities from the beginning of a group. */
export let precisions: usize = 0;
export let ewmas: usize = 0;
export let movings: usize = 0;
export let sums: usize = 0;
export let runs: usize = 0;
export let histories: usize = 0;
export let seens: usize = 0;
export let oldests: usize = 0;

/** Sets the address of the state. */
export function setState(at: usize): void {
  base = at;
  precisions = (<usize>columns) << 6;
  ewmas = precisions + 64;
  movings = ewmas + 64;
  sums = movings + 64;
  runs = sums + 64;
  histories = runs + 32;
  seens = histories + 32;
  oldests = seens + 32;
  groupBytes = oldests + 32;
}

/** Address of the group that begins with a pixel, a multiple of 16. */
export function groupAt(pixel: i32): usize {
  return base + <usize>(pixel >> 4) * groupBytes;
}
