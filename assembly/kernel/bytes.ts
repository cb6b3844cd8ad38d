// Copies and zeros of a few bytes. `memory.copy` and `memory.fill` are calls out of the kernel, which take longer.

/** Copies bytes to another place that does not overlap. */
export function copyBytes(to: usize, from: usize, bytes: usize): void {
  const end = from + bytes;
  for (; from + 16 <= end; from += 16, to += 16) v128.store(to, v128.load(from));
  if (from + 8 <= end) {
    store<i64>(to, load<i64>(from));
    from += 8;
    to += 8;
  }
  for (; from < end; from++, to++) store<u8>(to, load<u8>(from));
}

/** Sets bytes to 0. */
export function clearBytes(at: usize, bytes: usize): void {
  const end = at + bytes;
  for (; at + 16 <= end; at += 16) v128.store(at, i64x2.splat(0));
  if (at + 8 <= end) {
    store<i64>(at, 0);
    at += 8;
  }
  for (; at < end; at++) store<u8>(at, 0);
}
