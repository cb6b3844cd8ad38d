// Workspace of one instance of the kernel. Each thread has an instance, so these globals belong to the thread,
// while the memory behind the addresses is shared. The caller lays out the memory
// (src/change/kernel/kernel-layout.ts) and passes the addresses to `configure`. This code never allocates and uses
// no static memory, because all threads would share it.

/** Maximum number of pixels that are fitted together: their decoded series fit the first-level cache. */
export const STRIP: i32 = 16;

/** Number of scenes, rounded up to a multiple of 8, because a mask byte contains 8 scenes. */
export let paddedTimes: i32 = 0;
/** Scenes `[windowFrom, windowTo)` of the current fits, rounded to whole mask bytes. Other scenes count as missing. */
export let windowFrom: i32 = 0;
export let windowTo: i32 = 0;
/** Number of columns of the design, and the same rounded up to a multiple of two. The added column contains 0. */
export let columns: i32 = 0;
export let paddedColumns: i32 = 0;
/** Number of doubles in a row of the Gram tables: the lower triangle by rows, rounded up to a multiple of 8. */
export let triangle: i32 = 0;
/** Design by columns, `[paddedColumns][paddedTimes]` f64, and by rows, `[paddedTimes][paddedColumns]` f64. */
export let designByColumn: usize = 0;
export let designByRow: usize = 0;
/** Sums of x x' over the scenes of each possible mask byte, `[paddedTimes / 8][256][triangle]` f64. */
export let gramTables: usize = 0;
/** Ridge, which is added to the diagonal of X'X, `[columns]` f64. */
export let ridge: usize = 0;

/** For each pixel of the strip: series (f64, 0 where missing), masks of kept and of observed scenes (one bit each). */
let series: usize = 0;
let keptMasks: usize = 0;
let observedMasks: usize = 0;
/** For each pixel of the strip: lower triangle of X'X, X'y, coefficients. */
let grams: usize = 0;
let projections: usize = 0;
let solutions: usize = 0;
/** Scratch for the computation of one pixel or of a pair of pixels. */
export let residuals: usize = 0;
export let addresses: usize = 0;
export let factor: usize = 0;
export let sorted: usize = 0;
/** Number of pixels that are updated together with a scene. Each needs 20 bytes of scratch. */
export const BATCH: i32 = 128;
export let batch: usize = 0;
/** Indices of the fitted columns in the design, i32. */
export let chosen: usize = 0;
/** For each pixel of the strip: the state of its fit, a `PixelFit`. */
let progress: usize = 0;
/** Size of a mask over all scenes [bytes]. */
export let maskBytes: usize = 0;
/** Number of sets of scenes whose normal matrix and factors are cached. */
export const FACTORED_SETS: i32 = 48;
/** Size of the factors of a pair of pixels [bytes]; see `factors` in solve.ts. */
export const FACTOR_BYTES: usize = 9 * 8 * 16;
let factored: usize = 0;
/** Keys of these sets, i64; see set-key.ts. */
export let factoredKeys: usize = 0;
let factoredBytes: usize = 0;
/** Number of the latest sets of scenes whose keys are kept, and the rotations of those for which there is room. */
export const ROTATED_SETS: i32 = 64;
/** Room for rotations [sets of all scenes and columns]. Most sets need a third of that or less. */
const ROTATED_ROOM: usize = 16;
export let rotated: usize = 0;
export let rotatedBytes: usize = 0;
/** Keys of these sets, i64 (see set-key.ts), and where in the room their rotations are, i32; -1: nowhere. */
export let rotatedKeys: usize = 0;
export let rotatedPlaces: usize = 0;

/**
 * Sets the sizes and addresses of the instance. Must be called before all other functions. Returns the size of the
 * scratch that the instance uses [bytes].
 */
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
  addresses = residuals + 2 * row; // `residuals` has room for the recursive residuals of two pixels
  factor = (addresses + (<usize>paddedTimes >> 1) + 15) & ~15;
  sorted = (factor + 2 * 16 * 8 * 8 + 15) & ~15; // `factor` has room for two 8 x 8 matrices of f64x2
  batch = sorted + row;
  chosen = batch + <usize>BATCH * 20;
  progress = chosen + 8 * sizeof<i32>();
  maskBytes = <usize>paddedTimes >> 3;
  rotated = (progress + <usize>STRIP * offsetof<PixelFit>() + 15) & ~15;
  rotatedBytes =
    ROTATED_ROOM *
    ((8 + maskBytes + ((<usize>paddedTimes * (3 * <usize>paddedColumns + 1)) << 3) + 15) & ~15);
  factored = rotated + rotatedBytes;
  factoredBytes = (8 + maskBytes + ((<usize>triangle) << 3) + FACTOR_BYTES + 15) & ~15;
  factoredKeys = factored + <usize>FACTORED_SETS * factoredBytes;
  rotatedKeys = factoredKeys + <usize>FACTORED_SETS * sizeof<i64>();
  rotatedPlaces = rotatedKeys + <usize>ROTATED_SETS * sizeof<i64>();
  return rotatedPlaces + <usize>ROTATED_SETS * sizeof<i32>() - scratchAt;
}

/** Returns the address of a cached set with normal matrix and factors. */
export function factoredSet(i: i32): usize {
  return factored + <usize>i * factoredBytes;
}

/** Sets the window to the scenes `[from, to)`, extended to whole mask bytes. */
export function setWindow(from: i32, to: i32): void {
  windowFrom = max(from, 0) & ~7;
  windowTo = min((to + 7) & ~7, paddedTimes);
}

/** State of the fit of one pixel. */
@unmanaged
export class PixelFit {
  /** y'y of the kept scenes. */
  squares: f64;
  /** Number of observed scenes, number of kept scenes, and first scene of the stable history. */
  observed: i32;
  kept: i32;
  start: i32;
  status: i32;
  /** Whether the normal equations of the pixel have changed since they were last solved. */
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
