import { DAY_MS } from '../../base/time.ts';
import { ALERT_FIGURES } from './alert-figures.ts';

/** Name of the method, for the provenance of results. */
export const ALERT_METHOD = 'alert-ewma';

/** The constants of the model of alert products. */
export const ALERT_PARAMETERS = {
  /** Weight of the newest observation in the moving average of the loss of cover [1]. */
  weight: ALERT_FIGURES.weight,
  /** Log-odds of a loss = intercept + slope * ln(1 + moving average of the loss [% of the pixel]). */
  intercept: ALERT_FIGURES.intercept,
  slope: ALERT_FIGURES.slope,
  /** Probability of a loss from which a departure is suspected; below it, the departure ends. */
  suspectedFrom: ALERT_FIGURES.suspectedFrom,
  /** Probability of a loss from which a suspected departure is confirmed. */
  confirmedFrom: ALERT_FIGURES.confirmedFrom,
  /**
   * Time from the first anomaly up to which a confirmed departure can recover [ms]. The provider compares an
   * observation with the lowest cover within 15 days of the same day in the three years before. From this time on the
   * loss itself is among these years, so the anomaly ends although the cover is not back.
   */
  recoverableMs: (365 - 15) * DAY_MS,
} as const;

/**
 * Moving average of the loss of cover after one more observation [%].
 * @param loss loss of cover of the observation [%]
 */
export function updateMeanLoss(meanLoss: number, loss: number): number {
  return meanLoss + ALERT_PARAMETERS.weight * (loss - meanLoss);
}

/** Probability that vegetation is being lost, by the moving average of the loss of cover [%]. */
export function lossProbability(meanLoss: number): number {
  const { intercept, slope } = ALERT_PARAMETERS;
  return 1 / (1 + Math.exp(-intercept - slope * Math.log1p(meanLoss)));
}

/** Moving average of the loss of cover [%] at which the probability of a loss has a given value. */
export function meanLossAt(probability: number): number {
  const { intercept, slope } = ALERT_PARAMETERS;
  return Math.expm1((Math.log(probability / (1 - probability)) - intercept) / slope);
}
