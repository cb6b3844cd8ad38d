// Monitoring state of the pixels, in groups of sixteen. Each group is contiguous in memory: separate arrays for each
// quantity could be a power of two apart and would then compete for the same cache sets. A group contains one quantity
// after another, each for its sixteen pixels. As floats: coefficients by column, 1 / sigma (0: not monitored), EWMA,
// moving sum, sum. As 16-bit numbers: run of outliers (signed), number of observations of the history, number of all
// observations, scene of the oldest residual in the moving window.
import { columns } from './workspace';

/** Number of pixels in a group. */
export const GROUP: i32 = 16;

let base: usize = 0;
let groupBytes: usize = 0;
/** Offsets of the quantities in a group [bytes]. */
export let precisions: usize = 0;
export let ewmas: usize = 0;
export let movings: usize = 0;
export let sums: usize = 0;
export let runs: usize = 0;
export let histories: usize = 0;
export let seens: usize = 0;
export let oldests: usize = 0;

/** Sets the address of the state and computes the offsets. */
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

/** Returns the address of the group that contains a pixel. */
export function groupAt(pixel: i32): usize {
  return base + <usize>(pixel >> 4) * groupBytes;
}
