// Recursive residuals of one series by square-root-free Givens rotations. The rotations of the design's rows depend
// only on which scenes were observed, not on the observed values. All indices of one pixel, and neighbouring pixels,
// were mostly observed in the same scenes. So the rotations of the latest sets of scenes are cached. For a series with
// a cached set of scenes, the rotations are not computed again, only applied. Where each pixel has scenes of its own,
// only a few sets are kept, which stay in the first-level cache of the processor.
import { clearBytes, copyBytes } from './bytes';
import { keyOf, positionOf } from './set-key';
import { chosenBits, chosenColumn, size } from './solve';
import {
  designByRow,
  factor,
  maskBytes,
  paddedColumns,
  residuals,
  rotated,
  rotatedBytes,
  rotatedKeys,
  rotatedPlaces,
  ROTATED_SETS,
  seriesOf,
  sorted,
} from './workspace';

/** Initial variance of a column [squared units of the column]: practically infinite. */
export const UNKNOWN: f64 = 1e20;

/**
 * Byte offset in the scratch of an entry that is always 0: the start of the last row of the triangle. The triangle
 * has 8 rows of 8 f64. Only entries right of the diagonal are used, and the last row has none.
 */
const ZERO: usize = 7 * 64;
/** Byte offsets in the scratch, after the triangle: variances of the columns, and the current row. */
const VARIANCES: usize = 8 * 64;
const ROW: usize = 9 * 64;

/** Index of the key that is replaced next. */
let oldest: i32 = 0;
/** Where the next set is written in the room [bytes from its start]. */
let next: usize = 0;
/** Room that is used while sets are seldom needed again [bytes]. */
const LITTLE: usize = 16_384;
/** Positive while sets are needed again before their keys are replaced. */
export let again: i32 = 0;
const MOST_AGAIN: i32 = 32;

/**
 * Size of the header of a cached set [bytes]: the fitted columns as bits (i32), the size of the set with its header
 * [bytes] (i32). The mask follows, then for each scene one entry per pair of columns and a square root (f64).
 */
const HEAD: usize = 8;
/**
 * Size of the entry of a pair of columns [bytes]: the values of the current row in the columns, the factors of the
 * triangle and the factors of the row, all f64x2. All are 0 for a column that an odd number of columns lacks.
 */
const PAIR: usize = 3 << 4;

/**
 * Writes the recursive residuals of a pixel's observed scenes, latest first, as `[f64, unused]` to `residuals`.
 * @param mask address of the mask of the scenes
 * @param count number of scenes; `sorted` lists them (i32), latest first
 */
export function recursiveResiduals(pixel: i32, mask: usize, count: i32): void {
  let at = rotationsOf(mask, count);
  const values = seriesOf(pixel);
  const pairs = (size + 1) >> 1;
  let a = f64x2.splat(0);
  let b = a;
  let c = a;
  let d = a;
  for (let step = 0; step < count; step++) {
    const scene = <usize>load<i32>(sorted + ((<usize>step) << 2));
    let left = load<f64>(values + (scene << 3));
    let explained = f64x2.mul(v128.load(at), a);
    let beside = left - f64x2.extract_lane(explained, 0);
    a = rotateTargets(at, a, left, beside);
    left = beside - f64x2.extract_lane(explained, 1);
    if (pairs > 1) {
      explained = f64x2.mul(v128.load(at + PAIR), b);
      beside = left - f64x2.extract_lane(explained, 0);
      b = rotateTargets(at + PAIR, b, left, beside);
      left = beside - f64x2.extract_lane(explained, 1);
    }
    if (pairs > 2) {
      explained = f64x2.mul(v128.load(at + 2 * PAIR), c);
      beside = left - f64x2.extract_lane(explained, 0);
      c = rotateTargets(at + 2 * PAIR, c, left, beside);
      left = beside - f64x2.extract_lane(explained, 1);
    }
    if (pairs > 3) {
      explained = f64x2.mul(v128.load(at + 3 * PAIR), d);
      beside = left - f64x2.extract_lane(explained, 0);
      d = rotateTargets(at + 3 * PAIR, d, left, beside);
      left = beside - f64x2.extract_lane(explained, 1);
    }
    at += <usize>pairs * PAIR;
    store<f64>(residuals + ((<usize>step) << 4), left / load<f64>(at));
    at += 8;
  }
}

/**
 * Rotates a row into the targets of a pair of columns.
 * @param first what was left of the value of the row before the first column, and before the second
 */
function rotateTargets(entry: usize, targets: v128, first: f64, second: f64): v128 {
  const row = f64x2.replace_lane(f64x2.splat(first), 1, second);
  return f64x2.add(f64x2.mul(v128.load(entry, 16), targets), f64x2.mul(v128.load(entry, 32), row));
}

