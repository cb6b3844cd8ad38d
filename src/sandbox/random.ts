/**
 * Pseudo-random numbers that depend only on their keys. Any part of the sandbox can be made alone and in any order,
 * with the same result.
 */

/** Hash of integers in 32 bits (finalizer of MurmurHash3 after each, public domain). */
export function hash(seed: number, a = 0, b = 0, c = 0): number {
  return hashOn(seedState(seed), a, b, c);
}

/** State of a hash after its seed, computed once for many hashes with the same seed. */
export function seedState(seed: number): number {
  return stir(0x9e3779b9, seed);
}

/** `hash` continued from a `seedState`. */
export function hashOn(state: number, a: number, b = 0, c = 0): number {
  return stir(stir(stir(state, a), b), c) >>> 0;
}

function stir(state: number, key: number): number {
  let h = state ^ key;
  h = Math.imul(h ^ (h >>> 16), 0x85ebca6b);
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35);
  return h ^ (h >>> 16);
}

const TWO_32 = 0x1_0000_0000; // number of hashes

/** Uniform in [0, 1). */
export function uniform(seed: number, a = 0, b = 0, c = 0): number {
  return hash(seed, a, b, c) / TWO_32;
}

const BYTES_SIGMA = Math.sqrt((4 * (256 * 256 - 1)) / 12); // of the sum of four uniform bytes

/** Nearly standard normal: the sum of four uniform bytes, within 3.5 sigma. */
export function normal(seed: number, a = 0, b = 0, c = 0): number {
  return bitsToNormal(hash(seed, a, b, c));
}

/** Like `normal`, from 32 hashed bits. Multiplying one hash by several odd numbers gives several cheap draws. */
export function bitsToNormal(h: number): number {
  return byteSumNormal(byteSum(h));
}

/** Number of different sums of four bytes. */
export const BYTE_SUMS = 4 * 255 + 1;

/** Sum of the four bytes of 32 bits. */
export function byteSum(h: number): number {
  const pairs = (h & 0xff00ff) + ((h >>> 8) & 0xff00ff);
  return (pairs & 0xffff) + (pairs >>> 16);
}

/** Value of `bitsToNormal` for bits with a given byte sum. */
export function byteSumNormal(sum: number): number {
  return (sum - (BYTE_SUMS - 1) / 2) / BYTES_SIGMA;
}

/**
 * A field of fractal noise over a raster in about [-1, 1], row-major. Each octave has half the size and half the
 * strength of the one before.
 * @param size pixels across the largest feature
 * @param step pixels between two points of the field
 */
export function fractalField(
  seed: number,
  width: number,
  height: number,
  size: number,
  octaves: number,
  step = 1,
): Float64Array {
  const field = new Float64Array(width * height);
  let [weight, total, scale] = [1, 0, 1];
  for (let octave = 0; octave < octaves; octave++) {
    const place = (at: number): number => ((at * step) / size) * scale;
    addSmoothNoise(field, width, seed + 7919 * octave, weight, place);
    total += weight;
    weight /= 2;
    scale *= 2;
  }
  for (let i = 0; i < field.length; i++) field[i]! /= total;
  return field;
}

/** Like `fractalField`, in 32 bits. */
export function noiseField(
  seed: number,
  width: number,
  height: number,
  size: number,
  octaves: number,
): Float32Array {
  return new Float32Array(fractalField(seed, width, height, size, octaves));
}

/** Adds smooth noise in [-1, 1] with features of size 1: random values at integer points, interpolated smoothly. */
function addSmoothNoise(
  field: Float64Array,
  width: number,
  seed: number,
  weight: number,
  place: (at: number) => number,
): void {
  const lefts = Int32Array.from({ length: width }, (_, col) => Math.floor(place(col)));
  const eases = Float64Array.from(lefts, (left, col) => ease(place(col) - left));
  const state = seedState(seed);
  const across = lefts[width - 1]! + 2;
  const valuesAt = (top: number): Float64Array =>
    Float64Array.from({ length: across }, (_, left) => hashOn(state, left, top) / TWO_32);
  let [top, north, south] = [0, valuesAt(0), valuesAt(1)];
  for (let row = 0; row * width < field.length; row++) {
    const y = place(row);
    while (top < Math.floor(y)) [top, north, south] = [top + 1, south, valuesAt(top + 2)];
    const fy = ease(y - top);
    for (let col = 0; col < width; col++) {
      const left = lefts[col]!;
      const fx = eases[col]!;
      const upper = north[left]! + (north[left + 1]! - north[left]!) * fx;
      const lower = south[left]! + (south[left + 1]! - south[left]!) * fx;
      field[row * width + col]! += weight * (2 * (upper + (lower - upper) * fy) - 1);
    }
  }
}

function ease(t: number): number {
  return t * t * (3 - 2 * t);
}
