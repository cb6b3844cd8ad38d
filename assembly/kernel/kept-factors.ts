// Normal matrices and their factors rest on which scenes are kept and on nothing that was observed there: those of the latest
// sets of scenes are kept for the next pixel that is fitted alone to the same ones, as rotations.ts keeps rotations.
import { sumGram } from './normal-equations';
import { chosenBits, factorisePair } from './solve';
import { factor, FACTOR_BYTES, FACTORED_SETS, factoredSet, gramOf, maskBytes, triangle } from './workspace';

/** A set begins with its columns as bits (i32) and whether its system is regular (i32), then its mask, matrix and factors. */
const HEAD: usize = 8;

/** Set that the next new one takes the place of. */
let oldest: i32 = 0;

/**
 * Brings X'X of the scenes of a mask to where the first pixel of the strip has it, and its factors to the scratch.
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