/** Returns the address of the rotations of a set of scenes. Computes the rotations if they are not cached. */
function rotationsOf(mask: usize, count: i32): usize {
  const key = keyOf(mask, chosenBits);
  let isKnown = false;
  for (let i = 0; (i = positionOf(key, rotatedKeys, i, ROTATED_SETS)) >= 0; i++) {
    isKnown = true;
    const place = load<i32>(rotatedPlaces + ((<usize>i) << 2));
    if (place < 0) continue;
    const set = rotated + <usize>place;
    if (load<i32>(set) != chosenBits || memory.compare(set + HEAD, mask, maskBytes) != 0) continue;
    again = min(again + 1, MOST_AGAIN);
    return set + HEAD + maskBytes;
  }
  again = isKnown ? min(again + 1, MOST_AGAIN) : max(again - 1, 0);
  const bytes = (HEAD + maskBytes + <usize>count * (<usize>((size + 1) >> 1) * PAIR + 8) + 15) & ~15;
  const place = makeRoom(bytes);
  store<i64>(rotatedKeys + ((<usize>oldest) << 3), key);
  store<i32>(rotatedPlaces + ((<usize>oldest) << 2), <i32>place);
  oldest = oldest + 1 == ROTATED_SETS ? 0 : oldest + 1;
  const set = rotated + place;
  store<i32>(set, chosenBits);
  store<i32>(set, <i32>bytes, 4);
  copyBytes(set + HEAD, mask, maskBytes);
  rotate(set + HEAD + maskBytes, count);
  return set + HEAD + maskBytes;
}

/** Returns the place of the next set in the room. Sets that were there are forgotten, but not their keys. */
function makeRoom(bytes: usize): usize {
  if (next + bytes > (again > 0 ? rotatedBytes : LITTLE)) next = 0;
  const place = next;
  next += bytes;
  for (let i = 0; i < ROTATED_SETS; i++) {
    const at = rotatedPlaces + ((<usize>i) << 2);
    const its = load<i32>(at);
    if (its < 0 || <usize>its >= next) continue;
    if (<usize>(its + load<i32>(rotated + <usize>its, 4)) > place) store<i32>(at, -1);
  }
  return place;
}

/** Rotates the design's rows of the listed scenes into a triangle, one after the other, and records the rotations. */
function rotate(to: usize, count: i32): void {
  clearBytes(factor, 10 * 64);
  for (let i = 0; i < size; i++) store<f64>(factor + VARIANCES + ((<usize>i) << 3), UNKNOWN);
  const rowBytes = (<usize>paddedColumns) << 3;
  for (let step = 0; step < count; step++) {
    const scene = <usize>load<i32>(sorted + ((<usize>step) << 2));
    const design = designByRow + scene * rowBytes;
    for (let i = 0; i < size; i += 2) {
      const x = design + ((<usize>chosenColumn(i)) << 3);
      const y = i + 1 < size ? design + ((<usize>chosenColumn(i + 1)) << 3) : factor + ZERO;
      v128.store(factor + ROW + ((<usize>i) << 3), v128.load_lane<f64>(y, v128.load_zero<f64>(x), 1));
    }
    to = rotateRow(to);
  }
}

/**
 * Rotates one row of the design into the triangle, two columns of one pixel at a time, one per lane. `rotate` in
 * stable-history.ts rotates two pixels at a time. Both apply the same operations to every element in the same order,
 * so their results are identical. If the number of columns is odd, the last column is paired with a column of zeros.
 */
function rotateRow(to: usize): usize {
  let spread: f64 = 1;
  let triangle = factor;
  let scalars = factor + VARIANCES;
  let row = factor + ROW;
  const whole = to + <usize>(size >> 1) * PAIR;
  for (
    const end = row + ((<usize>((size + 1) & ~1)) << 3);
    row < end;
    row += 16, scalars += 16, triangle += 144
  ) {
    const pair = v128.load(row);
    const x = f64x2.extract_lane(pair, 0);
    const variance = load<f64>(scalars);
    const spent = x * variance;
    const grown = spread + x * spent;
    const inverse = 1 / grown;
    const keep = spread * inverse;
    const take = spent * inverse;
    store<f64>(scalars, variance * keep);
    store<f64>(to, x);
    store<f64>(to, keep, 16);
    store<f64>(to, take, 32);
    // The rotation of the first column changes the values of the second column, which is rotated next.
    const beside = load<f64>(triangle + 8);
    const other = f64x2.extract_lane(pair, 1);
    const y = other - x * beside;
    store<f64>(triangle + 8, keep * beside + take * other);
    const varianceY = load<f64>(scalars + 8);
    const spentY = y * varianceY;
    spread = grown + y * spentY;
    const inverseY = 1 / spread;
    const keepY = grown * inverseY;
    const takeY = spentY * inverseY;
    store<f64>(scalars + 8, varianceY * keepY);
    const isColumn = to < whole;
    store<f64>(to, isColumn ? y : 0, 8);
    store<f64>(to, isColumn ? keepY : 0, 24);
    store<f64>(to, isColumn ? takeY : 0, 40);
    to += PAIR;
    const xs = f64x2.splat(x);
    const keeps = f64x2.splat(keep);
    const takes = f64x2.splat(take);
    const ys = f64x2.splat(y);
    const keepYs = f64x2.splat(keepY);
    const takeYs = f64x2.splat(takeY);
    let entries = triangle + 16;
    for (let rest = row + 16; rest < end; rest += 16, entries += 16) {
      const whole = v128.load(rest);
      const entry = v128.load(entries);
      v128.store(entries, f64x2.add(f64x2.mul(keeps, entry), f64x2.mul(takes, whole)));
      const left = f64x2.sub(whole, f64x2.mul(xs, entry));
      const entryY = v128.load(entries + 64);
      v128.store(entries + 64, f64x2.add(f64x2.mul(keepYs, entryY), f64x2.mul(takeYs, left)));
      v128.store(rest, f64x2.sub(left, f64x2.mul(ys, entryY)));
    }
  }
  store<f64>(to, sqrt(spread));
  return to + 8;
}
