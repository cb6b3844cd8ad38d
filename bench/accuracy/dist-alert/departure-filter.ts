import * as evidence from '../../../src/change/pixel/evidence.ts';
import { PARAMETERS } from '../../../src/change/parameters.ts';

/** Lag-one autocorrelation assumed of departures that a maker has smoothed against a history of its own (ours). */
const PRODUCT_RHO = 0.5;

/**
 * Follows a metric whose values are departures already, such as the loss of cover in an alert product: no baseline is
 * fitted, only the monitor's own evidence summed up, observation by observation. One instance follows one pixel.
 */
export class DepartureFilter {
  readonly #scale: number;
  readonly #rho: number;
  #odds = evidence.PRIOR_LOG_ODDS;
  #ewma = 0;

  /**
   * @param scale standard deviation of a departure where nothing happened [metric unit]
   * @param rho lag-one autocorrelation of departures
   */
  constructor(scale: number, rho = PRODUCT_RHO) {
    if (!(scale > 0)) throw new RangeError(`the scale must be above 0, not ${scale}`);
    this.#scale = scale;
    this.#rho = rho;
  }

  /**
   * Log-odds that a departure is under way, after one more value, positive in the direction of the change; the old ones
   * for NaN. The sum over observations tells how sure a departure is, the likelihood ratio of the moving average how
   * much of it is still there. Order them, or calibrate them on labels: odds of a product's values are no frequencies.
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
