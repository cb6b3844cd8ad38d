import type { BankComparison, BankTables } from '../../src/change/kernel/bank-kernel.ts';

/** `nearestMember` of src/change/kernel/bank-kernel.ts, one member after another. */
export function plainNearestMember(
  { pixels, values, knownSince, firsts }: BankTables,
  now: number,
  scenes: ArrayLike<number>,
  own: ArrayLike<number>,
  count: number,
  { quickScenes, likeClip, minLikeShared }: BankComparison,
): number {
  const members = pixels.length;
  const step = Math.ceil(count / quickScenes);
  let [least, found] = [Number.POSITIVE_INFINITY, -1];
  for (let b = 0; b < members; b++) {
    let [sum, shared] = [0, 0];
    for (let i = count - 1; i >= 0; i -= step) {
      const at = scenes[i]! * members + b;
      if (knownSince[at]! > now || firsts[now * members + b]! > scenes[i]!) continue;
      sum += Math.min(likeClip, Math.abs(own[i]! - values[at]!));
      shared += 1;
    }
    if (shared < minLikeShared || sum / shared >= least) continue;
    least = sum / shared;
    found = b;
  }
  return found;
}
