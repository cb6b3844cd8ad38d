/**
 * Numbers that look drawn at random and depend on nothing but their keys: any part of the sandbox can be made alone, in
 * any order, and comes out the same.
 */

/** Mixes whole numbers into one of 32 bits (finalizer of MurmurHash3 after each, public domain). */
export function hash(seed: number, a = 0, b = 0, c = 0): number {
  return stir(stir(stir(stir(0x9e3779b9, seed), a), b), c) >>> 0;
}

function stir(state: number, key: number): number {
  let h = state ^ key;
  h = Math.imul(h ^ (h >>> 16), 0x85ebca6b);
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35);
  return h ^ (h >>> 16);
}

/** Uniform in [0, 1). */
export function uniform(seed: number, a = 0, b = 0, c = 0): number {
  return hash(seed, a, b, c) / 0x1_0000_0000;
}

const BYTES_SIGMA = Math.sqrt((4 * (256 * 256 - 1)) / 12); // of the sum of four uniform bytes

/** Near enough to standard normal: the sum of four uniform bytes, within 3.5 sigma. */
export function normal(seed: number, a = 0, b = 0, c = 0): number {
  return bitsToNormal(hash(seed, a, b, c));
}

/** As `normal`, from 32 mixed bits: several cheap draws of one hash are made by multiplying it with odd numbers. */
export function bitsToNormal(h: number): number {
  return ((h & 255) + ((h >>> 8) & 255) + ((h >>> 16) & 255) + ((h >>> 24) & 255) - 510) / BYTES_SIGMA;
}

/** Smooth noise in [-1, 1] with features of size 1: values at whole places, joined smoothly. */
function smoothNoise(seed: number, x: number, y: number): number {
  const left = Math.floor(x);
  const top = Math.floor(y);
  const fx = ease(x - left);
  const fy = ease(y - top);
  const northWest = uniform(seed, left, top);
  const southWest = uniform(seed, left, top + 1);
  const upper = northWest + (uniform(seed, left + 1, top) - northWest) * fx;
  const lower = southWest + (uniform(seed, left + 1, top + 1) - southWest) * fx;
  return 2 * (upper + (lower - upper) * fy) - 1;
}

function ease(t: number): number {
  return t * t * (3 - 2 * t);
}

/** Noise of several scales in about [-1, 1]: each octave half as large and half as strong as the one before. */
export function fractalNoise(seed: number, x: number, y: number, octaves: number): number {
  let [sum, weight, total, scale] = [0, 1, 0, 1];
  for (let octave = 0; octave < octaves; octave++) {
    sum += weight * smoothNoise(seed + 7919 * octave, x * scale, y * scale);
    total += weight;
    weight /= 2;
    scale *= 2;
  }
  return sum / total;
}

/** A field of fractal noise over a raster, row-major. @param size pixels across the largest feature */
export function noiseField(
  seed: number,
  width: number,
  height: number,
  size: number,
  octaves: number,
): Float32Array {
  const field = new Float32Array(width * height);
  for (let row = 0; row < height; row++) {
    for (let col = 0; col < width; col++) {
      field[row * width + col] = fractalNoise(seed, col / size, row / size, octaves);
    }
  }
  return field;
}
