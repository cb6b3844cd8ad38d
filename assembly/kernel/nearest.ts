// Chooses the member of a bank of like pixels that resembles a pixel most. test/oracles/nearest-member.ts is the
// same in TypeScript. Both compute the same bits.

/** Members that are compared together. The rows of a bank are padded to a multiple of it. */
const TOGETHER: i32 = 4;

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
): i32 {
  const most = f64x2.splat(clip);
  const known = i32x4.splat(now);
  let smallest: f64 = Infinity;
  let found = -1;
  for (let b = 0; b < stride; b += TOGETHER) {
    const at = (<usize>b) << 2;
    const first = v128.load(firsts + at);
    if (!v128.any_true(i32x4.le_s(first, i32x4.splat(load<i32>(scenes))))) continue;
    let low = f64x2.splat(0);
    let high = low;
    let shared = i32x4.splat(0);
    for (let i = 0; i < count; i++) {
      const scene = load<i32>(scenes + ((<usize>i) << 2));
      const row = at + ((<usize>(scene * stride)) << 2);
      const counts = v128.and(
        i32x4.le_s(v128.load(knownSince + row), known),
        i32x4.le_s(first, i32x4.splat(scene)),
      );
      const value = f64x2.splat(load<f64>(own + ((<usize>i) << 3)));
      const theirs = v128.load(values + row);
      const upper = v128.shuffle<i32>(theirs, theirs, 2, 3, 2, 3);
      const a = f64x2.min(most, f64x2.abs(f64x2.sub(value, f64x2.promote_low_f32x4(theirs))));
      const c = f64x2.min(most, f64x2.abs(f64x2.sub(value, f64x2.promote_low_f32x4(upper))));
      low = f64x2.add(low, v128.and(a, i64x2.extend_low_i32x4_s(counts)));
      high = f64x2.add(high, v128.and(c, i64x2.extend_high_i32x4_s(counts)));
      shared = i32x4.sub(shared, counts);
    }
    const means = f64x2.div(low, f64x2.convert_low_i32x4_s(shared));
    const others = f64x2.div(high, f64x2.convert_low_i32x4_s(v128.shuffle<i32>(shared, shared, 2, 3, 2, 3)));
    const enough = i32x4.bitmask(i32x4.ge_s(shared, i32x4.splat(least)));
    if ((enough & 1) != 0 && f64x2.extract_lane(means, 0) < smallest) {
      smallest = f64x2.extract_lane(means, 0);
      found = b;
    }
    if ((enough & 2) != 0 && f64x2.extract_lane(means, 1) < smallest) {
      smallest = f64x2.extract_lane(means, 1);
      found = b + 1;
    }
    if ((enough & 4) != 0 && f64x2.extract_lane(others, 0) < smallest) {
      smallest = f64x2.extract_lane(others, 0);
      found = b + 2;
    }
    if ((enough & 8) != 0 && f64x2.extract_lane(others, 1) < smallest) {
      smallest = f64x2.extract_lane(others, 1);
      found = b + 3;
    }
  }
  return found;
}
