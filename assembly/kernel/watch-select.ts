// Medians and high quantiles of f64 that are not sorted. A median near the one before is found by passes that count the
// values up to a guess, which take less time than sorting all values.
import { sorted } from './workspace';

/** Maximum number of candidates for the median that are sorted. If there are more, another counting pass follows. */
const FEW: i32 = 8;
/** Difference between the rank of the median and the rank that a guess between two others aims at. */
const ASIDE: f64 = 3;
/** Maximum number of counting passes. The remaining values are then sorted: counting cannot separate equal values. */
const PASSES: i32 = 24;

/** Writes NaN after the `count` values of a list, up to a multiple of four values. Returns where they end. */
export function padList(list: usize, count: i32): usize {
  const end = list + ((<usize>count) << 3);
  v128.store(end, f64x2.splat(NaN));
  v128.store(end, f64x2.splat(NaN), 16);
  return list + ((<usize>((count + 3) & ~3)) << 3);
}

/** Counts the values of a padded list that are at most `limit`. */
function countUpTo(list: usize, end: usize, limit: f64): i32 {
  const bound = f64x2.splat(limit);
  let a = i64x2.splat(0);
  let b = a;
  for (let at = list; at < end; at += 32) {
    a = i64x2.sub(a, f64x2.le(v128.load(at), bound));
    b = i64x2.sub(b, f64x2.le(v128.load(at, 16), bound));
  }
  const sum = i64x2.add(a, b);
  return <i32>(i64x2.extract_lane(sum, 0) + i64x2.extract_lane(sum, 1));
}

/** Sorts the values of a list in (low, high] into `sorted`, equal ones in their order. */
function sortBetween(list: usize, count: i32, low: f64, high: f64): void {
  let inside: usize = 0;
  for (const end = list + ((<usize>count) << 3); list < end; list += 8) {
    const value = load<f64>(list);
    store<f64>(sorted + (inside << 3), value);
    inside += <usize>(value > low) & <usize>(value <= high);
  }
  const end = sorted + (inside << 3);
  for (let at = sorted + 8; at < end; at += 8) {
    const value = load<f64>(at);
    let slot = at;
    for (; slot > sorted && load<f64>(slot - 8) > value; slot -= 8) store<f64>(slot, load<f64>(slot - 8));
    store<f64>(slot, value);
  }
}

/** Mean of the largest value up to a limit and of the smallest value above it. */
function meanAround(list: usize, end: usize, limit: f64): f64 {
  const bound = f64x2.splat(limit);
  let most = f64x2.splat(-Infinity);
  let least = f64x2.splat(Infinity);
  for (let at = list; at < end; at += 16) {
    const pair = v128.load(at);
    most = v128.bitselect(f64x2.pmax(most, pair), most, f64x2.le(pair, bound));
    least = v128.bitselect(f64x2.pmin(least, pair), least, f64x2.gt(pair, bound));
  }
  const lower = max(f64x2.extract_lane(most, 0), f64x2.extract_lane(most, 1));
  const upper = min(f64x2.extract_lane(least, 0), f64x2.extract_lane(least, 1));
  return (lower + upper) / 2;
}

/**
 * Median of a padded list of `count` numbers, one or more.
 * @param end where the padding ends; see `padList`
 * @param guess first guess of the median; if it is NaN, all values are sorted
 * @param width distance of the second guess from the first, above 0
 */
export function medianOfList(list: usize, end: usize, count: i32, guess: f64, width: f64): f64 {
  const lower = (count - 1) >> 1;
  const upper = count >> 1;
  // Both middle values are in (low, high]; `below` and `upTo` are the counts of values up to low and high.
  let low: f64 = -Infinity;
  let high: f64 = Infinity;
  let below = 0;
  let upTo = count;
  for (let pass = 0; pass < PASSES && upTo - below > FEW && guess > low && guess < high; pass++) {
    const counted = countUpTo(list, end, guess);
    let target = <f64>lower + 0.5;
    if (counted > upper) {
      high = guess;
      upTo = counted;
      target -= ASIDE;
    } else if (counted <= lower) {
      low = guess;
      below = counted;
      target += ASIDE;
    } else return meanAround(list, end, guess);
    if (high == Infinity) guess = low + width;
    else if (low == -Infinity) guess = high - width;
    else guess = low + (high - low) * min(max((target - <f64>below) / <f64>(upTo - below), 0.1), 0.9);
    width *= 2;
  }
  sortBetween(list, count, low, high);
  const first = load<f64>(sorted + ((<usize>(lower - below)) << 3));
  if (lower == upper) return first;
  return (first + load<f64>(sorted + ((<usize>(upper - below)) << 3))) / 2;
}

/**
 * Adds a value to the largest values of a list, which are sorted, equal ones in their order.
 * @param count number of values that were added before
 * @param most number of largest values that are kept
 */
export function addToLargest(largest: usize, count: i32, most: i32, value: f64): void {
  let slot = largest;
  if (count < most) {
    for (slot += (<usize>count) << 3; slot > largest && load<f64>(slot - 8) > value; slot -= 8)
      store<f64>(slot, load<f64>(slot - 8));
  } else {
    if (value < load<f64>(slot)) return;
    const last = largest + ((<usize>(most - 1)) << 3);
    for (; slot < last && load<f64>(slot, 8) <= value; slot += 8) store<f64>(slot, load<f64>(slot, 8));
  }
  store<f64>(slot, value);
}
