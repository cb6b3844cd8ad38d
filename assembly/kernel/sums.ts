// Updates the moving sums and the cumulative sums of a batch of pixels. The window of each pixel begins at a different
// scene, so a sample of its series and a row of the design are loaded for each pixel separately. Everything else is
// vectorised, four pixels at a time. Most of these loads miss the cache. They are issued early, between other work, so
// that many of them run at the same time.
import { INT16 } from './decode';
import { GROUP, groupAt, histories, movings, oldests, precisions, seens, sums } from './state';
import { clip, growth, movingSquared, sumSquared, windowShare } from './statistics';
import { batch, BATCH, columns } from './workspace';

const MOSUM: i32 = 16;
const CUSUM: i32 = 32;
const REFIT_DUE: i32 = 64;

/**
 * Size of a plane in the scratch of the batch [bytes]: 4 bytes per pixel. The planes are: residuals (f32), flags,
 * samples that leave the moving window (f32), addresses of the design rows of these samples, and addresses of these
 * samples. The last plane is later overwritten with the scenes at which the moving windows then begin.
 */
const PLANE: usize = (<usize>BATCH) << 2;
export const FLAGS: usize = PLANE;
const LEAVING: usize = 2 * PLANE;
const ROWS: usize = 3 * PLANE;
const NEXT: usize = 4 * PLANE;

/**
 * Adds the residuals of the batch to the sums of its pixels and sets the flags of these sums. `fetchGroup` must have
 * been called for each group of the batch.
 * @param first first pixel of the batch, a multiple of 16
 */
export function takeIntoSums(
  first: i32,
  count: i32,
  scene: i32,
  kind: i32,
  missing: i32,
  designRows: usize,
  logs: usize,
): void {
  let at = batch;
  for (let p = 0; p < count; p += GROUP) {
    const group = groupAt(first + p);
    for (let lane: usize = 0; lane < <usize>GROUP; lane++, at += 4) {
      const oldest = <i32>load<u16>(group + oldests + (lane << 1));
      store<usize>(at + ROWS, designRows + ((<usize>oldest) << 5));
      if (kind == INT16) leaveInt16(at, oldest, scene, <i16>missing);
      else leaveFloat32(at, oldest, scene);
    }
  }
  for (let p = 0; p < count; p += GROUP) {
    const group = groupAt(first + p);
    for (let lane: usize = 0; lane < <usize>GROUP; lane += 4) {
      step(group, lane, logs, batch + ((<usize>p + lane) << 2));
    }
  }
}

/**
 * Records the addresses of the samples that leave the moving windows of a group, and prefetches these samples. Nothing
 * waits for the loads, so they complete while the EWMA of the next group is computed. The flags of the group must be
 * known. For a pixel that was not observed an address in the scratch is used, because a branch would be mispredicted
 * too often.
 * @param slot offset of the group in a plane of the batch [bytes]
 * @param rows address of the series of the group's first pixel
 * @param shift base-2 logarithm of the size of a sample [bytes]
 */
export function fetchGroup(group: usize, slot: usize, rows: usize, rowBytes: usize, shift: usize): void {
  let sum = 0;
  let at = batch + slot;
  for (let lane: usize = 0; lane < <usize>GROUP; lane++, at += 4, rows += rowBytes) {
    const oldest = <usize>load<u16>(group + oldests + (lane << 1));
    const isObserved = -(load<usize>(at + FLAGS) & 1);
    const sample = batch + ((rows + (oldest << shift) - batch) & isObserved);
    store<usize>(at + NEXT, sample);
    sum += <i32>load<u8>(sample);
  }
  store<i32>(batch + LEAVING + slot, sum); // the compiler would remove loads whose result is not used
}

/** Records the sample that leaves the moving window, and the next observed scene, at which the window then begins. */
function leaveInt16(at: usize, oldest: i32, scene: i32, missing: i16): void {
  let sample = load<usize>(at + NEXT);
  const samples = v128.load(sample);
  store<f32>(at + LEAVING, <f32>i16x8.extract_lane_s(samples, 0));
  const observed = i16x8.bitmask(i16x8.ne(samples, i16x8.splat(missing))) >> 1;
  let next = oldest + 1 + ctz(observed);
  if (observed == 0) {
    next = oldest + 8;
    for (sample += 16; next < scene && load<i16>(sample) == missing; sample += 2) next += 1;
  }
  store<i32>(at + NEXT, min(next, scene));
}

function leaveFloat32(at: usize, oldest: i32, scene: i32): void {
  let sample = load<usize>(at + NEXT);
  const samples = v128.load(sample);
  store<f32>(at + LEAVING, f32x4.extract_lane(samples, 0));
  const observed = i32x4.bitmask(f32x4.eq(samples, samples)) >> 1;
  let next = oldest + 1 + ctz(observed);
  if (observed == 0) {
    next = oldest + 4;
    for (sample += 16; next < scene && isNaN(load<f32>(sample)); sample += 4) next += 1;
  }
  store<i32>(at + NEXT, min(next, scene));
}

