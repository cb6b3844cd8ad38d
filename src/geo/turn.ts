/** Bound on the relative rounding error of a difference of products: (3 + 16 u) u, u = 2^-53 (Shewchuk 1997, 4.3). */
const ERROR_BOUND = 3.3306690738754716e-16;
/** 2^27 + 1: splits a double into two halves of 26 bits (Dekker 1971). */
const SPLITTER = 134217729;

const expansion = new Float64Array(12);
let terms = 0;

function addTerm(value: number): void {
  let carry = value;
  for (let i = 0; i < terms; i++) {
    const old = expansion[i]!;
    const sum = carry + old;
    const virtual = sum - carry;
    expansion[i] = carry - (sum - virtual) + (old - virtual);
    carry = sum;
  }
  expansion[terms++] = carry;
}

function addProduct(a: number, b: number): void {
  const product = a * b;
  const bigA = SPLITTER * a;
  const highA = bigA - (bigA - a);
  const lowA = a - highA;
  const bigB = SPLITTER * b;
  const highB = bigB - (bigB - b);
  const lowB = b - highB;
  addTerm(lowA * lowB - (product - highA * highB - lowA * highB - highA * lowB));
  addTerm(product);
}

function exactTurn(ax: number, ay: number, bx: number, by: number, cx: number, cy: number): number {
  terms = 0;
  addProduct(ax, by);
  addProduct(-ay, bx);
  addProduct(bx, cy);
  addProduct(-by, cx);
  addProduct(cx, ay);
  addProduct(-cy, ax);
  for (let i = terms - 1; i >= 0; i--) if (expansion[i] !== 0) return Math.sign(expansion[i]!);
  return 0;
}

/**
 * Direction in which the path a -> b -> c turns: 1 left, -1 right, 0 straight on or straight back.
 * Exact for finite doubles that do not overflow or underflow. There is no tolerance: touching and crossing are never
 * confused.
 * @see https://doi.org/10.1007/PL00009321 Shewchuk 1997, adaptive orientation test
 */
export function turn(ax: number, ay: number, bx: number, by: number, cx: number, cy: number): number {
  const left = (ax - cx) * (by - cy);
  const right = (ay - cy) * (bx - cx);
  const difference = left - right;
  if (Math.abs(difference) > ERROR_BOUND * (Math.abs(left) + Math.abs(right))) return Math.sign(difference);
  return exactTurn(ax, ay, bx, by, cx, cy);
}
