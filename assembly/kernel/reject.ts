// Rejection of outliers. The weight of a scene is 0 or 1, because the Gram tables support no other weights.
import { countUpTo, largestOf, medianOf } from './median';
import { exchange } from './normal-equations';
import { size } from './solve';
import {
  columns,
  designByColumn,
  keptOf,
  observedOf,
  paddedTimes,
  residuals,
  seriesOf,
  solutionOf,
  windowFrom,
  windowTo,
} from './workspace';

/** Minimum of the rejection limit [sample unit]: smaller residuals are rounding errors, not scatter. */
const ROUNDING: f64 = 1e-9;
/** Exceeds the rounding errors of a limit that is computed from a median. */
const RAISED: f64 = 1 + 1e-12;

/** Results of the latest call of `reject` that returned true: number of kept scenes, and change of y'y. */
export let keptCount: i32 = 0;
export let squaresGained: f64 = 0;

/** Writes the residuals of a pixel in the window to `residuals`; NaN where nothing was observed. */
export function residualsOf(pixel: i32): void {
  measure(pixel, i64x2.splat(-1));
}

/**
 * Writes the residuals of a pixel, or their absolute values, to `residuals`.
 * @param part bits of each residual that are kept: all bits, or all except the sign
 */
function measure(pixel: i32, part: v128): void {
  const observed = observedOf(pixel);
  const values = seriesOf(pixel);
  const solution = solutionOf(pixel);
  const stride = (<usize>paddedTimes) << 3;
  const end = solution + ((<usize>columns) << 3);
  for (let t = windowFrom; t < windowTo; t += 8) {
    const at = (<usize>t) << 3;
    let a = v128.load(values + at);
    let b = v128.load(values + at, 16);
    let c = v128.load(values + at, 32);
    let d = v128.load(values + at, 48);
    let x = designByColumn + at;
    for (let s = solution; s < end; s += 8, x += stride) {
      const factor = v128.load_splat<f64>(s);
      a = f64x2.sub(a, f64x2.mul(factor, v128.load(x)));
      b = f64x2.sub(b, f64x2.mul(factor, v128.load(x, 16)));
      c = f64x2.sub(c, f64x2.mul(factor, v128.load(x, 32)));
      d = f64x2.sub(d, f64x2.mul(factor, v128.load(x, 48)));
    }
    // A lane whose bit is not set is filled with ones, which are a NaN.
    const bits = i64x2.splat(load<u8>(observed + (t >> 3)));
    const none = i64x2.splat(0);
    a = v128.or(v128.and(a, part), i64x2.eq(v128.and(bits, i64x2(1, 2)), none));
    b = v128.or(v128.and(b, part), i64x2.eq(v128.and(bits, i64x2(4, 8)), none));
    c = v128.or(v128.and(c, part), i64x2.eq(v128.and(bits, i64x2(16, 32)), none));
    d = v128.or(v128.and(d, part), i64x2.eq(v128.and(bits, i64x2(64, 128)), none));
    v128.store(residuals + at, a);
    v128.store(residuals + at, b, 16);
    v128.store(residuals + at, c, 32);
    v128.store(residuals + at, d, 48);
  }
}

/**
 * Whether no absolute residual is beyond the limit, told without their median: so few of them are up to the largest one
 * divided by `beyond` that the median is larger than this.
 */
function areAllWithin(count: i32, beyond: f64): bool {
  const largest = largestOf(residuals);
  return largest <= ROUNDING || countUpTo(residuals, (largest / beyond) * RAISED) <= (count - 1) >> 1;
}

/**
 * Tests all observed scenes of a pixel against its present fit, rejects outliers, and updates the normal equations.
 * @param count number of observed scenes
 * @param isWhole whether all of them are kept
 * @param typical estimate of the median absolute residual; the search for the median begins with it
 * @param beyond limit of the absolute residual, in median absolute residuals
 * @param fewest minimum number of kept scenes; if fewer would be kept, nothing changes
 * @returns whether any scene was newly rejected, or kept after an earlier rejection
 */
export function reject(pixel: i32, count: i32, isWhole: bool, typical: f64, beyond: f64, fewest: i32): bool {
  measure(pixel, i64x2.splat(i64.MAX_VALUE));
  if (isWhole && areAllWithin(count, beyond)) return false; // most fits have no outlier
  const limit = f64x2.splat(max(ROUNDING, beyond * medianOf(residuals, count, typical)));
  const kept = keptOf(pixel);
  let total = 0;
  let changed = 0;
  for (let t = windowFrom; t < windowTo; t += 8) {
    const at = residuals + ((<usize>t) << 3);
    const bits =
      i64x2.bitmask(f64x2.le(v128.load(at), limit)) |
      (i64x2.bitmask(f64x2.le(v128.load(at, 16), limit)) << 2) |
      (i64x2.bitmask(f64x2.le(v128.load(at, 32), limit)) << 4) |
      (i64x2.bitmask(f64x2.le(v128.load(at, 48), limit)) << 6);
    total += popcnt(bits);
    changed |= bits ^ <i32>load<u8>(kept + (t >> 3));
    // The new mask is stored over residuals that are no longer needed.
    store<u8>(residuals + (t >> 3), <u8>bits);
  }
  keptCount = total;
  squaresGained = 0;
  if (changed == 0 || total < fewest) return false;
  for (let b = windowFrom >> 3; b < windowTo >> 3; b++) {
    const before = <i32>load<u8>(kept + b);
    const after = <i32>load<u8>(residuals + b);
    if (before == after) continue;
    squaresGained += exchange(pixel, b, before, after);
    store<u8>(kept + b, <u8>after);
  }
  return true;
}
