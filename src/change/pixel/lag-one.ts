import { PARAMETERS } from '../parameters.ts';

/** Autocorrelation until it can be estimated, in single precision like saved estimates. */
export const RHO_PRIOR = Math.fround(PARAMETERS.rhoPrior);

/**
 * Lag-one autocorrelation of the departures of a growing history. The sums up to the first departure that was clipped
 * are kept: a later estimate with another limit has the same sums up to there, as long as the limit clips none of these
 * departures. One instance is reused for every pixel of a thread.
 */
export class LagOne {
  /** Number of observations whose sums are kept, and the largest size of their departures. */
  #until = 0;
  #largest = 0;
  /** Latest of these departures, NaN if there is none, and the sums over pairs of consecutive departures. */
  #before = Number.NaN;
  #products = 0;
  #squares = 0;
  #pairs = 0;

  /** Forgets the history. */
  clear(): void {
    this.#until = 0;
    this.#largest = 0;
    this.#before = Number.NaN;
    this.#products = 0;
    this.#squares = 0;
    this.#pairs = 0;
  }

  /**
   * Estimate from the departures in the first `count` scenes of a history, shrunk towards the prior, in single
   * precision. Since the last `clear`, scenes may only have been appended.
   * @param departures by scene; NaN where there is none
   * @param limit size to which departures are clipped
   */
  estimate(departures: ArrayLike<number>, scenes: ArrayLike<number>, count: number, limit: number): number {
    if (this.#largest > limit) this.clear();
    let i = this.#until;
    let before = this.#before;
    let largest = this.#largest;
    let products = this.#products;
    let squares = this.#squares;
    let pairs = this.#pairs;
    for (; i < count; i++) {
      const departure = departures[scenes[i]!]!;
      if (Number.isNaN(departure)) continue;
      if (Math.abs(departure) > limit) break;
      largest = Math.max(largest, Math.abs(departure));
      if (!Number.isNaN(before)) {
        products += before * departure;
        squares += (before * before + departure * departure) / 2;
        pairs += 1;
      }
      before = departure;
    }
    this.#until = i;
    this.#before = before;
    this.#largest = largest;
    this.#products = products;
    this.#squares = squares;
    this.#pairs = pairs;
    for (; i < count; i++) {
      const departure = departures[scenes[i]!]!;
      if (Number.isNaN(departure)) continue;
      const clipped = Math.max(-limit, Math.min(limit, departure));
      if (!Number.isNaN(before)) {
        products += before * clipped;
        squares += (before * before + clipped * clipped) / 2;
        pairs += 1;
      }
      before = clipped;
    }
    const estimate = squares > 0 ? products / squares : 0;
    const prior = PARAMETERS.rhoPriorPairs;
    const rho = (prior * PARAMETERS.rhoPrior + pairs * estimate) / (prior + pairs);
    return Math.fround(Math.max(0, Math.min(PARAMETERS.rhoMax, rho)));
  }
}
