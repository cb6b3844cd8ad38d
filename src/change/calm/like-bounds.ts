import { PARAMETERS } from '../parameters.ts';
import type { LikeBank } from '../scene/like-bank.ts';
import { NONE } from '../stack.ts';
import type { StateReader } from '../state/state-reader.ts';
import { boundOf } from './residual-bound.ts';

/**
 * Upper bounds of the residuals from like pixels; see `LikeReference` and `LikeComparison`. They are known until other
 * like pixels are chosen or the usual difference from them is measured again.
 */
export class LikeBounds {
  /** Upper bounds of a rise and of a fall at the latest scene [standard deviations]. */
  rise = 0;
  fall = 0;
  /** The same in the unit of the metric. */
  riseSize = 0;
  fallSize = 0;
  readonly #bank: LikeBank;
  readonly #times: number;
  #at = NONE;
  #isOwn = false;
  #chosen = 0;
  #measured = 0;
  #made = NONE;
  #observations = 0;
  #offset = 0;
  #sigma = 0;
  /** The list of like pixels of all new scenes; -1 if there is none. */
  #list = NONE;
  #isSteady = false;
  /** Number of observations of the history. */
  #count = 0;

  constructor(bank: LikeBank, times: number) {
    this.#bank = bank;
    this.#times = times;
  }

  /** Reads what `LikeReference` saved. */
  read(reader: StateReader, pixel: number): void {
    this.#at = reader.scene();
    this.#chosen = reader.natural();
    this.#measured = reader.natural();
    this.#made = reader.scene();
    this.#observations = reader.natural();
    this.#offset = reader.single();
    reader.single(); // high level
    this.#sigma = reader.single();
    this.#isOwn = this.#at !== NONE && this.#bank.pixels[this.#at] === pixel;
  }

  /** Prepares the bounds for the scenes from `since` on. @param count upper bound of the number of observations */
  begin(count: number, since: number): void {
    const { lists, pixels, listMade } = this.#bank;
    this.#count = count;
    this.#isSteady = false;
    if (this.#at === NONE) return;
    const first = lists[since * pixels.length + this.#at]!;
    // A later list is never replaced by an earlier one.
    const last = lists[(this.#times - 1) * pixels.length + this.#at]!;
    this.#list = first;
    this.#isSteady = first === last && (first < 0 || listMade[first] === this.#made);
  }

  /** @param own value that the pixel's own fit expects [metric unit]; NaN where it does not count or is not known */
  look(scene: number, value: number, own: number): void {
    const { median, spread } = this.#bank;
    const count = this.#count;
    this.#count += 1;
    if (
      (!this.#isOwn && count >= PARAMETERS.relistGrowth * this.#chosen) ||
      count >= PARAMETERS.likeRefit * this.#measured
    )
      this.#isSteady = false;
    this.rise = 0;
    this.fall = 0;
    this.riseSize = 0;
    this.fallSize = 0;
    if (!this.#isSteady) {
      this.rise = PARAMETERS.clip;
      this.fall = PARAMETERS.clip;
      this.riseSize = Number.POSITIVE_INFINITY;
      this.fallSize = Number.POSITIVE_INFINITY;
      return;
    }
    if (this.#list < 0 || this.#observations < PARAMETERS.minLikeShared) return;
    const at = this.#list * this.#times + scene;
    const expected = median[at]! + this.#offset;
    const scale = Math.hypot(this.#sigma, spread[at]!);
    if (Number.isNaN(expected) || Number.isNaN(scale)) return;
    const high = own > expected ? own : expected;
    const low = own < expected ? own : expected;
    this.rise = boundOf(value - high, scale);
    this.fall = boundOf(low - value, scale);
    this.riseSize = value - high;
    this.fallSize = low - value;
  }
}
