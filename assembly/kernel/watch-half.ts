// Half precision, as src/change/state/half-precision.ts has it.

const OVERFLOW: f64 = 65_520;
const SMALLEST_NORMAL: f64 = 0.00006103515625; // 2^-14
const SUBNORMAL_ROUNDER: f64 = 402_653_184; // 1.5 * 2^52 steps of 2^-24
const EXPONENT: i64 = 0x7ff0_0000_0000_0000;
/** Adding and subtracting a number that is about 2^42 times as large rounds the surplus bits of the mantissa away. */
const SURPLUS: i64 = (42 << 52) + 0x0008_0000_0000_0000;

/** Rounds to the nearest number in half precision; if two are equally near, to the even one. */
export function roundToHalf(value: f64): f64 {
  const size = abs(value);
  if (!(size < OVERFLOW)) return size >= OVERFLOW ? value * Infinity : NaN;
  if (size < SMALLEST_NORMAL) return copysign(size + SUBNORMAL_ROUNDER - SUBNORMAL_ROUNDER, value);
  const rounder = reinterpret<f64>((reinterpret<i64>(value) & EXPONENT) + SURPLUS);
  return value + rounder - rounder;
}
