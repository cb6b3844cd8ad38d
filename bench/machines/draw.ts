/** Makes a generator of uniform numbers in [0, 1) that depends on its keys only (xorshift32, Marsaglia 2003). */
export function draw(...keys: readonly number[]): () => number {
  let state = 0x9e3779b9;
  for (const key of keys) {
    state = Math.imul(state ^ (key + 0x7f4a7c15), 0x85ebca6b);
    state = Math.imul(state ^ (state >>> 13), 0xc2b2ae35);
    state ^= state >>> 16;
  }
  state ||= 1;
  return () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) / 4_294_967_296;
  };
}
