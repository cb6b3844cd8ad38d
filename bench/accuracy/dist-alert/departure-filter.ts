import * as evidence from '../../../src/change/pixel/evidence.ts';
import { PARAMETERS } from '../../../src/change/parameters.ts';

/**
 * Assumed lag-one autocorrelation of departures that the data provider has already computed against a history (our
 * choice).
 */
const PRODUCT_RHO = 0.5;

/**
 * Monitors one pixel of a metric whose values already are departures, such as the loss of cover in an alert product. It
 * fits no baseline. It only adds up evidence as the monitor does, observation by observation.
 */
export class DepartureFilter {
  readonly #scale: number;
  readonly #rho: number;
  #odds = evidence.PRIOR_LOG_ODDS;
  #ewma = 0;

  /**
   * @param scale standard deviation of departures without a change [metric unit]
   * @param rho lag-one autocorrelation of departures
   */
  constructor(scale: number, rho = PRODUCT_RHO) {
    if (!(scale > 0)) throw new RangeError(`the scale must be above 0, not ${scale}`);
    this.#scale = scale;
    this.#rho = rho;
  }

  /**
   * Adds one departure, positive in the direction of the change, and returns the log-odds that a change is in
   * progress. NaN leaves the log-odds unchanged. The log-odds combine the sum of the evidence so far with the
   * likelihood ratio of the moving average, which shows whether the departure still lasts. They rank pixels; they
   * must be calibrated before they are read as probabilities.
   */
  update(departure: number): number {
    if (!Number.isNaN(departure)) {
      const shift = PARAMETERS.shiftSigmas.harmonic;
      const z = evidence.standardised(departure, this.#scale);
      this.#odds = evidence.updateLogOdds(this.#odds, z, this.#rho, shift);
      this.#ewma = evidence.updateEwma(this.#ewma, z);
    }
    return this.#odds + evidence.logLikelihoodRatio(this.#ewma, PARAMETERS.shiftSigmas.harmonic);
  }
}
