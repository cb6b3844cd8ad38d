// Stable history of two pixels at a time, one a lane: recursive residuals of the reversed series by square-root-free
// Givens rotations (Gentleman 1973), which need no matrix inverse and keep the accuracy of a QR, then the Rec-CUSUM test.
import { chosenColumn, size } from './solve';
import {
  designByRow,
  factor,
  observedOf,
  paddedColumns,
  paddedTimes,
  residuals,
  seriesOf,
  sorted,
  windowFrom,
  windowTo,
} from './workspace';

/** Scene at which the stable history of each lane begins. */
export let startA: i32 = 0;
export let startB: i32 = 0;

/** Rows of the scratch besides the unit triangle: variances of the columns, projections, the row under way. */
const VARIANCE: i32 = 8;
const TARGET: i32 = 9;
const ROW: i32 = 10;

/** Variance of a column of which nothing is known yet [squared units of the column]: as good as infinite. */
const UNKNOWN: f64 = 1e20;
/** Spread of a row that must change nothing. */
const WEIGHTLESS: f64 = 1e60;

function at(i: i32, j: i32): usize {
  return factor + ((<usize>((i << 3) + j)) << 4);
}

/** Writes the observed scenes of a pixel, latest first. Returns their number. */
function listReversed(pixel: i32, out: usize): i32 {
  const observed = observedOf(pixel);
  let count = 0;
  for (let b = (windowTo >> 3) - 1; b >= windowFrom >> 3; b--) {
    for (let bits = <u32>load<u8>(observed + b); bits != 0;) {
      const bit = 31 - clz(bits);
      store<i32>(out + ((<usize>count) << 2), (b << 3) + bit);
      count += 1;
      bits ^= 1 << bit;
    }
  }
  return count;
}

/** Loads one double of each lane. */
function both(a: usize, b: usize): v128 {
  return v128.load_lane<f64>(b, v128.load_zero<f64>(a), 1);
}

/**
 * Rotates one row, of weight `1 / spread`, into the triangle. Returns its recursive residual.
 * The spread grows along the row by x^2 / d, so that no division stands in the way of the next column.
 */
function rotate(spread: v128, value: v128): v128 {
  const one = f64x2.splat(1);
  let row = at(ROW, 0);
  let triangle = at(0, 1);
  let variances = at(VARIANCE, 0);
  let targets = at(TARGET, 0);
  for (const end = row + ((<usize>size) << 4); row < end; triangle += 144, variances += 16, targets += 16) {
    const x = v128.load(row);
    const variance = v128.load(variances);
    const spent = f64x2.mul(x, variance);
    const grown = f64x2.add(spread, f64x2.mul(x, spent));
    const inverse = f64x2.div(one, grown);
    const keep = f64x2.mul(spread, inverse);
    const take = f64x2.mul(spent, inverse);
    v128.store(variances, f64x2.mul(variance, keep));
    spread = grown;
    row += 16;
    let entries = triangle;
    for (let rest = row; rest < end; rest += 16, entries += 16) {
      const entry = v128.load(entries);
      const other = v128.load(rest);
      v128.store(rest, f64x2.sub(other, f64x2.mul(x, entry)));
      v128.store(entries, f64x2.add(f64x2.mul(keep, entry), f64x2.mul(take, other)));
    }
    const target = v128.load(targets);
    v128.store(targets, f64x2.add(f64x2.mul(keep, target), f64x2.mul(take, value)));
    value = f64x2.sub(value, f64x2.mul(x, target));
  }
  return f64x2.div(value, f64x2.sqrt(spread));
}

/** Scratch of a single pixel's triangle: 8 rows of 8 f64, then variances, projections and the row under way. */
/** An entry of it that is always 0: the last column has none to its right. */
const SINGLE_ZERO: usize = 7 * 64;
const SINGLE_VARIANCES: usize = 8 * 64;
const SINGLE_TARGETS: usize = 9 * 64;
const SINGLE_ROW: usize = 10 * 64;

/**
 * As `rotate`, for one pixel: the lanes hold two columns of its row. Every element goes through the same operations in the
 * same order, so the answer is the same to the bit. A column of zeros makes the pair of an odd last one.
 */
function rotateSingle(value: f64): f64 {
  let spread: f64 = 1;
  let triangle = factor;
  let scalars = factor + SINGLE_VARIANCES;
  let row = factor + SINGLE_ROW;
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
    const target = load<f64>(scalars + 64);
    store<f64>(scalars + 64, keep * target + take * value);
    value -= x * target;
    // The entry beside the diagonal moves the second column before its turn.
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
    const targetY = load<f64>(scalars + 72);
    store<f64>(scalars + 72, keepY * targetY + takeY * value);
    value -= y * targetY;
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
  return value / sqrt(spread);
}

