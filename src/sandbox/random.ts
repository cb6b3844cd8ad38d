/**
 * Pseudo-random numbers that depend only on their keys (seed and integers). Any part of the sandbox can be computed
 * separately and in any order, with the same result.
 */

/** Hashes integers to 32 bits (applies the finalizer of MurmurHash3, public domain, after each integer). */
export function hash(seed: number, a = 0, b = 0, c = 0): number {
  return hashOn(seedState(seed), a, b, c);
}

/** State of `hash` after the seed. It can be computed once and used for many hashes with the same seed. */
export function seedState(seed: number): number {
  return stir(0x9e3779b9, seed);
}

/** Computes the same value as `hash`. @param state result of `seedState` for the seed */
export function hashOn(state: number, a: number, b = 0, c = 0): number {
  return stir(stir(stir(state, a), b), c) >>> 0;
}

function stir(state: number, key: number): number {
  let h = state ^ key;
  h = Math.imul(h ^ (h >>> 16), 0x85ebca6b);
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35);
  return h ^ (h >>> 16);
}

const TWO_32 = 0x1_0000_0000; // number of different hashes

/** Draws a uniform number in [0, 1). */
export function uniform(seed: number, a = 0, b = 0, c = 0): number {
  return hash(seed, a, b, c) / TWO_32;
}

const BYTES_SIGMA = Math.sqrt((4 * (256 * 256 - 1)) / 12); // standard deviation of the sum of four uniform bytes

/** Draws a nearly standard normal number, within 3.5 sigma, from the sum of four uniform bytes. */
export function normal(seed: number, a = 0, b = 0, c = 0): number {
  return bitsToNormal(hash(seed, a, b, c));
}

/** Converts a hash to a draw of `normal`. One hash multiplied by several odd numbers gives several cheap draws. */
export function bitsToNormal(h: number): number {
  return byteSumNormal(byteSum(h));
}

/** Number of different values that the sum of four bytes can have. */
export const BYTE_SUMS = 4 * 255 + 1;

/** Sum of the four bytes of a 32-bit integer. */
export function byteSum(h: number): number {
  const pairs = (h & 0xff00ff) + ((h >>> 8) & 0xff00ff);
  return (pairs & 0xffff) + (pairs >>> 16);
}

/** Value of `bitsToNormal` for a hash whose bytes have the given sum. */
export function byteSumNormal(sum: number): number {
  return (sum - (BYTE_SUMS - 1) / 2) / BYTES_SIGMA;
}

/**
 * A raster of fractal noise with values in about [-1, 1], row-major. It is a sum of octaves; each octave has half the
 * feature size and half the amplitude of the one before.
 * @param size pixels across the largest feature
 * @param step number of pixels between two points of the raster
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

/** Like `fractalField`, but in single precision and with one point per pixel. */
export function noiseField(
  seed: number,
  width: number,
  height: number,
  size: number,
  octaves: number,
): Float32Array {
  return new Float32Array(fractalField(seed, width, height, size, octaves));
}

/** Adds noise in [-weight, weight]: random values at integer places, with smooth interpolation between them. */
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
