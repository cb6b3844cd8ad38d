import { DAY_MS } from '../../base/time.ts';
import { ALERT_FIGURES } from './alert-figures.ts';

/** Name of the method, for the provenance of results. */
export const ALERT_METHOD = 'alert-ewma';

/** The constants of a model of alert products. */
export interface AlertParameters {
  /** Weight of the newest observation in the moving average of the loss of cover [1]. */
  readonly weight: number;
  /** Log-odds of a loss = intercept + slope * ln(1 + moving average of the loss [% of the pixel]). */
  readonly intercept: number;
  readonly slope: number;
  /** Probability of a loss from which a departure is suspected; below it, the departure ends. */
  readonly suspectedFrom: number;
  /** Probability of a loss from which a suspected departure is confirmed. */
  readonly confirmedFrom: number;
  /**
   * Minimum number of consecutive anomalies for a confirmation. An anomaly is an observation whose loss is at least
   * the moving average from which a departure is suspected.
   */
  readonly confirmAnomalies: number;
  /** Time from the first anomaly up to which a confirmed departure can recover [ms]. */
  readonly recoverableMs: number;
}

/** The constants of the shipped model. */
export const ALERT_PARAMETERS: AlertParameters = {
  ...ALERT_FIGURES,
  // One observation is never enough: a cloud that no mask catches looks like a total loss (our choice).
  confirmAnomalies: 2,
  // The provider compares an observation with the lowest cover within 15 days of the same day in the three years
  // before. From this time on the loss itself is among these years, so the anomaly ends although the cover is not back.
  recoverableMs: (365 - 15) * DAY_MS,
};

/**
 * Moving average of the loss of cover after one more observation [%].
 * @param loss loss of cover of the observation [%]
 */
export function updateMeanLoss(meanLoss: number, loss: number, { weight } = ALERT_PARAMETERS): number {
  return meanLoss + weight * (loss - meanLoss);
}

/** Probability that vegetation is being lost, by the moving average of the loss of cover [%]. */
export function lossProbability(meanLoss: number, { intercept, slope } = ALERT_PARAMETERS): number {
  return 1 / (1 + Math.exp(-intercept - slope * Math.log1p(meanLoss)));
}

/** Moving average of the loss of cover [%] at which the probability of a loss has a given value. */
export function meanLossAt(probability: number, { intercept, slope } = ALERT_PARAMETERS): number {
  return Math.expm1((Math.log(probability / (1 - probability)) - intercept) / slope);
}
