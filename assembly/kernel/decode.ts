// Decodes the stored samples of a pixel to a series of doubles, 0 where a sample is missing, and to a mask with one
// bit per scene, 1 where the scene was observed.
import { clearBytes, copyBytes } from './bytes';
import { keptOf, maskBytes, observedOf, paddedTimes, seriesOf, windowFrom, windowTo } from './workspace';

/** Sample formats; the caller uses the same numbers. */
export const INT16: i32 = 0;
export const FLOAT32: i32 = 1;
export const FLOAT64: i32 = 2;

/** Returns a mask byte of the scenes `[t, t + 8)`: a bit is 1 if its scene is in `[from, to)`. */
function windowBits(t: i32, from: i32, to: i32): i32 {
  const low = min(max(from - t, 0), 8);
  const high = min(max(to - t, 0), 8);
  return ((1 << high) - 1) & ~((1 << low) - 1);
}

/** Expands a byte to eight 16-bit lanes: all ones where the bit of the lane is set, else 0. */
function lanes(bits: i32): v128 {
  const one = i16x8(1, 2, 4, 8, 16, 32, 64, 128);
  return i16x8.eq(v128.and(i16x8.splat(<i16>bits), one), one);
}

/**
 * Decodes the scenes `[from, to)` of one pixel. Other scenes in the window count as missing. Reads up to 16 bytes past
 * the end of the row.
 * @returns number of observed scenes
 */
export function decode(pixel: i32, row: usize, kind: i32, missing: i32, from: i32, to: i32): i32 {
  const kept = keptOf(pixel);
  const observed = observedOf(pixel);
  let at = seriesOf(pixel) + ((<usize>windowFrom) << 3);
  const maskBytes = <usize>paddedTimes >> 3;
  clearBytes(kept, maskBytes);
  clearBytes(observed, maskBytes);
  const nodata = i16x8.splat(<i16>missing);
  let count = 0;
  for (let t = windowFrom; t < windowTo; t += 8, at += 64) {
    const inside = windowBits(t, from, to);
    let bits = 0;
    if (inside == 0) {
      for (let i: usize = 0; i < 64; i += 16) v128.store(at + i, f64x2.splat(0));
    } else if (kind == INT16) {
      let raw = v128.load(row + ((<usize>t) << 1));
      let seen = i16x8.ne(raw, nodata);
      if (inside != 255) seen = v128.and(seen, lanes(inside));
      bits = i16x8.bitmask(seen);
      raw = v128.and(raw, seen);
      const low = i32x4.extend_low_i16x8_s(raw);
      const high = i32x4.extend_high_i16x8_s(raw);
      v128.store(at, f64x2.convert_low_i32x4_s(low));
      v128.store(at, f64x2.convert_low_i32x4_s(v128.shuffle<i32>(low, low, 2, 3, 2, 3)), 16);
      v128.store(at, f64x2.convert_low_i32x4_s(high), 32);
      v128.store(at, f64x2.convert_low_i32x4_s(v128.shuffle<i32>(high, high, 2, 3, 2, 3)), 48);
    } else if (kind == FLOAT64 && inside == 255) {
      const from64 = row + ((<usize>t) << 3);
      for (let i: usize = 0; i < 4; i++) {
        const raw = v128.load(from64 + (i << 4));
        const seen = f64x2.eq(raw, raw);
        bits |= i64x2.bitmask(seen) << ((<i32>i) << 1);
        v128.store(at + (i << 4), v128.and(raw, seen));
      }
    } else {
      for (let i = 0; i < 8; i++) {
        let value: f64 = 0;
        if (((inside >> i) & 1) != 0) {
          value =
            kind == FLOAT32
              ? <f64>load<f32>(row + ((<usize>(t + i)) << 2))
              : load<f64>(row + ((<usize>(t + i)) << 3));
          if (value == value) bits |= 1 << i;
          else value = 0;
        }
        store<f64>(at + ((<usize>i) << 3), value);
      }
    }
    store<u8>(kept + (t >> 3), <u8>bits);
    store<u8>(observed + (t >> 3), <u8>bits);
    count += popcnt(bits);
  }
  return count;
}

/**
 * Writes listed observations in the window to the series and the masks of the strip's first pixel.
 * @param scenes i32, ascending
 * @param values f64, none of them NaN
 */
export function scatter(scenes: usize, values: usize, count: i32): void {
  const series = seriesOf(0);
  const zero = f64x2.splat(0);
  const end = series + ((<usize>windowTo) << 3);
  for (let at = series + ((<usize>windowFrom) << 3); at < end; at += 16) v128.store(at, zero);
  const kept = keptOf(0);
  const observed = observedOf(0);
  clearBytes(observed, maskBytes);
  for (let i = 0; i < count; i++) {
    const scene = load<i32>(scenes + ((<usize>i) << 2));
    store<f64>(series + ((<usize>scene) << 3), load<f64>(values + ((<usize>i) << 3)));
    const at = observed + (scene >> 3);
    const bit = 1 << (scene & 7);
    store<u8>(at, load<u8>(at) | <u8>bit);
  }
  copyBytes(kept, observed, maskBytes);
}

/** Removes the scenes before `from` from the decoded series. Returns the number of observed scenes that remain. */
export function forget(pixel: i32, from: i32): i32 {
  const kept = keptOf(pixel);
  const observed = observedOf(pixel);
  const values = seriesOf(pixel);
  let count = 0;
  for (let t = windowFrom; t < windowTo; t += 8) {
    const bits = load<u8>(kept + (t >> 3)) & <u8>windowBits(t, from, windowTo);
    store<u8>(kept + (t >> 3), bits);
    store<u8>(observed + (t >> 3), bits);
    count += popcnt(<i32>bits);
  }
  const first = (<usize>windowFrom) << 3;
  const end = (<usize>min(max(from, windowFrom), windowTo)) << 3;
  clearBytes(values + first, end - first);
  return count;
}
