import { constants, zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import type { SampleType } from '../app/series/cube-store.ts';
import { release } from '../base/release.ts';
import { SAMPLE_BYTES } from './sample-layout.ts';

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

/** Frees the memory of a strip that `expandStrip` returned, unless it is a part of the packed bytes. */
export function releaseStrip(strip: Uint8Array): void {
  release(strip, SLACK_BYTES);
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
  release(high, SLACK_BYTES);
  return strip;
}
