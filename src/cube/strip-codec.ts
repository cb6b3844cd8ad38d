import { constants, zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import type { SampleType } from '../app/ports.ts';
import { INT16_MISSING, SAMPLE_BYTES } from './sample-layout.ts';

/** Pixels of one strip; the kernels read strips of this width or a fraction of it. */
export const STRIP_PIXELS = 64;

/**
 * Level 1 of zstd: measured on noisy NDVI, level 3 saves 4 % more bytes and takes twice the time.
 * A window of 2^14 bytes holds a strip of 128 int16 scenes whole and spares the allocation of a larger one.
 */
const COMPRESSION = {
  [constants.ZSTD_c_compressionLevel]: 1,
  [constants.ZSTD_c_windowLog]: 14,
};
/** Room above the expected size of a block, so that zlib needs one buffer [bytes]. */
const SLACK_BYTES = 64;

/**
 * Turns scene-major samples into the bytes of one strip: pixel-major `[pixel][time]`, split into planes by significance
 * (all lowest bytes first), which is what makes neighbouring dates compress.
 * @param scenes stored bytes of one run of pixels, one array a scene, in order of time
 * @param firstPixel where in those arrays the strip begins
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
  for (let t = 0; t < count; t++) {
    const scene = scenes[t]!;
    const start = firstPixel * width;
    for (let b = 0; b < width; b++) {
      // One stride in, one stride out: four times as fast as all bytes of a sample in turn.
      let to = b * plane + t;
      for (let from = start + b, end = start + pixels * width; from < end; from += width) {
        strip[to] = scene[from]!;
        to += count;
      }
    }
  }
  return strip;
}

/** Compresses a shuffled strip; when that gains nothing, the strip itself. */
export function compressStrip(strip: Uint8Array): Uint8Array {
  const packed = zstdCompressSync(strip, {
    params: COMPRESSION,
    chunkSize: strip.byteLength + SLACK_BYTES,
  });
  return packed.byteLength < strip.byteLength ? packed : strip;
}

/**
 * The shuffled strip again.
 * @throws RangeError when the bytes give another length
 */
export function expandStrip(packed: Uint8Array, stripBytes: number): Uint8Array {
  if (packed.byteLength === stripBytes) return packed;
  const strip = zstdDecompressSync(packed, {
    chunkSize: stripBytes + SLACK_BYTES,
    maxOutputLength: stripBytes + SLACK_BYTES,
  });
  if (strip.byteLength !== stripBytes) {
    throw new RangeError(`a strip of ${stripBytes} bytes came out as ${strip.byteLength}`);
  }
  return strip;
}

/** Where the scenes of one file go in the answer. */
export interface Scatter {
  readonly out: Float32Array | Float64Array;
  /** Times of one pixel in `out`. */
  readonly times: number;
  /** Position in `out` of each scene of the file; -1 leaves a superseded scene out. */
  readonly slots: Int32Array;
}

/**
 * Writes pixels `[from, to)` of a shuffled strip into the answer; missing samples become NaN.
 * @param pixels in the whole strip
 * @param outPixel the answer's pixel that `from` is
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
  const count = slots.length;
  const plane = pixels * count;
  const value = new DataView(new ArrayBuffer(8));
  for (let p = from; p < to; p++) {
    const target = (outPixel + p - from) * times;
    const source = p * count;
    for (let t = 0; t < count; t++) {
      const slot = slots[t]!;
      if (slot < 0) continue;
      let at = source + t;
      if (type === 'int16') {
        const raw = ((strip[at + plane]! << 24) >> 16) | strip[at]!;
        out[target + slot] = raw === INT16_MISSING ? Number.NaN : raw;
        continue;
      }
      const width = SAMPLE_BYTES[type];
      for (let b = 0; b < width; b++, at += plane) value.setUint8(b, strip[at]!);
      out[target + slot] = type === 'float32' ? value.getFloat32(0, true) : value.getFloat64(0, true);
    }
  }
}

/**
 * Writes one scene's pixels, as stored bytes, into the answer at one time; missing samples become NaN.
 * @param firstPixel where in `bytes` the run of pixels begins
 */
export function scatterScene(
  bytes: Uint8Array,
  type: SampleType,
  firstPixel: number,
  pixels: number,
  out: Float32Array | Float64Array,
  times: number,
  slot: number,
  outPixel: number,
): void {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let target = outPixel * times + slot;
  for (let p = firstPixel; p < firstPixel + pixels; p++, target += times) {
    if (type === 'int16') {
      const raw = view.getInt16(p * 2, true);
      out[target] = raw === INT16_MISSING ? Number.NaN : raw;
    } else {
      out[target] = type === 'float32' ? view.getFloat32(p * 4, true) : view.getFloat64(p * 8, true);
    }
  }
}
