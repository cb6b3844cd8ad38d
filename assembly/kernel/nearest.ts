// Chooses the member of a bank of like pixels that resembles a pixel most. test/oracles/nearest-member.ts is the
// same in TypeScript. Both choose the same member: a first pass in single precision leaves only members whose mean may
// be the smallest, and a second pass compares these in double precision.

/** Members that are compared together. The rows of a bank are padded to a multiple of it. */
const TOGETHER: i32 = 8;

/**
 * Four times the largest relative rounding error of single precision. A mean in single precision has four kinds of
 * error: of the own value, of the difference, of each addition and of the division.
 */
const ROUNDING: f64 = 2.4e-7;

/**
 * Returns the first of the members with the smallest mean difference from a series; -1 if none shares `least` scenes.
 * @param values values of the members, `[scene][stride]` f32
 * @param knownSince scene since which a value is known to be history, `[scene][stride]` i32
 * @param firsts first scene that counts, `[stride]` i32; of a member that is only padding, beyond all scenes
 * @param stride members in a row, a multiple of `TOGETHER`
 * @param scenes compared scenes, i32, descending
 * @param own values of the series in these scenes, f64
 * @param count number of compared scenes
 * @param now scene at which a value has to be known
 * @param clip largest difference that counts
 * @param least fewest shared scenes, 1 or more
 * @param means room for one f32 per member and one per compared scene
 */
export function nearest(
  values: usize,
  knownSince: usize,
  firsts: usize,
  stride: i32,
  scenes: usize,
  own: usize,
  count: i32,
  now: i32,
  clip: f64,
  least: i32,
  means: usize,
): i32 {
  const most = f32x4.splat(<f32>clip);
  const latest = i32x4.splat(load<i32>(scenes));
  const singles = means + ((<usize>stride) << 2);
  let largest: f64 = 0;
  for (let i = 0; i < count; i++) {
    const value = load<f64>(own + ((<usize>i) << 3));
    store<f32>(singles + ((<usize>i) << 2), <f32>value);
    largest = max(largest, abs(value));
  }
  let lowest = f32x4.splat(Infinity);
  for (let b = 0; b < stride; b += TOGETHER) {
    const at = (<usize>b) << 2;
    const firstA = v128.load(firsts + at);
    const firstB = v128.load(firsts + at, 16);
    let meanA = f32x4.splat(Infinity);
    let meanB = meanA;
    if (v128.any_true(v128.or(i32x4.le_s(firstA, latest), i32x4.le_s(firstB, latest)))) {
      let sumA = f32x4.splat(0);
      let sumB = sumA;
      let missedA = i32x4.splat(0);
      let missedB = missedA;
      for (let i = 0; i < count; i++) {
        const scene = load<i32>(scenes + ((<usize>i) << 2));
        const row = at + ((<usize>(scene * stride)) << 2);
        const lateA = lateOf(knownSince + row, now, firstA, scene);
        const lateB = lateOf(knownSince + row + 16, now, firstB, scene);
        const value = v128.load_splat<f32>(singles + ((<usize>i) << 2));
        const apartA = f32x4.abs(f32x4.sub(value, v128.load(values + row)));
        const apartB = f32x4.abs(f32x4.sub(value, v128.load(values + row, 16)));
        sumA = f32x4.add(sumA, v128.andnot(f32x4.pmin(most, apartA), lateA));
        sumB = f32x4.add(sumB, v128.andnot(f32x4.pmin(most, apartB), lateB));
        missedA = i32x4.add(missedA, lateA);
        missedB = i32x4.add(missedB, lateB);
      }
      meanA = meanOf(sumA, i32x4.add(i32x4.splat(count), missedA), least);
      meanB = meanOf(sumB, i32x4.add(i32x4.splat(count), missedB), least);
    }
    v128.store(means + at, meanA);
    v128.store(means + at, meanB, 16);
    lowest = f32x4.pmin(lowest, f32x4.pmin(meanA, meanB));
  }
  const smallest = min(
    min(f32x4.extract_lane(lowest, 0), f32x4.extract_lane(lowest, 1)),
    min(f32x4.extract_lane(lowest, 2), f32x4.extract_lane(lowest, 3)),
  );
  if (smallest == Infinity) return -1;
  const error = ROUNDING * (largest + <f64>(count + 4) * clip);
  return firstOfBest(
    values,
    knownSince,
    firsts,
    stride,
    scenes,
    own,
    count,
    now,
    clip,
    means,
    <f32>(<f64>smallest + error),
  );
}

/** All ones in the lanes of the members whose value in a scene does not count. */
function lateOf(known: usize, now: i32, first: v128, scene: i32): v128 {
  return v128.or(i32x4.gt_s(v128.load(known), i32x4.splat(now)), i32x4.gt_s(first, i32x4.splat(scene)));
}

/** Means of four members; infinite for those that share too few scenes. */
function meanOf(sum: v128, shared: v128, least: i32): v128 {
  const enough = i32x4.ge_s(shared, i32x4.splat(least));
  return v128.bitselect(f32x4.div(sum, f32x4.convert_i32x4_s(shared)), f32x4.splat(Infinity), enough);
}

/** Returns the first member with the smallest mean in double precision, of those whose `means` are up to `limit`. */
function firstOfBest(
  values: usize,
  knownSince: usize,
  firsts: usize,
  stride: i32,
  scenes: usize,
  own: usize,
  count: i32,
  now: i32,
  clip: f64,
  means: usize,
  limit: f32,
): i32 {
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
