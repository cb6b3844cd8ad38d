// Workspace of one instance of the kernel. Each thread has an instance, so these globals belong to the thread,
// while the memory behind the addresses is shared. The caller lays out the memory
// (src/change/kernel/kernel-layout.ts) and passes the addresses to `configure`. This code never allocates and uses
// no static memory, because all threads would share it.

/** Pixels processed at a time: their decoded series stay in the first-level cache. */
export const STRIP: i32 = 16;

/** Scenes rounded up to whole mask bytes. */
export let paddedTimes: i32 = 0;
/** Window of the current fits, rounded to whole mask bytes; scenes outside count as missing. */
export let windowFrom: i32 = 0;
export let windowTo: i32 = 0;
/** Columns of the design, and rounded up to a multiple of two; the padding column is zero. */
export let columns: i32 = 0;
export let paddedColumns: i32 = 0;
/** Doubles in a row of the Gram tables: the lower triangle by rows, rounded up to 8. */
export let triangle: i32 = 0;
/** Design by columns, `[paddedColumns][paddedTimes]` f64, and by rows, `[paddedTimes][paddedColumns]` f64. */
export let designByColumn: usize = 0;
export let designByRow: usize = 0;
/** Sum of x x' over the scenes of every mask byte, `[paddedTimes / 8][256][triangle]` f64. */
export let gramTables: usize = 0;
/** Added to the diagonal, `[columns]` f64. */
export let ridge: usize = 0;

/** Per pixel of the strip: series (f64, 0 where left out), kept and observed scenes (one bit each). */
let series: usize = 0;
let keptMasks: usize = 0;
let observedMasks: usize = 0;
/** Per pixel: lower triangle of X'X, X'y, coefficients. */
let grams: usize = 0;
let projections: usize = 0;
let solutions: usize = 0;
/** Scratch of one pixel or of a pair. */
export let residuals: usize = 0;
export let addresses: usize = 0;
export let factor: usize = 0;
export let sorted: usize = 0;
/** Pixels whose scene is updated at a time; each needs 20 bytes of scratch. */
export const BATCH: i32 = 128;
export let batch: usize = 0;
/** Fitted columns of the design, i32. */
export let chosen: usize = 0;
/** Per pixel of the strip: the state of its fit, a `PixelFit`. */
let progress: usize = 0;
/** Bytes of a mask over all scenes. */
export let maskBytes: usize = 0;
/** Number of cached sets of scenes with normal matrix and factors. */
export const FACTORED_SETS: i32 = 8;
/** Factors of a pair: see `factors` in solve.ts. */
export const FACTOR_BYTES: usize = 9 * 8 * 16;
let factored: usize = 0;
let factoredBytes: usize = 0;
/**
 * Number of cached sets of scenes with rotations: a pixel is fitted a few times, and its neighbour mostly to the same
 * scenes.
 */
export const ROTATED_SETS: i32 = 8;
let rotated: usize = 0;
let rotatedBytes: usize = 0;

/** Sets the sizes and addresses of the instance; to be called first. Returns the bytes of scratch that it uses. */
export function configure(
  timesNow: i32,
  columnsNow: i32,
  designByColumnAt: usize,
  designByRowAt: usize,
  gramTablesAt: usize,
  ridgeAt: usize,
  scratchAt: usize,
): usize {
  paddedTimes = (timesNow + 7) & ~7;
  columns = columnsNow;
  paddedColumns = (columnsNow + 1) & ~1;
  triangle = (((columnsNow * (columnsNow + 1)) >> 1) + 7) & ~7;
  designByColumn = designByColumnAt;
  designByRow = designByRowAt;
  gramTables = gramTablesAt;
  ridge = ridgeAt;
  const row = (<usize>paddedTimes) << 3;
  const mask = ((<usize>paddedTimes >> 3) + 15) & ~15;
  series = scratchAt;
  keptMasks = series + <usize>STRIP * row;
  observedMasks = keptMasks + <usize>STRIP * mask;
  grams = observedMasks + <usize>STRIP * mask;
  projections = grams + <usize>STRIP * ((<usize>triangle) << 3);
  solutions = projections + <usize>STRIP * ((<usize>paddedColumns) << 3);
  residuals = solutions + <usize>STRIP * ((<usize>paddedColumns) << 3);
  addresses = residuals + 2 * row; // the recursive residuals of a pair
  factor = (addresses + (<usize>paddedTimes >> 1) + 15) & ~15;
  sorted = (factor + 2 * 16 * 8 * 8 + 15) & ~15; // two 8 x 8 matrices of f64x2
  batch = sorted + row;
  chosen = batch + <usize>BATCH * 20;
  progress = chosen + 8 * sizeof<i32>();
  maskBytes = <usize>paddedTimes >> 3;
  rotated = (progress + <usize>STRIP * offsetof<PixelFit>() + 15) & ~15;
  rotatedBytes = (8 + maskBytes + ((<usize>paddedTimes * (3 * <usize>columns + 1)) << 3) + 15) & ~15;
  factored = rotated + <usize>ROTATED_SETS * rotatedBytes;
  factoredBytes = (8 + maskBytes + ((<usize>triangle) << 3) + FACTOR_BYTES + 15) & ~15;
  return factored + <usize>FACTORED_SETS * factoredBytes - scratchAt;
}

/** Address of a cached set with normal matrix and factors. */
export function factoredSet(i: i32): usize {
  return factored + <usize>i * factoredBytes;
}

/** Address of a cached set with rotations. */
export function rotatedSet(i: i32): usize {
  return rotated + <usize>i * rotatedBytes;
}

/** Sets the window to the scenes `[from, to)`, rounded outwards. */
export function setWindow(from: i32, to: i32): void {
  windowFrom = max(from, 0) & ~7;
  windowTo = min((to + 7) & ~7, paddedTimes);
}

/** State of the fit of one pixel. */
@unmanaged
export class PixelFit {
  /** y'y of the kept scenes. */
  squares: f64;
  /** Number of observed and of kept scenes, and the first scene of the stable history. */
  observed: i32;
  kept: i32;
  start: i32;
  status: i32;
  /** Whether its normal equations have changed since they were solved. */
  moved: bool;
}

export function fitOf(pixel: i32): PixelFit {
  return changetype<PixelFit>(progress + <usize>pixel * offsetof<PixelFit>());
}

export function seriesOf(pixel: i32): usize {
  return series + <usize>pixel * ((<usize>paddedTimes) << 3);
}

export function keptOf(pixel: i32): usize {
  return keptMasks + <usize>pixel * (((<usize>paddedTimes >> 3) + 15) & ~15);
}

export function observedOf(pixel: i32): usize {
  return observedMasks + <usize>pixel * (((<usize>paddedTimes >> 3) + 15) & ~15);
}

export function gramOf(pixel: i32): usize {
  return grams + <usize>pixel * ((<usize>triangle) << 3);
}

export function projectionOf(pixel: i32): usize {
  return projections + <usize>pixel * ((<usize>paddedColumns) << 3);
}

export function solutionOf(pixel: i32): usize {
  return solutions + <usize>pixel * ((<usize>paddedColumns) << 3);
}
