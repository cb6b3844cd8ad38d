import type { SampleType } from '../app/series/cube-store.ts';
import { INT16_MISSING, SAMPLE_BYTES } from './sample-layout.ts';

/** Output array of a read, and the positions in it of the scenes of one file. */
export interface Scatter {
  /** Missing samples become NaN; of an int16 cube, an array of int16 takes the samples as they are stored. */
  readonly out: Float32Array | Float64Array | Int16Array;
  /** Number of scenes per pixel in `out`. */
  readonly times: number;
  /**
   * For each scene of the file: its index among the values of a pixel in `out`; -1 for a superseded scene, which is
   * skipped.
   */
  readonly slots: Int32Array;
}

/**
 * Writes pixels `[from, to)` of a shuffled strip into the output array.
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
  if (out instanceof Int16Array) {
    for (let p = from; p < to; p++) {
      const target = (outPixel + p - from) * times;
      for (let t = 0; t < count; t++, at++) {
        const slot = slots[t]!;
        if (slot >= 0) out[target + slot] = (strip[at + plane]! << 8) | strip[at]!;
      }
    }
    return;
  }
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
 * Writes the samples of some scenes into the output array.
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
  if (out instanceof Int16Array) copySamples(used.map(int16sOf), firstPixel, pixels, scatter, outPixel);
  else if (type === 'int16') scatterInts(used.map(int16sOf), firstPixel, pixels, scatter, outPixel);
  else if (type === 'float32') copySamples(used.map(float32sOf), firstPixel, pixels, scatter, outPixel);
  else copySamples(used.map(float64sOf), firstPixel, pixels, scatter, outPixel);
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

function copySamples(
  scenes: readonly (Float32Array | Float64Array | Int16Array)[],
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
