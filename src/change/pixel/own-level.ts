import { PARAMETERS } from '../parameters.ts';
import type { StateStream } from '../state/state-stream.ts';
import { partOfYear, YEAR_PARTS } from './departure-season.ts';

/**
 * Whether a pixel has come back to the level that it had in the same season before its departure. Each part of the year
 * counts as it was last seen: like pixels may change too, so they do not tell what the pixel was.
 */
export class OwnLevel {
  /** Size of the departure when it was plain [noise floors]. */
  drop = 0;
  /** Bit masks of the parts of the year that were seen since then, and of those that were low when last seen. */
  #seen = 0;
  #low = 0;
  /** Bit mask of the parts of the year that were low at any time since then. */
  #everLow = 0;

  begin(drop: number): void {
    this.drop = Math.fround(drop);
    this.#seen = 0;
    this.#low = 0;
    this.#everLow = 0;
  }

  /** Records an observation. @param size how much it departs from the usual level of its season [noise floors] */
  saw(timeMs: number, size: number): void {
    const part = partOfYear(timeMs);
    this.#seen |= 1 << part;
    if (size > PARAMETERS.returnedShare * this.drop) this.#low |= 1 << part;
    else this.#low &= ~around(part);
    this.#everLow |= this.#low;
  }

  /** Whether few parts of the year are low, or most of those that were low are not any more. Meaningful after a year. */
  get isBack(): boolean {
    const seen = bitCount(this.#seen);
    if (seen < PARAMETERS.seasonParts) return false;
    const low = bitCount(this.#low);
    const isMostlyBack = low <= (1 - PARAMETERS.returnedSeason) * bitCount(this.#everLow);
    return isMostlyBack || low * YEAR_PARTS < PARAMETERS.seasonParts * seen;
  }

  /** Writes or reads the saved fields, always in the same order. */
  fields(stream: StateStream): void {
    this.drop = stream.single(this.drop);
    this.#seen = stream.natural(this.#seen);
    this.#low = stream.natural(this.#low);
    this.#everLow = stream.natural(this.#everLow);
  }
}

/** Bit mask of a part of the year and the parts before and after it: clouds hide some parts. */
function around(part: number): number {
  return (1 << part) | (1 << ((part + 1) % YEAR_PARTS)) | (1 << ((part + YEAR_PARTS - 1) % YEAR_PARTS));
}

function bitCount(bits: number): number {
  let count = 0;
  for (let rest = bits; rest !== 0; rest &= rest - 1) count += 1;
  return count;
}
