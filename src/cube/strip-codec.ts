import { constants, zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import type { SampleType } from '../app/series/cube-store.ts';
import { INT16_MISSING, SAMPLE_BYTES } from './sample-layout.ts';

/**
 * Number of pixels in a strip. With half as many, reading a series would take a third less time, but compression would
 * take 50 % longer, since each call of zstd costs 30 us.
 */
export const STRIP_PIXELS = 256;

/**
 * Level 1 of zstd: measured on noisy NDVI, level 3 saves 4 % more bytes and takes twice the time. A window of 2^16
 * bytes covers a whole strip of 128 int16 scenes. A hash table of 2^12 entries is enough for this window; a larger
 * table would take longer to clear at each call.
 */
const COMPRESSION = {
  [constants.ZSTD_c_compressionLevel]: 1,
  [constants.ZSTD_c_windowLog]: 16,
  [constants.ZSTD_c_hashLog]: 12,
};
/** Margin added to the expected size of a zlib buffer [bytes], so that one buffer is enough. */
const SLACK_BYTES = 64;
/**
 * Maximum size of the strips as a multiple of their smallest possible size [1]. Within this limit, as many planes as
 * possible are stored uncompressed, which saves time.
 */
const RAW_PLANE_COST = 1.1;

/**
 * Transposes the samples of several scenes into the bytes of one strip: pixel-major `[pixel][time]`, split into byte
 * planes by significance (all lowest bytes first). In this order neighbouring dates compress well.
 * @param scenes stored bytes of one run of pixels, one array per scene, in order of time
 * @param firstPixel pixel in these arrays at which the strip begins
 */
export function shuffleStrip(
  scenes: readonly Uint8Array[],
  type: SampleType,
  firstPixel: number,
  pixels: number,
): Uint8Array {
  const width = SAMPLE_BYTES[type];
  const count = scenes.length;
  const plane = pixels * count;
  const strip = new Uint8Array(plane * width);
  let t = 0;
  // Handles four scenes at a time, so that four adjacent bytes take one write instead of four.
  if (count % 4 === 0) {
    const words = new Uint32Array(strip.buffer);
    for (; t < count; t += 4) {
      const [a, b, c, d] = [scenes[t]!, scenes[t + 1]!, scenes[t + 2]!, scenes[t + 3]!];
      for (let k = 0; k < width; k++) {
        let to = (k * plane + t) >> 2;
        const start = firstPixel * width + k;
        for (let from = start, end = start + pixels * width; from < end; from += width) {
          words[to] = a[from]! | (b[from]! << 8) | (c[from]! << 16) | (d[from]! << 24);
          to += count >> 2;
        }
      }
    }
    return strip;
  }
  for (; t < count; t++) {
    const scene = scenes[t]!;
    for (let k = 0; k < width; k++) {
      let to = k * plane + t;
      const start = firstPixel * width + k;
      for (let from = start, end = start + pixels * width; from < end; from += width) {
        strip[to] = scene[from]!;
        to += count;
      }
    }
  }
  return strip;
}

/** The inverse of `shuffleStrip` for one scene: writes its stored bytes into `out` at a byte position. */
export function unshuffleScene(
  strip: Uint8Array,
  type: SampleType,
  pixels: number,
  scene: number,
  out: Uint8Array,
  at: number,
): void {
  const width = SAMPLE_BYTES[type];
  const plane = strip.byteLength / width;
  const count = plane / pixels;
  for (let k = 0; k < width; k++) {
    let from = k * plane + scene;
    for (let to = at + k, end = at + pixels * width; to < end; to += width) {
      out[to] = strip[from]!;
      from += count;
    }
  }
}

/**
 * Decides how many planes to store uncompressed, counted from the least significant. The low planes are mostly noise:
 * compressing them takes time and saves almost no space.
 * @param strips some shuffled strips of the cube
 */
export function rawPlanesOf(strips: readonly Uint8Array[], type: SampleType): number {
  const width = SAMPLE_BYTES[type];
  const sizes = Array.from({ length: width }, (_, rawPlanes) =>
    strips.reduce((sum, strip) => sum + compressStrip(strip, type, rawPlanes).byteLength, 0),
  );
  const smallest = Math.min(...sizes);
  return sizes.findLastIndex((size) => size <= smallest * RAW_PLANE_COST);
}

/**
 * Compresses a shuffled strip except for its lowest `rawPlanes` planes. Returns the strip itself if the result would
 * not be smaller.
 */
export function compressStrip(strip: Uint8Array, type: SampleType, rawPlanes: number): Uint8Array {
  const rawBytes = (strip.byteLength / SAMPLE_BYTES[type]) * rawPlanes;
  const high = strip.subarray(rawBytes);
  const packed = zstdCompressSync(high, { params: COMPRESSION, chunkSize: high.byteLength + SLACK_BYTES });
  if (packed.byteLength >= high.byteLength) return strip;
  const whole = new Uint8Array(rawBytes + packed.byteLength);
  whole.set(strip.subarray(0, rawBytes));
  whole.set(packed, rawBytes);
  return whole;
}

/**
 * The inverse of `compressStrip`.
 * @throws RangeError when the result does not have the expected length
 */
export function expandStrip(
  packed: Uint8Array,
  type: SampleType,
  rawPlanes: number,
  stripBytes: number,
): Uint8Array {
  if (packed.byteLength === stripBytes) return packed;
  const rawBytes = (stripBytes / SAMPLE_BYTES[type]) * rawPlanes;
  const highBytes = stripBytes - rawBytes;
  const high = zstdDecompressSync(packed.subarray(rawBytes), {
    chunkSize: highBytes + SLACK_BYTES,
    maxOutputLength: highBytes + SLACK_BYTES,
  });
  if (high.byteLength !== highBytes) {
    throw new RangeError(`a strip of ${highBytes} bytes came out as ${high.byteLength}`);
  }
  if (rawBytes === 0) return high;
  const strip = new Uint8Array(stripBytes);
  strip.set(packed.subarray(0, rawBytes));
  strip.set(high, rawBytes);
  return strip;
}

/** Output array of a read, and the positions in it of the scenes of one file. */
export interface Scatter {
  readonly out: Float32Array | Float64Array;
  /** Number of scenes per pixel in `out`. */
  readonly times: number;
  /**
   * For each scene of the file: its index among the values of a pixel in `out`; -1 for a superseded scene, which is
   * skipped.
   */
  readonly slots: Int32Array;
}

/**
 * Writes pixels `[from, to)` of a shuffled strip into the output array. Missing samples become NaN.
 * @param pixels number of pixels of the whole strip
 * @param outPixel pixel of the output array at which pixel `from` is written
 */
export function scatterStrip(
  strip: Uint8Array,
  type: SampleType,
  pixels: number,
  from: number,
  to: number,
  scatter: Scatter,
  outPixel: number,
): void {
  const { out, times, slots } = scatter;
  if (type === 'int16') return scatterInt16(strip, strip.byteLength / 2, from, to, scatter, outPixel);
  const count = slots.length;
  const plane = pixels * count;
  const width = SAMPLE_BYTES[type];
  const value = new DataView(new ArrayBuffer(8));
  for (let p = from; p < to; p++) {
    const target = (outPixel + p - from) * times;
    const source = p * count;
    for (let t = 0; t < count; t++) {
      const slot = slots[t]!;
      if (slot < 0) continue;
      for (let b = 0, at = source + t; b < width; b++, at += plane) value.setUint8(b, strip[at]!);
      out[target + slot] = type === 'float32' ? value.getFloat32(0, true) : value.getFloat64(0, true);
    }
  }
}

/** Exclusive or with this sorts the bits of int16 samples like their values: it turns the lowest one into 0. */
const INT16_SIGN = 0x8000;

/**
 * The value of each int16 sample, from the lowest on, which is missing. A table has no branch: clouds are random, and a
 * mispredicted branch takes four times as long as the rest of a sample.
 */
const INT16_VALUES = Float32Array.from({ length: 65_536 }, (_, i) =>
  i === 0 ? Number.NaN : i + INT16_MISSING,
);

/** Does the work of `scatterStrip` for int16 samples. The two bytes of a sample are one plane apart. */
function scatterInt16(
  strip: Uint8Array,
  plane: number,
  from: number,
  to: number,
  { out, times, slots }: Scatter,
  outPixel: number,
): void {
  const count = slots.length;
  let at = from * count;
  for (let p = from; p < to; p++) {
    const target = (outPixel + p - from) * times;
    for (let t = 0; t < count; t++, at++) {
      const slot = slots[t]!;
      if (slot < 0) continue;
      out[target + slot] = INT16_VALUES[((strip[at + plane]! << 8) | strip[at]!) ^ INT16_SIGN]!;
    }
  }
}

/** Pixels whose samples of all scenes are written before those of the next: their series stay in the first-level cache. */
const BLOCK_PIXELS = 16;

/**
 * Writes the samples of some scenes into the output array. Missing samples become NaN.
 * @param scenes stored bytes of each scene, aligned to its samples
 * @param slots position of each scene in the series of a pixel; negative: it is left out
 * @param firstPixel first pixel of the bytes that is read
 */
export function scatterScenes(
  scenes: readonly Uint8Array[],
  type: SampleType,
  firstPixel: number,
  pixels: number,
  { out, times, slots }: Scatter,
  outPixel: number,
): void {
  const used = scenes.filter((_, i) => slots[i]! >= 0);
  const at = slots.filter((slot) => slot >= 0);
  const scatter = { out, times, slots: at };
  if (type === 'int16') scatterInts(used.map(int16sOf), firstPixel, pixels, scatter, outPixel);
  else if (type === 'float32') scatterFloats(used.map(float32sOf), firstPixel, pixels, scatter, outPixel);
  else scatterFloats(used.map(float64sOf), firstPixel, pixels, scatter, outPixel);
}

function int16sOf({ buffer, byteOffset, byteLength }: Uint8Array): Int16Array {
  return new Int16Array(buffer, byteOffset, byteLength / 2);
}

function float32sOf({ buffer, byteOffset, byteLength }: Uint8Array): Float32Array {
  return new Float32Array(buffer, byteOffset, byteLength / 4);
}

function float64sOf({ buffer, byteOffset, byteLength }: Uint8Array): Float64Array {
  return new Float64Array(buffer, byteOffset, byteLength / 8);
}

function scatterInts(
  scenes: readonly Int16Array[],
  firstPixel: number,
  pixels: number,
  { out, times, slots }: Scatter,
  outPixel: number,
): void {
  for (let block = 0; block < pixels; block += BLOCK_PIXELS) {
    const end = Math.min(pixels, block + BLOCK_PIXELS);
    for (let i = 0; i < scenes.length; i++) {
      const scene = scenes[i]!;
      let target = (outPixel + block) * times + slots[i]!;
      for (let p = block; p < end; p++, target += times) {
        out[target] = INT16_VALUES[scene[firstPixel + p]! - INT16_MISSING]!;
      }
    }
  }
}

function scatterFloats(
  scenes: readonly (Float32Array | Float64Array)[],
  firstPixel: number,
  pixels: number,
  { out, times, slots }: Scatter,
  outPixel: number,
): void {
  for (let block = 0; block < pixels; block += BLOCK_PIXELS) {
    const end = Math.min(pixels, block + BLOCK_PIXELS);
    for (let i = 0; i < scenes.length; i++) {
      const scene = scenes[i]!;
      let target = (outPixel + block) * times + slots[i]!;
      for (let p = block; p < end; p++, target += times) out[target] = scene[firstPixel + p]!;
    }
  }
}
