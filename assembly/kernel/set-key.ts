// Keys of sets of scenes, so that a cache compares one number before it compares whole masks.
import { maskBytes } from './workspace';

/** An odd number whose bits look random: 2^64 divided by the golden ratio. */
const MIXER: i64 = 0x9e3779b97f4a7c15;

/** Returns a number that depends on a mask and on the fitted columns. Reads up to seven bytes past the mask. */
export function keyOf(mask: usize, columnBits: i32): i64 {
  let key = (<i64>columnBits + 1) * MIXER;
  const whole = maskBytes & ~7;
  for (let b: usize = 0; b < whole; b += 8) key = (rotl<i64>(key, 23) ^ load<i64>(mask + b)) * MIXER;
  const rest = maskBytes & 7;
  if (rest == 0) return key;
  const bits = load<i64>(mask + whole) & (((<i64>1) << ((<i64>rest) << 3)) - 1);
  return (rotl<i64>(key, 23) ^ bits) * MIXER;
}

/** Returns the position of a key in a list of `count` keys, at or after `from`; -1 if it is not there. */
export function positionOf(key: i64, keys: usize, from: i32, count: i32): i32 {
  for (let i = from; i < count; i++) if (load<i64>(keys + ((<usize>i) << 3)) == key) return i;
  return -1;
}
