// Chooses the member of a bank of like pixels that resembles a pixel most. test/oracles/nearest-member.ts is the
// same in TypeScript. Both choose the same member: a first pass over values in whole steps leaves only members whose
// mean may be the smallest, and a second pass compares these in double precision.

/** Members that are compared together. The rows of a bank are padded to a multiple of it. */
const TOGETHER: i32 = 16;

/** A bank in memory; src/change/kernel/bank-kernel.ts writes it, and says what its steps are. */
@unmanaged
export class Bank {
  /** Value of step 0, and steps in a unit of the metric. */
  base: f64;
  perUnit: f64;
  /** Largest step that differs from the own value, and steps by which a mean in steps is wrong at most. */
  lastStep: f64;
  error: f64;
  /** Largest difference that counts [metric unit], and the same in whole steps. */
  clip: f64;
  clipSteps: i32;
  /** Members in a row, a multiple of `TOGETHER`. */
  stride: i32;
  /** Values of the members, `[scene][stride]` f32, and the same in steps, u16. */
  values: usize;
  steps: usize;
  /** Scene since which a value is known to be history, `[scene][stride]` i32, and the same as i16. */
  knownSince: usize;
  knownShort: usize;
  /** First scene that counts, by scene at which it has to be known, `[scene][stride]` i32; for padding beyond all. */
  firsts: usize;
  /** Room for a mean of each member, f32, and for two i32 of each compared scene. */
  means: usize;
}

/**
 * Returns the first of the members with the smallest mean difference from a series; -1 if none shares `least` scenes.
 * @param scenes compared scenes, i32, descending; no more than the bank was made for
 * @param own values of the series in these scenes, f64
 * @param count number of compared scenes
 * @param now scene at which a value has to be known
 * @param least fewest shared scenes, 1 or more
 */
export function nearest(bank: Bank, scenes: usize, own: usize, count: i32, now: i32, least: i32): i32 {
  const stride = bank.stride;
  const firsts = bank.firsts + ((<usize>(now * stride)) << 2);
  const latest = i16x8.splat(<i16>load<i32>(scenes));
  const compared = bank.means + ((<usize>stride) << 2);
  for (let i = 0; i < count; i++) {
    const step = floor((load<f64>(own + ((<usize>i) << 3)) - bank.base) * bank.perUnit + 0.5);
    const at = compared + ((<usize>i) << 3);
    store<i32>(at, <i32>max(0, min(bank.lastStep, step)));
    store<i32>(at, (load<i32>(scenes + ((<usize>i) << 2)) * stride) << 1, 4);
  }
  const most = i16x8.splat(<i16>bank.clipSteps);
  const nowShort = i16x8.splat(<i16>now);
  let lowest = f32x4.splat(Infinity);
  for (let b = 0; b < stride; b += TOGETHER) {
    const to = bank.means + ((<usize>b) << 2);
    const from = firsts + ((<usize>b) << 2);
    const firstA = i16x8.narrow_i32x4_s(v128.load(from), v128.load(from, 16));
    const firstB = i16x8.narrow_i32x4_s(v128.load(from, 32), v128.load(from, 48));
    let sumA = i16x8.splat(0);
    let sumB = sumA;
    let missedA = sumA;
    let missedB = sumA;
    if (v128.any_true(v128.or(i16x8.le_s(firstA, latest), i16x8.le_s(firstB, latest)))) {
      const steps = bank.steps + ((<usize>b) << 1);
      const known = bank.knownShort + ((<usize>b) << 1);
      for (let i = 0; i < count; i++) {
        const at = compared + ((<usize>i) << 3);
        const row = <usize>load<i32>(at, 4);
        const value = v128.load_splat<u16>(at);
        const scene = v128.load_splat<u16>(scenes + ((<usize>i) << 2));
        const lateA = v128.or(i16x8.gt_s(v128.load(known + row), nowShort), i16x8.gt_s(firstA, scene));
        const lateB = v128.or(i16x8.gt_s(v128.load(known + row, 16), nowShort), i16x8.gt_s(firstB, scene));
        sumA = i16x8.add(sumA, v128.andnot(apart(value, v128.load(steps + row), most), lateA));
        sumB = i16x8.add(sumB, v128.andnot(apart(value, v128.load(steps + row, 16), most), lateB));
        missedA = i16x8.add(missedA, lateA);
        missedB = i16x8.add(missedB, lateB);
      }
    } else {
      missedA = i16x8.splat(<i16>-count);
      missedB = missedA;
    }
    lowest = f32x4.pmin(lowest, storeMeans(to, sumA, i16x8.add(i16x8.splat(<i16>count), missedA), least));
    lowest = f32x4.pmin(
      lowest,
      storeMeans(to + 32, sumB, i16x8.add(i16x8.splat(<i16>count), missedB), least),
    );
  }
  const smallest = min(
    min(f32x4.extract_lane(lowest, 0), f32x4.extract_lane(lowest, 1)),
    min(f32x4.extract_lane(lowest, 2), f32x4.extract_lane(lowest, 3)),
  );
  if (smallest == Infinity) return -1;
  // The means in single precision have rounding errors too.
  const limit = <f32>((<f64>smallest + 2 * bank.error) * 1.000001);
  return firstOfBest(bank, firsts, scenes, own, count, now, limit);
}

