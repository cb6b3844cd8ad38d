// A cache of normal matrices and their factors for pixels that are fitted one at a time. Matrix and factors depend
// only on which scenes are kept, not on the observed values, so a later pixel with the same kept scenes reuses them.
// rotations.ts caches rotations in the same way.
import { copyBytes } from './bytes';
import { sumGram } from './normal-equations';
import { again } from './rotations';
import { keyOf, positionOf } from './set-key';
import { chosenBits, factorisePair } from './solve';
import {
  factor,
  FACTOR_BYTES,
  factoredKeys,
  FACTORED_SETS,
  factoredSet,
  gramOf,
  maskBytes,
  triangle,
} from './workspace';

/**
 * Size of the header of a cached set [bytes]: the fitted columns as bits (i32) and the result of `factorisePair`
 * (i32). The mask, the matrix and the factors follow.
 */
const HEAD: usize = 8;

/** Number of sets that are used while sets are seldom needed again. */
const FEW_SETS: i32 = 8;
/** Index of the cached set that is replaced next. */
let oldest: i32 = 0;

/**
 * Writes X'X over the scenes of a mask to the matrix of the strip's first pixel, and its factors to the scratch.
 * @returns 3 (the bits of both lanes) if the system is regular, else 0
 */
export function factoriseAlone(mask: usize): i32 {
  const gramBytes = (<usize>triangle) << 3;
  const gram = gramOf(0);
  const key = keyOf(mask, chosenBits);
  for (let i = 0; (i = positionOf(key, factoredKeys, i, FACTORED_SETS)) >= 0; i++) {
    const set = factoredSet(i);
    if (load<i32>(set) != chosenBits || memory.compare(set + HEAD, mask, maskBytes) != 0) continue;
    const at = set + HEAD + maskBytes;
    copyBytes(gram, at, gramBytes);
    memory.copy(factor, at + gramBytes, FACTOR_BYTES);
    return load<i32>(set, 4);
  }
  sumGram(mask, gram);
  const regular = factorisePair(0, 0);
  const set = factoredSet(oldest);
  store<i64>(factoredKeys + ((<usize>oldest) << 3), key);
  oldest = oldest + 1 >= (again > 0 ? FACTORED_SETS : FEW_SETS) ? 0 : oldest + 1;
  store<i32>(set, chosenBits);
  store<i32>(set, regular, 4);
  copyBytes(set + HEAD, mask, maskBytes);
  const at = set + HEAD + maskBytes;
  copyBytes(at, gram, gramBytes);
  memory.copy(at + gramBytes, factor, FACTOR_BYTES);
  return regular;
}
