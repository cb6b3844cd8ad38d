// Computes the exact median by passes that count the values up to a guess. Unlike a sort, these passes are vectorised.
import { sorted, windowFrom, windowTo } from './workspace';

/** Maximum number of candidates for the median that are sorted. If there are more, another counting pass follows. */
const FEW: i32 = 8;
/** Difference between the rank of the median and the rank that a guess aims at. */
const ASIDE: f64 = 3;
/** Maximum number of counting passes. The remaining values are then sorted: counting cannot separate equal values. */
const PASSES: i32 = 24;

/** Counts the values in the window that are at most `limit`. */
export function countUpTo(values: usize, limit: f64): i32 {
  const bound = f64x2.splat(limit);
  let a = i64x2.splat(0);
  let b = a;
  let c = a;
  let d = a;
  values += (<usize>windowFrom) << 3;
  for (const end = values + ((<usize>(windowTo - windowFrom)) << 3); values < end; values += 64) {
    a = i64x2.sub(a, f64x2.le(v128.load(values), bound));
    b = i64x2.sub(b, f64x2.le(v128.load(values, 16), bound));
    c = i64x2.sub(c, f64x2.le(v128.load(values, 32), bound));
    d = i64x2.sub(d, f64x2.le(v128.load(values, 48), bound));
  }
  const sum = i64x2.add(i64x2.add(a, b), i64x2.add(c, d));
  return <i32>(i64x2.extract_lane(sum, 0) + i64x2.extract_lane(sum, 1));
}

/**
 * Returns the median of the `count` numbers in the window. No number may be negative; NaN is ignored.
 * @param guess first guess of the median, above 0
 */
export function medianOf(values: usize, count: i32, guess: f64): f64 {
  const lower = (count - 1) >> 1;
  // The median is in (low, high]; `below` and `upTo` are the counts of values up to low and high.
  let low: f64 = -1;
  let high: f64 = Infinity;
  let below = 0;
  let upTo = count;
  for (let pass = 0; pass < PASSES && upTo - below > FEW && guess > low && guess < high; pass++) {
    const counted = countUpTo(values, guess);
    // After a guess above the median, the next guess aims slightly below the median, and vice versa. If it aimed at
    // the median itself, one end of the bracket might never move.
    let target = <f64>lower + 0.5;
    if (counted > lower) {
      high = guess;
      upTo = counted;
      target -= ASIDE;
    } else {
      low = guess;
      below = counted;
      target += ASIDE;
    }
    const floor = max(low, 0);
    const ceiling = high == Infinity ? 2 * floor : high;
    const share = high == Infinity ? 0.5 : (target - <f64>below) / <f64>(upTo - below);
    guess = floor + (ceiling - floor) * min(max(share, 0.1), 0.9);
  }
  const candidates = sortBetween(values, low, high);
  const first = load<f64>(sorted + ((<usize>(lower - below)) << 3));
  if ((count & 1) == 1) return first;
  if (lower + 1 - below < candidates)
    return (first + load<f64>(sorted + ((<usize>(lower + 1 - below)) << 3))) / 2;
  return (first + leastAbove(values, high)) / 2;
}

/** Returns the largest value in the window, which is not negative; NaN is ignored. */
export function largestOf(values: usize): f64 {
  let a = f64x2.splat(0);
  let b = a;
  let c = a;
  let d = a;
  values += (<usize>windowFrom) << 3;
  for (const end = values + ((<usize>(windowTo - windowFrom)) << 3); values < end; values += 64) {
    a = f64x2.pmax(a, v128.load(values));
    b = f64x2.pmax(b, v128.load(values, 16));
    c = f64x2.pmax(c, v128.load(values, 32));
    d = f64x2.pmax(d, v128.load(values, 48));
  }
  const largest = f64x2.pmax(f64x2.pmax(a, b), f64x2.pmax(c, d));
  return max(f64x2.extract_lane(largest, 0), f64x2.extract_lane(largest, 1));
}

/** Sorts the values in (low, high] into `sorted`. Returns their number. */
function sortBetween(values: usize, low: f64, high: f64): i32 {
  const lows = f64x2.splat(low);
  const highs = f64x2.splat(high);
  let count = 0;
  values += (<usize>windowFrom) << 3;
  for (const end = values + ((<usize>(windowTo - windowFrom)) << 3); values < end; values += 16) {
    const pair = v128.load(values);
    const inside = i64x2.bitmask(v128.and(f64x2.gt(pair, lows), f64x2.le(pair, highs)));
    if (inside == 0) continue;
    if ((inside & 1) != 0) insert(f64x2.extract_lane(pair, 0), count++);
    if ((inside & 2) != 0) insert(f64x2.extract_lane(pair, 1), count++);
  }
  return count;
}

/** Inserts a value into the `count` values that are already sorted. */
function insert(value: f64, count: i32): void {
  let slot = sorted + ((<usize>count) << 3);
  for (; slot > sorted && load<f64>(slot - 8) > value; slot -= 8) store<f64>(slot, load<f64>(slot - 8));
  store<f64>(slot, value);
}

/** Returns the smallest value in the window that is above `bound`. */
function leastAbove(values: usize, bound: f64): f64 {
  const bounds = f64x2.splat(bound);
  const infinite = f64x2.splat(Infinity);
  let least = infinite;
  values += (<usize>windowFrom) << 3;
  for (const end = values + ((<usize>(windowTo - windowFrom)) << 3); values < end; values += 16) {
    const pair = v128.load(values);
    least = f64x2.pmin(least, v128.bitselect(pair, infinite, f64x2.gt(pair, bounds)));
  }
  return min(f64x2.extract_lane(least, 0), f64x2.extract_lane(least, 1));
}
