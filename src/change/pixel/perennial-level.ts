import { select } from '../../numerics/median.ts';
import { PARAMETERS } from '../parameters.ts';
import { NONE } from '../stack.ts';

/** Quantiles of the values of a year that distinguish perennial from seasonal cover. */
const [LOW, HIGH] = [0.25, 0.9];

/** Returns the ranks of the low and the high quantile of `count` values, from 0 for the smallest. */
export function levelRanks(count: number): readonly [low: number, high: number] {
  return [Math.floor(LOW * (count - 1)), Math.floor(HIGH * (count - 1))];
}

/** Whether a pixel keeps most of its level, given the low and the high quantile of its values. */
export function keepsLevel(low: number, high: number): boolean {
  return high > 0 && low >= PARAMETERS.perennialShare * high;
}

/**
 * Tells whether values keep their level in all seasons, without sorting them. It counts the values below a limit and
 * below the same share of it. The counts nearly always decide, because the limit is from the values that were compared
 * last, and neighbouring pixels are alike. Otherwise it selects the quantiles. The answer does not depend on the limit.
 */
export class PerennialLevel {
  readonly #selected: Float64Array;
  /** The limit, above 0, and the share of it that a perennial pixel keeps [unit of the values]; NaN before the first. */
  #limit = Number.NaN;
  #share = Number.NaN;
  /**
   * Counts of the values `[#from, #until)` of the series `#of`: below the share, below the limit, up to the limit and up
   * to 0.
   */
  #of = NONE;
  #from = 0;
  #until = 0;
  #belowShare = 0;
  #belowLimit = 0;
  #upToLimit = 0;
  #upToZero = 0;

  /** @param capacity largest number of values that are compared */
  constructor(capacity: number) {
    this.#selected = new Float64Array(capacity);
  }

  /**
   * Whether the values `[from, until)` keep their level. They must not be NaN. False if there are none.
   * @param of number of the series: values of the same series that were counted before are not counted again
   */
  keeps(values: ArrayLike<number>, from: number, until: number, of: number): boolean {
    if (until <= from) return false;
    const [low, high] = levelRanks(until - from);
    this.#count(values, from, until, of);
    if (this.#upToZero > high) return false;
    // A number of values above a rank means that the value at this rank is one of them.
    const isBelowShare = this.#belowShare > low;
    if (isBelowShare && this.#belowLimit <= high) return false; // low quantile < share <= that share of the high one
    if (!isBelowShare && this.#upToLimit > high) return true; // low quantile >= share >= that share of the high one
    return this.#select(values, from, until - from);
  }

  #count(values: ArrayLike<number>, from: number, until: number, of: number): void {
    const isSame = of === this.#of && from === this.#from && until >= this.#until;
    const limit = this.#limit;
    const share = this.#share;
    let belowShare = isSame ? this.#belowShare : 0;
    let belowLimit = isSame ? this.#belowLimit : 0;
    let upToLimit = isSame ? this.#upToLimit : 0;
    let upToZero = isSame ? this.#upToZero : 0;
    for (let i = isSame ? this.#until : from; i < until; i++) {
      const value = values[i]!;
      // Sums of comparisons avoid unpredictable branches.
      belowShare += Number(value < share);
      belowLimit += Number(value < limit);
      upToLimit += Number(value <= limit);
      upToZero += Number(value <= 0);
    }
    this.#of = of;
    this.#from = from;
    this.#until = until;
    this.#belowShare = belowShare;
    this.#belowLimit = belowLimit;
    this.#upToLimit = upToLimit;
    this.#upToZero = upToZero;
  }

  #select(values: ArrayLike<number>, from: number, count: number): boolean {
    const selected = this.#selected;
    const [low, high] = levelRanks(count);
    for (let i = 0; i < count; i++) selected[i] = values[from + i]!;
    select(selected, count, high);
    select(selected, high, low);
    // With any limit between these two, the counts of the same values would decide.
    const limit = (selected[low]! / PARAMETERS.perennialShare + selected[high]!) / 2;
    this.#limit = limit > 0 ? limit : Number.NaN;
    this.#share = PARAMETERS.perennialShare * this.#limit;
    this.#of = NONE; // the counts were those of another limit
    return keepsLevel(selected[low]!, selected[high]!);
  }
}
