// A cache of normal matrices and their factors. They depend only on which scenes are kept, not on the observed
// values, so the next pixel fitted alone to the same scenes can reuse them, as rotations.ts does with rotations.
import { sumGram } from './normal-equations';
import { chosenBits, factorisePair } from './solve';
import { factor, FACTOR_BYTES, FACTORED_SETS, factoredSet, gramOf, maskBytes, triangle } from './workspace';

/**
 * A cached set begins with its columns as bits (i32) and whether its system is regular (i32), then its mask, matrix
 * and factors.
 */
const HEAD: usize = 8;

/** Cached set to be replaced next. */
let oldest: i32 = 0;

/**
 * Writes X'X of the scenes of a mask to its place for the strip's first pixel, and its factors to the scratch.
 * @returns bits of the lanes whose system is regular: both or none
 */
export function factoriseAlone(mask: usize): i32 {
  const gramBytes = (<usize>triangle) << 3;
  const gram = gramOf(0);
  for (let i = 0; i < FACTORED_SETS; i++) {
    const set = factoredSet(i);
    if (load<i32>(set) != chosenBits || memory.compare(set + HEAD, mask, maskBytes) != 0) continue;
    const at = set + HEAD + maskBytes;
    memory.copy(gram, at, gramBytes);
    memory.copy(factor, at + gramBytes, FACTOR_BYTES);
    return load<i32>(set, 4);
  }
  sumGram(mask, gram);
  const regular = factorisePair(0, 0);
  const set = factoredSet(oldest);
  oldest = oldest + 1 == FACTORED_SETS ? 0 : oldest + 1;
  store<i32>(set, chosenBits);
  store<i32>(set, regular, 4);
  memory.copy(set + HEAD, mask, maskBytes);
  const at = set + HEAD + maskBytes;
  memory.copy(at, gram, gramBytes);
  memory.copy(at + gramBytes, factor, FACTOR_BYTES);
  return regular;
}
