// Finds the stable history of two pixels at a time, one per lane: recursive residuals of the reversed series by
// square-root-free Givens rotations (Gentleman 1973), then the Rec-CUSUM test. The rotations need no matrix inverse
// and are as accurate as a QR factorisation.
import { recursiveResiduals, UNKNOWN } from './rotations';
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

/** Results of the latest call of `findStart`: first scene of the stable history of each lane. */
export let startA: i32 = 0;
export let startB: i32 = 0;

/** Rows of the scratch after the unit triangle: variances of the columns, projections, the current row. */
const VARIANCE: i32 = 8;
const TARGET: i32 = 9;
const ROW: i32 = 10;

/** Spread, the inverse weight, of a row that must not affect the triangle. */
const WEIGHTLESS: f64 = 1e60;

function at(i: i32, j: i32): usize {
  return factor + ((<usize>((i << 3) + j)) << 4);
}

/** Writes the indices of the observed scenes of a pixel, latest first. Returns their number. */
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

/** Loads a double of each of two pixels into the two lanes. */
function both(a: usize, b: usize): v128 {
  return v128.load_lane<f64>(b, v128.load_zero<f64>(a), 1);
}

/**
 * Rotates one row of weight `1 / spread` into the triangle. Returns its recursive residual. In each column, x^2
 * times the variance of the column is added to the spread. The next column needs only this sum, so it does not wait
 * for the division.
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

/** Finds the first scene of the stable history of one pixel and writes it to both `startA` and `startB`. */
function findSingle(pixel: i32, critical: f64): void {
  const count = listReversed(pixel, sorted);
  recursiveResiduals(pixel, observedOf(pixel), count);
  startA = startOf(residuals, sorted, count, critical);
  startB = startA;
}

/**
 * Finds the first scene of the stable history of pixels `a` and `b` and writes it to `startA` and `startB`. The CUSUM
 * runs backwards from the latest scene. The stable history consists of the scenes that the CUSUM passes before it
 * first crosses its boundary. If it never crosses it, the history begins with the first observed scene.
 * @param critical critical value of the boundary `critical (1 + 2 t)`
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
    // When one pixel has no more observations, its lane continues with rows of practically no weight.
    const spread = f64x2(step < countA ? 1 : WEIGHTLESS, step < countB ? 1 : WEIGHTLESS);
    const value = both(seriesOf(a) + ((<usize>sceneA) << 3), seriesOf(b) + ((<usize>sceneB) << 3));
    v128.store(residuals + ((<usize>step) << 4), rotate(spread, value));
  }
  startA = startOf(residuals, scenesA, countA, critical);
  startB = startOf(residuals + 8, scenesB, countB, critical);
}

/** Returns the first scene of the stable history of one lane, by the Rec-CUSUM test of its recursive residuals. */
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