/** Absolute differences in steps, at most `most`. */
function apart(a: v128, b: v128, most: v128): v128 {
  return i16x8.min_u(v128.or(i16x8.sub_sat_u(a, b), i16x8.sub_sat_u(b, a)), most);
}

/**
 * Writes the means of eight members, in steps; infinite for those that share too few scenes. Returns the smaller one of
 * each two.
 */
function storeMeans(to: usize, sums: v128, shared: v128, least: i32): v128 {
  const low = meanOf(i32x4.extend_low_i16x8_u(sums), i32x4.extend_low_i16x8_s(shared), least);
  const high = meanOf(i32x4.extend_high_i16x8_u(sums), i32x4.extend_high_i16x8_s(shared), least);
  v128.store(to, low);
  v128.store(to, high, 16);
  return f32x4.pmin(low, high);
}

function meanOf(sum: v128, shared: v128, least: i32): v128 {
  const enough = i32x4.ge_s(shared, i32x4.splat(least));
  const mean = f32x4.div(f32x4.convert_i32x4_s(sum), f32x4.convert_i32x4_s(shared));
  return v128.bitselect(mean, f32x4.splat(Infinity), enough);
}

/** Returns the first member with the smallest mean in double precision, of those whose `means` are up to `limit`. */
function firstOfBest(
  bank: Bank,
  firsts: usize,
  scenes: usize,
  own: usize,
  count: i32,
  now: i32,
  limit: f32,
): i32 {
  const stride = bank.stride;
  const means = bank.means;
  const values = bank.values;
  const knownSince = bank.knownSince;
  const clip = bank.clip;
  let smallest: f64 = Infinity;
  let found = -1;
  for (let b = 0; b < stride; b += 4) {
    let near = f32x4.le(v128.load(means + ((<usize>b) << 2)), f32x4.splat(limit));
    for (let bits = i32x4.bitmask(near); bits != 0; bits &= bits - 1) {
      const member = b + ctz(bits);
      const at = (<usize>member) << 2;
      const first = load<i32>(firsts + at);
      let sum: f64 = 0;
      let shared = 0;
      for (let i = 0; i < count; i++) {
        const scene = load<i32>(scenes + ((<usize>i) << 2));
        const row = at + ((<usize>(scene * stride)) << 2);
        if (load<i32>(knownSince + row) > now || first > scene) continue;
        const apart = abs(load<f64>(own + ((<usize>i) << 3)) - <f64>load<f32>(values + row));
        sum += min(clip, apart);
        shared += 1;
      }
      if (sum / <f64>shared >= smallest) continue;
      smallest = sum / <f64>shared;
      found = member;
    }
  }
  return found;
}
