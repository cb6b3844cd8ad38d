// Updates the monitoring state with a new scene. A vector contains the EWMA or the run of four pixels, and no branch
// depends on the data of a pixel.
import { INT16 } from './decode';
import { fetchGroup, FLAGS, takeIntoSums } from './sums';
import { ewmas, GROUP, groupAt, precisions, runs } from './state';
import { clip, confirmRun, ewmaLimit, flagRun, outlier, weight } from './statistics';
import { batch, BATCH, columns } from './workspace';

/** Bits of a pixel's flags; the caller uses the same numbers. `sums.ts` defines the other bits. */
const OBSERVED: i32 = 1;
const EWMA: i32 = 2;
const RUN_FLAGS: i32 = 4;
const RUN_CONFIRMS: i32 = 8;

/**
 * Updates the pixels `[first, first + count)` with one scene; `first` is a multiple of 16.
 * @param samples samples of the scene, one per pixel, beginning with the first pixel
 * @param scene index of the scene
 * @param designRows design in f32, `[scene][8]`
 * @param series series of the same pixels, one row of `rowBytes` bytes per pixel; they supply the residuals that leave
 *   the moving windows. 0: only EWMA and run are updated
 * @param logs natural logarithms of all integers below 65,536, f32
 * @param flags receives one byte per pixel
 */
export function updateScene(
  first: i32,
  count: i32,
  samples: usize,
  kind: i32,
  missing: i32,
  scene: i32,
  designRows: usize,
  series: usize,
  rowBytes: usize,
  logs: usize,
  flags: usize,
): void {
  const x = designRows + ((<usize>scene) << 5);
  for (let from = 0; from < count; from += BATCH) {
    const to = min(count, from + BATCH);
    for (let p = from; p < to; p += GROUP) {
      const group = groupAt(first + p);
      const slot = (<usize>(p - from)) << 2;
      if (kind == INT16) updateInt16(group, slot, samples + ((<usize>p) << 1), missing, x);
      else updateFloat32(group, slot, samples + ((<usize>p) << 2), x);
      if (series != 0) fetchGroup(group, slot, series + <usize>p * rowBytes, rowBytes, kind == INT16 ? 1 : 2);
    }
    if (series != 0) takeIntoSums(first + from, to - from, scene, kind, missing, designRows, logs);
    for (let p = from; p < to; p += GROUP) {
      const at = batch + FLAGS + ((<usize>(p - from)) << 2);
      const low = i16x8.narrow_i32x4_s(v128.load(at), v128.load(at, 16));
      const high = i16x8.narrow_i32x4_s(v128.load(at, 32), v128.load(at, 48));
      v128.store(flags + <usize>p, i8x16.narrow_i16x8_s(low, high));
    }
  }
}

function updateInt16(group: usize, slot: usize, at: usize, missing: i32, x: usize): void {
  const nodata = i16x8.splat(<i16>missing);
  for (let half: usize = 0; half < 2; half++) {
    const values = v128.load(at + (half << 4));
    const seen = i16x8.ne(values, nodata);
    const low = f32x4.convert_i32x4_s(i32x4.extend_low_i16x8_s(values));
    const high = f32x4.convert_i32x4_s(i32x4.extend_high_i16x8_s(values));
    step(group, half << 3, slot, low, i32x4.extend_low_i16x8_s(seen), x);
    step(group, (half << 3) + 4, slot, high, i32x4.extend_high_i16x8_s(seen), x);
  }
}

function updateFloat32(group: usize, slot: usize, at: usize, x: usize): void {
  for (let lane: usize = 0; lane < <usize>GROUP; lane += 4) {
    const values = v128.load(at + (lane << 2));
    step(group, lane, slot, values, f32x4.eq(values, values), x);
  }
}

/**
 * Updates EWMA and run of the pixels `[lane, lane + 4)` of a group. Writes their clipped residuals [standard
 * deviations] and their flags to the scratch of the batch.
 * @param slot offset of the group in a plane of the batch [bytes]
 * @param seen all ones in the lanes of observed pixels
 */
function step(group: usize, lane: usize, slot: usize, value: v128, seen: v128, x: usize): void {
  const float = group + (lane << 2);
  const short = group + (lane << 1);
  const at = batch + slot + (lane << 2);
  let residual = value;
  let coefficient = float;
  for (const end = x + ((<usize>columns) << 2); x < end; x += 4, coefficient += 64) {
    residual = f32x4.sub(residual, f32x4.mul(v128.load(coefficient), v128.load_splat<f32>(x)));
  }
  const precision = v128.load(float + precisions);
  const zero = f32x4.splat(0);
  const active = v128.and(seen, f32x4.gt(precision, zero));
  const bound = f32x4.splat(clip);
  const z = f32x4.pmin(f32x4.pmax(f32x4.mul(residual, precision), f32x4.neg(bound)), bound);
  v128.store(at, z);
  const before = v128.load(float + ewmas);
  const moved = f32x4.add(before, f32x4.mul(f32x4.splat(weight), f32x4.sub(z, before)));
  const ewma = v128.bitselect(moved, before, active);
  v128.store(float + ewmas, ewma);
  const runBefore = v128.load_ext<i16>(short + runs);
  const sign = v128.or(i32x4.splat(1), f32x4.lt(z, zero));
  const goesOn = i32x4.gt_s(i32x4.mul(runBefore, sign), zero);
  const isOutlier = f32x4.gt(f32x4.abs(z), f32x4.splat(outlier));
  const runMoved = v128.and(isOutlier, i32x4.add(v128.and(runBefore, goesOn), sign));
  const run = v128.bitselect(runMoved, runBefore, active);
  v128.store_lane<i64>(short + runs, i16x8.narrow_i32x4_s(run, run), 0);
  const length = i32x4.abs(run);
  const ewmaFlag = v128.and(f32x4.gt(f32x4.abs(ewma), f32x4.splat(ewmaLimit)), i32x4.splat(EWMA));
  const flagFlag = v128.and(i32x4.ge_s(length, i32x4.splat(flagRun)), i32x4.splat(RUN_FLAGS));
  const confirmFlag = v128.and(i32x4.ge_s(length, i32x4.splat(confirmRun)), i32x4.splat(RUN_CONFIRMS));
  const flags = v128.or(v128.or(i32x4.splat(OBSERVED), ewmaFlag), v128.or(flagFlag, confirmFlag));
  v128.store(at + FLAGS, v128.and(flags, active));
}