/** Looks up the logarithms of four whole numbers. */
function logsOf(numbers: v128, logs: usize): v128 {
  let out = v128.load_splat<f32>(logs + ((<usize>i32x4.extract_lane(numbers, 0)) << 2));
  out = v128.load_lane<f32>(logs + ((<usize>i32x4.extract_lane(numbers, 1)) << 2), out, 1);
  out = v128.load_lane<f32>(logs + ((<usize>i32x4.extract_lane(numbers, 2)) << 2), out, 2);
  return v128.load_lane<f32>(logs + ((<usize>i32x4.extract_lane(numbers, 3)) << 2), out, 3);
}

/** Computes the clipped residuals of the samples that leave the moving window [standard deviations]. */
function leavingResiduals(float: usize, at: usize): v128 {
  let residual = v128.load(at + LEAVING);
  const a = load<usize>(at + ROWS);
  const b = load<usize>(at + ROWS, 4);
  const c = load<usize>(at + ROWS, 8);
  const d = load<usize>(at + ROWS, 12);
  for (let i: usize = 0; i < (<usize>columns) << 2; i += 4) {
    let x = v128.load_splat<f32>(a + i);
    x = v128.load_lane<f32>(b + i, x, 1);
    x = v128.load_lane<f32>(c + i, x, 2);
    x = v128.load_lane<f32>(d + i, x, 3);
    residual = f32x4.sub(residual, f32x4.mul(v128.load(float + (i << 4)), x));
  }
  const bound = f32x4.splat(clip);
  const z = f32x4.mul(residual, v128.load(float + precisions));
  return f32x4.pmin(f32x4.pmax(z, f32x4.neg(bound)), bound);
}

/** Stores four 16-bit numbers. */
function storeShorts(at: usize, numbers: v128): void {
  v128.store_lane<i64>(at, i16x8.narrow_i32x4_u(numbers, numbers), 0);
}

/** Updates the sums and flags of four pixels. */
function step(group: usize, lane: usize, logs: usize, at: usize): void {
  const float = group + (lane << 2);
  const short = group + (lane << 1);
  const flags = v128.load(at + FLAGS);
  const active = i32x4.ne(flags, i32x4.splat(0));
  const history = v128.load_ext<u16>(short + histories);
  const seen = i32x4.sub(v128.load_ext<u16>(short + seens), active); // adds 1 where active: `active` is -1 there
  storeShorts(short + seens, seen);
  const h = f32x4.convert_i32x4_s(history);
  const n = f32x4.convert_i32x4_s(seen);
  const z = v128.load(at);
  const sum = f32x4.add(v128.load(float + sums), v128.and(z, active));
  v128.store(float + sums, sum);
  // Tests |sum / sqrt h| > sqrt(x (x - 1) (a^2 + ln(x / (x - 1)))) with x = n / h, without a division or square root.
  const since = i32x4.sub(seen, history);
  const logSeen = logsOf(seen, logs);
  const bend = f32x4.add(f32x4.splat(sumSquared), f32x4.sub(logSeen, logsOf(since, logs)));
  const sumBound = f32x4.mul(f32x4.mul(n, f32x4.convert_i32x4_s(since)), bend);
  const isFar = f32x4.gt(f32x4.mul(f32x4.mul(sum, sum), h), sumBound);
  const isDue = f32x4.ge(n, f32x4.mul(f32x4.splat(growth), h));

  const oldest = v128.load_ext<u16>(short + oldests);
  const hasWindow = f32x4.ge(f32x4.mul(f32x4.splat(<f32>windowShare), h), f32x4.splat(1));
  const moves = v128.and(active, hasWindow);
  const change = v128.and(f32x4.sub(z, leavingResiduals(float, at)), moves);
  const moving = f32x4.add(v128.load(float + movings), change);
  v128.store(float + movings, moving);
  storeShorts(short + oldests, v128.bitselect(v128.load(at + NEXT), oldest, moves));
  // Tests |moving / sqrt h| > critical sqrt(2 max(1, ln(n / h))) in the same way.
  const growthLog = f32x4.max(f32x4.splat(1), f32x4.sub(logSeen, logsOf(history, logs)));
  const movingBound = f32x4.mul(f32x4.mul(f32x4.splat(2 * movingSquared), growthLog), h);
  const isMoved = v128.and(f32x4.gt(f32x4.mul(moving, moving), movingBound), hasWindow);

  const more = v128.or(
    v128.or(v128.and(isFar, i32x4.splat(CUSUM)), v128.and(isDue, i32x4.splat(REFIT_DUE))),
    v128.and(isMoved, i32x4.splat(MOSUM)),
  );
  v128.store(at + FLAGS, v128.or(flags, v128.and(more, active)));
}
