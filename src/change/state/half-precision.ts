// Numbers in half precision (IEEE 754 binary16: 11 significant bits, up to 65,504), which Node 22 does not support.

/**
 * One number as a value and as bits. The upper half of a double is the second word, because all supported platforms
 * are little-endian.
 */
const DOUBLE = new Float64Array(1);
const DOUBLE_WORDS = new Uint32Array(DOUBLE.buffer);
const SINGLE = new Float32Array(1);
const SINGLE_BITS = new Uint32Array(SINGLE.buffer);

const OVERFLOW = 65_520; // from this number on, the nearest half is infinite
const SMALLEST_NORMAL = 2 ** -14;
const SUBNORMAL_STEP = 2 ** -24;
/** Adding and subtracting this rounds a number below 2^50 subnormal steps to a whole number of these steps. */
const SUBNORMAL_ROUNDER = 1.5 * 2 ** 52 * SUBNORMAL_STEP;
const EXPONENT = 0x7ff0_0000; // mask of the exponent in the upper word of a double
const ONE_AND_A_HALF = 0x0008_0000; // mantissa of 1.5 in the upper word of a double
/**
 * Number of mantissa bits that a double has and a half does not. Adding and then subtracting a number that is about
 * 2^42 times as large rounds these bits away.
 */
const SURPLUS_BITS = 42;

/** Built-in half-precision array, if the engine has one. It gives the same results in a quarter of the time. */
const ENGINES_OWN = Reflect.has(globalThis, 'Float16Array') ? new Float16Array(1) : undefined;
const OWN_BITS = ENGINES_OWN && new Uint16Array(ENGINES_OWN.buffer);

/** Rounds to the nearest number in half precision; if two are equally near, to the even one. */
export function half(value: number): number {
  if (ENGINES_OWN === undefined) return roundedToHalf(value);
  ENGINES_OWN[0] = value;
  return ENGINES_OWN[0];
}

/** Rounds to half precision by double arithmetic, for engines without half precision. */
export function roundedToHalf(value: number): number {
  const size = Math.abs(value);
  if (!(size < OVERFLOW)) return size >= OVERFLOW ? value * Number.POSITIVE_INFINITY : Number.NaN;
  if (size < SMALLEST_NORMAL) {
    const rounded = size + SUBNORMAL_ROUNDER - SUBNORMAL_ROUNDER;
    return value < 0 || Object.is(value, -0) ? -rounded : rounded;
  }
  DOUBLE[0] = value;
  DOUBLE_WORDS[1] = (DOUBLE_WORDS[1]! & EXPONENT) + (SURPLUS_BITS << 20) + ONE_AND_A_HALF;
  DOUBLE_WORDS[0] = 0;
  const rounder = DOUBLE[0];
  return value + rounder - rounder;
}

const HALF_INFINITY = 0x7c00;
const HALF_NAN = 0x7e00;

/** Returns the bits of a number in half precision. */
export function halfBits(value: number): number {
  if (ENGINES_OWN === undefined) return bitsOfHalf(roundedToHalf(value));
  ENGINES_OWN[0] = value;
  return Number.isNaN(value) ? HALF_NAN : OWN_BITS![0]!;
}

/** Returns the bits of a number that is rounded to half precision, for engines without it. */
export function bitsOfHalf(rounded: number): number {
  SINGLE[0] = rounded;
  const bits = SINGLE_BITS[0]!;
  const sign = (bits >>> 16) & 0x8000;
  const size = Math.abs(rounded);
  if (!(size < OVERFLOW)) return Number.isNaN(rounded) ? HALF_NAN : sign | HALF_INFINITY;
  if (size < SMALLEST_NORMAL) return sign | (size / SUBNORMAL_STEP);
  // Relative to single precision, the exponent has a bias of 15 instead of 127, and the mantissa has 10 bits instead
  // of 23.
  return sign | (((bits & 0x7fff_ffff) >>> 13) - ((127 - 15) << 10));
}

/** Factor between a half and the single-precision number that has its mantissa and its exponent without the bias. */
const UNBIASED = 2 ** (127 - 15);

/** Returns the number that has the given bits in half precision. A table of all halves would not stay in the cache. */
export function fromHalfBits(bits: number): number {
  const size = bits & 0x7fff;
  if (size > HALF_INFINITY) return Number.NaN;
  if (size === HALF_INFINITY) return bits === size ? Number.POSITIVE_INFINITY : Number.NEGATIVE_INFINITY;
  SINGLE_BITS[0] = ((bits & 0x8000) << 16) | (size << 13);
  return SINGLE[0]! * UNBIASED;
}