/** As `findStart`, for one pixel. */
function findSingle(pixel: i32, critical: f64): void {
  const count = listReversed(pixel, sorted);
  memory.fill(factor, 0, <usize>(11 * 64));
  for (let i = 0; i < size; i++) store<f64>(factor + SINGLE_VARIANCES + ((<usize>i) << 3), UNKNOWN);
  const rowBytes = (<usize>paddedColumns) << 3;
  const values = seriesOf(pixel);
  for (let step = 0; step < count; step++) {
    const scene = <usize>load<i32>(sorted + ((<usize>step) << 2));
    const design = designByRow + scene * rowBytes;
    for (let i = 0; i < size; i += 2) {
      const x = design + ((<usize>chosenColumn(i)) << 3);
      const y = i + 1 < size ? design + ((<usize>chosenColumn(i + 1)) << 3) : factor + SINGLE_ZERO;
      v128.store(factor + SINGLE_ROW + ((<usize>i) << 3), both(x, y));
    }
    const residual = rotateSingle(load<f64>(values + (scene << 3)));
    store<f64>(residuals + ((<usize>step) << 4), residual);
  }
  startA = startOf(residuals, sorted, count, critical);
  startB = startA;
}

/**
 * Finds where the stable history of pixels `a` and `b` begins, as scenes in `startA` and `startB`: the one after the
 * latest at which the CUSUM of the reversed series crosses its boundary; the first observed scene where none does.
 * @param critical of the boundary `critical (1 + 2 t)`
 */
export function findStart(a: i32, b: i32, critical: f64): void {
  if (a == b) {
    findSingle(a, critical);
    return;
  }
  const scenesA = sorted;
  const scenesB = sorted + ((<usize>paddedTimes) << 2);
  const countA = listReversed(a, scenesA);
  const countB = listReversed(b, scenesB);
  for (let i = 0; i < 80; i++) v128.store(factor + ((<usize>i) << 4), f64x2.splat(0));
  for (let i = 0; i < size; i++) v128.store(at(VARIANCE, i), f64x2.splat(UNKNOWN));
  const row = (<usize>paddedColumns) << 3;
  const longest = max(countA, countB);
  for (let step = 0; step < longest; step++) {
    const sceneA = load<i32>(scenesA + ((<usize>min(step, max(countA - 1, 0))) << 2));
    const sceneB = load<i32>(scenesB + ((<usize>min(step, max(countB - 1, 0))) << 2));
    const rowA = designByRow + <usize>sceneA * row;
    const rowB = designByRow + <usize>sceneB * row;
    for (let i = 0; i < size; i++) {
      const offset = (<usize>chosenColumn(i)) << 3;
      v128.store(at(ROW, i), both(rowA + offset, rowB + offset));
    }
    // A pixel that has run out of observations goes on without weight.
    const spread = f64x2(step < countA ? 1 : WEIGHTLESS, step < countB ? 1 : WEIGHTLESS);
    const value = both(seriesOf(a) + ((<usize>sceneA) << 3), seriesOf(b) + ((<usize>sceneB) << 3));
    v128.store(residuals + ((<usize>step) << 4), rotate(spread, value));
  }
  startA = startOf(residuals, scenesA, countA, critical);
  startB = startOf(residuals + 8, scenesB, countB, critical);
}

/** Rec-CUSUM of one lane. */
function startOf(lane: usize, scenes: usize, count: i32, critical: f64): i32 {
  if (count == 0) return 0;
  const first = load<i32>(scenes + ((<usize>(count - 1)) << 2));
  const tested = count - size;
  if (tested < 2) return first;
  let sum: f64 = 0;
  for (let j = size; j < count; j++) sum += load<f64>(lane + ((<usize>j) << 4));
  const mean = sum / <f64>tested;
  let squares: f64 = 0;
  for (let j = size; j < count; j++) {
    const apart = load<f64>(lane + ((<usize>j) << 4)) - mean;
    squares += apart * apart;
  }
  const unit = critical * sqrt((squares / <f64>(tested - 1)) * <f64>tested);
  const slope = (2 * unit) / <f64>tested;
  let process: f64 = 0;
  let boundary = unit;
  for (let j = size; j < count; j++) {
    process += load<f64>(lane + ((<usize>j) << 4));
    boundary += slope;
    if (abs(process) > boundary) return load<i32>(scenes + ((<usize>(j - 1)) << 2));
  }
  return first;
}
