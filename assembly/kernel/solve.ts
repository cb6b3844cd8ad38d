// Solves (X'X + R) b = X'y for two pixels at a time, one per lane, by the L D L' factorisation without square roots.
import { chosen, factor, gramOf, paddedColumns, projectionOf, ridge, solutionOf } from './workspace';

/**
 * Minimum share of a column's sum of squares that is not explained by the preceding columns. If the share is lower,
 * the system counts as singular.
 */
const SINGULAR: f64 = 1e-9;

/** Number of fitted columns. The coefficients of columns that are not fitted are 0. */
export let size: i32 = 0;
/** The fitted columns, one bit per column. */
export let chosenBits: i32 = 0;

/** Selects the columns to fit: those whose bits are set. */
export function choose(bits: i32): void {
  size = 0;
  chosenBits = bits;
  for (let c = 0; c < 8; c++) {
    if (((bits >> c) & 1) == 0) continue;
    store<i32>(chosen + ((<usize>size) << 2), c);
    size += 1;
  }
}

/** Returns the index in the design of the `i`th fitted column. */
export function chosenColumn(i: i32): i32 {
  return load<i32>(chosen + ((<usize>i) << 2));
}

/** Loads a double of each of two pixels into the two lanes. */
function both(a: usize, b: usize): v128 {
  return v128.load_lane<f64>(b, v128.load_zero<f64>(a), 1);
}

function at(i: i32, j: i32): usize {
  return factor + ((<usize>((i << 3) + j)) << 4);
}

/** Rows of the scratch after L: 1 / D, and the current solution. */
const INVERSE: i32 = 8;
const PARTIAL: i32 = 9;
/** Row of the scratch for the current row of the product L D. */
const SCALED: i32 = 10;

/**
 * Solves for pixels `a` and `b`, which may be the same.
 * @returns bits of the pixels whose system is regular; the coefficients of other pixels are meaningless
 */
export function solvePair(a: i32, b: i32): i32 {
  const regular = factorisePair(a, b);
  substitute(a, b);
  return regular;
}

/** First half of `solvePair`: writes the factors to the scratch. Returns the same bits. */
export function factorisePair(a: i32, b: i32): i32 {
  const gramA = gramOf(a);
  const gramB = gramOf(b);
  let regular = i64x2.splat(-1);
  for (let i = 0; i < size; i++) {
    const column = chosenColumn(i);
    const row = <usize>((column * (column + 1)) >> 1);
    for (let j = 0; j < i; j++) {
      const offset = (row + <usize>chosenColumn(j)) << 3;
      let sum = both(gramA + offset, gramB + offset);
      for (let k = 0; k < j; k++) {
        sum = f64x2.sub(sum, f64x2.mul(v128.load(at(SCALED, k)), v128.load(at(j, k))));
      }
      v128.store(at(SCALED, j), sum);
    }
    const offset = (row + <usize>column) << 3;
    const diagonal = f64x2.add(
      both(gramA + offset, gramB + offset),
      v128.load_splat<f64>(ridge + ((<usize>column) << 3)),
    );
    let pivot = diagonal;
    for (let j = 0; j < i; j++) {
      const scaled = v128.load(at(SCALED, j));
      const entry = f64x2.mul(scaled, v128.load(at(INVERSE, j)));
      v128.store(at(i, j), entry);
      pivot = f64x2.sub(pivot, f64x2.mul(scaled, entry));
    }
    const sound = f64x2.gt(pivot, f64x2.mul(diagonal, f64x2.splat(SINGULAR)));
    regular = v128.and(regular, sound);
    pivot = v128.bitselect(pivot, f64x2.splat(1), sound);
    v128.store(at(INVERSE, i), f64x2.div(f64x2.splat(1), pivot));
  }
  return i64x2.bitmask(regular);
}

/** Second half of `solvePair`: computes the coefficients from the factors in the scratch. */
export function substitute(a: i32, b: i32): void {
  const projectionA = projectionOf(a);
  const projectionB = projectionOf(b);
  for (let i = 0; i < size; i++) {
    const offset = (<usize>chosenColumn(i)) << 3;
    let sum = both(projectionA + offset, projectionB + offset);
    for (let k = 0; k < i; k++) {
      sum = f64x2.sub(sum, f64x2.mul(v128.load(at(i, k)), v128.load(at(PARTIAL, k))));
    }
    v128.store(at(PARTIAL, i), sum);
  }
  const solutionA = solutionOf(a);
  const solutionB = solutionOf(b);
  for (let c: usize = 0; c < (<usize>paddedColumns) << 3; c += 16) {
    v128.store(solutionA + c, f64x2.splat(0));
    v128.store(solutionB + c, f64x2.splat(0));
  }
  for (let i = size - 1; i >= 0; i--) {
    let sum = f64x2.mul(v128.load(at(PARTIAL, i)), v128.load(at(INVERSE, i)));
    for (let k = i + 1; k < size; k++) {
      sum = f64x2.sub(sum, f64x2.mul(v128.load(at(k, i)), v128.load(at(PARTIAL, k))));
    }
    v128.store(at(PARTIAL, i), sum);
    const offset = (<usize>chosenColumn(i)) << 3;
    store<f64>(solutionA + offset, f64x2.extract_lane(sum, 0));
    store<f64>(solutionB + offset, f64x2.extract_lane(sum, 1));
  }
}

/** Residual sum of squares of the kept scenes: y'y - b'X'y - b'Rb. */
export function residualSquares(pixel: i32, valueSquares: f64): f64 {
  const solution = solutionOf(pixel);
  const projection = projectionOf(pixel);
  let sum = valueSquares;
  for (let i = 0; i < size; i++) {
    const offset = (<usize>chosenColumn(i)) << 3;
    const b = load<f64>(solution + offset);
    sum -= b * (load<f64>(projection + offset) + b * load<f64>(ridge + offset));
  }
  return max(0, sum);
}

/**
 * Returns the address of the factors of the latest pair of pixels, one pixel per lane: L below the diagonal of a
 * matrix of 8 x 8 f64x2, and 1 / D in the next row.
 */
export function factors(): usize {
  return factor;
}
