// Computes X'X and X'y of one pixel. X'X takes one table look-up for every eight scenes instead of one rank-one update
// per observation. X'y is summed over time, two scenes at a time, one per lane.
import {
  addresses,
  designByColumn,
  designByRow,
  gramOf,
  gramTables,
  keptOf,
  paddedColumns,
  paddedTimes,
  projectionOf,
  seriesOf,
  triangle,
  windowFrom,
  windowTo,
} from './workspace';

/** Computes X'X and X'y of a pixel from its kept scenes. Returns y'y. */
export function normalEquations(pixel: i32): f64 {
  sumGram(keptOf(pixel), gramOf(pixel));
  return project(pixel);
}

/** Computes only X'y of a pixel. Returns y'y. */
export function project(pixel: i32): f64 {
  const values = seriesOf(pixel);
  const out = projectionOf(pixel);
  let column = 0;
  for (; column + 4 <= paddedColumns; column += 4) projectFour(values, column, out);
  if (column < paddedColumns) projectTwo(values, column, out);
  return squares(values);
}

/** Computes X'X over those scenes of a mask that are in the window. */
export function sumGram(mask: usize, out: usize): void {
  const rowBytes = (<usize>triangle) << 3;
  let rows = addresses;
  for (let b = windowFrom >> 3; b < windowTo >> 3; b++) {
    const bits = <usize>load<u8>(mask + b);
    if (bits == 0) continue;
    store<usize>(rows, gramTables + (((<usize>b) << 8) + bits) * rowBytes);
    rows += sizeof<usize>();
  }
  for (let chunk: usize = 0; chunk < rowBytes; chunk += 64) {
    let a = f64x2.splat(0);
    let b = a;
    let c = a;
    let d = a;
    for (let r = addresses; r < rows; r += sizeof<usize>()) {
      const at = load<usize>(r) + chunk;
      a = f64x2.add(a, v128.load(at));
      b = f64x2.add(b, v128.load(at, 16));
      c = f64x2.add(c, v128.load(at, 32));
      d = f64x2.add(d, v128.load(at, 48));
    }
    v128.store(out + chunk, a);
    v128.store(out + chunk, b, 16);
    v128.store(out + chunk, c, 32);
    v128.store(out + chunk, d, 48);
  }
}

/** Returns the sum of both lanes. */
function across(v: v128): f64 {
  return f64x2.extract_lane(v, 0) + f64x2.extract_lane(v, 1);
}

function projectFour(values: usize, column: i32, out: usize): void {
  const stride = (<usize>paddedTimes) << 3;
  const first = (<usize>windowFrom) << 3;
  let x0 = designByColumn + <usize>column * stride + first;
  values += first;
  let a0 = f64x2.splat(0);
  let a1 = a0;
  let a2 = a0;
  let a3 = a0;
  let b0 = a0;
  let b1 = a0;
  let b2 = a0;
  let b3 = a0;
  for (const end = values + ((<usize>(windowTo - windowFrom)) << 3); values < end; values += 32, x0 += 32) {
    const y = v128.load(values);
    const z = v128.load(values, 16);
    const x1 = x0 + stride;
    const x2 = x1 + stride;
    const x3 = x2 + stride;
    a0 = f64x2.add(a0, f64x2.mul(y, v128.load(x0)));
    a1 = f64x2.add(a1, f64x2.mul(y, v128.load(x1)));
    a2 = f64x2.add(a2, f64x2.mul(y, v128.load(x2)));
    a3 = f64x2.add(a3, f64x2.mul(y, v128.load(x3)));
    b0 = f64x2.add(b0, f64x2.mul(z, v128.load(x0, 16)));
    b1 = f64x2.add(b1, f64x2.mul(z, v128.load(x1, 16)));
    b2 = f64x2.add(b2, f64x2.mul(z, v128.load(x2, 16)));
    b3 = f64x2.add(b3, f64x2.mul(z, v128.load(x3, 16)));
  }
  const at = out + ((<usize>column) << 3);
  store<f64>(at, across(f64x2.add(a0, b0)));
  store<f64>(at, across(f64x2.add(a1, b1)), 8);
  store<f64>(at, across(f64x2.add(a2, b2)), 16);
  store<f64>(at, across(f64x2.add(a3, b3)), 24);
}

function projectTwo(values: usize, column: i32, out: usize): void {
  const stride = (<usize>paddedTimes) << 3;
  const first = (<usize>windowFrom) << 3;
  let x0 = designByColumn + <usize>column * stride + first;
  values += first;
  let a0 = f64x2.splat(0);
  let a1 = a0;
  let b0 = a0;
  let b1 = a0;
  for (const end = values + ((<usize>(windowTo - windowFrom)) << 3); values < end; values += 32, x0 += 32) {
    const y = v128.load(values);
    const z = v128.load(values, 16);
    const x1 = x0 + stride;
    a0 = f64x2.add(a0, f64x2.mul(y, v128.load(x0)));
    a1 = f64x2.add(a1, f64x2.mul(y, v128.load(x1)));
    b0 = f64x2.add(b0, f64x2.mul(z, v128.load(x0, 16)));
    b1 = f64x2.add(b1, f64x2.mul(z, v128.load(x1, 16)));
  }
  const at = out + ((<usize>column) << 3);
  store<f64>(at, across(f64x2.add(a0, b0)));
  store<f64>(at, across(f64x2.add(a1, b1)), 8);
}

function squares(values: usize): f64 {
  let a = f64x2.splat(0);
  let b = a;
  values += (<usize>windowFrom) << 3;
  for (const end = values + ((<usize>(windowTo - windowFrom)) << 3); values < end; values += 32) {
    const y = v128.load(values);
    const z = v128.load(values, 16);
    a = f64x2.add(a, f64x2.mul(y, y));
    b = f64x2.add(b, f64x2.mul(z, z));
  }
  return across(f64x2.add(a, b));
}

/**
 * Updates X'X and X'y of a pixel after a change of one byte of its mask of kept scenes. This is cheaper than summing
 * again, because a round of rejection changes few scenes. Returns the change of y'y.
 * @param byte index of the byte in the mask
 * @param before the byte before the change
 * @param after the byte after the change
 */
export function exchange(pixel: i32, byte: i32, before: i32, after: i32): f64 {
  const rowBytes = (<usize>triangle) << 3;
  const table = gramTables + ((<usize>byte) << 8) * rowBytes;
  const old = table + <usize>before * rowBytes;
  const now = table + <usize>after * rowBytes;
  const gram = gramOf(pixel);
  for (let i: usize = 0; i < rowBytes; i += 16) {
    const change = f64x2.sub(v128.load(now + i), v128.load(old + i));
    v128.store(gram + i, f64x2.add(v128.load(gram + i), change));
  }
  const values = seriesOf(pixel) + ((<usize>byte) << 6);
  const projection = projectionOf(pixel);
  const row = (<usize>paddedColumns) << 3;
  let gained: f64 = 0;
  for (let moved = before ^ after; moved != 0; moved &= moved - 1) {
    const bit = ctz(moved);
    const y = load<f64>(values + ((<usize>bit) << 3));
    const signed = ((after >> bit) & 1) != 0 ? y : -y;
    const x = designByRow + <usize>((byte << 3) + bit) * row;
    const factor = f64x2.splat(signed);
    for (let c: usize = 0; c < row; c += 16) {
      const sum = f64x2.add(v128.load(projection + c), f64x2.mul(factor, v128.load(x + c)));
      v128.store(projection + c, sum);
    }
    gained += signed * y;
  }
  return gained;
}
