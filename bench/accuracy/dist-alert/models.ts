import { lossProbability, updateMeanLoss } from '../../../src/change/alert/alert-model.ts';
import { AVERAGES, type Candidate, fitted, LEARNT, probabilities } from './candidates.ts';
import { statusForecasts, statusFrequencies, type Forecasts } from './evaluation.ts';
import { FROZEN } from './frozen-models.ts';
import { ALERT_FIGURES } from '../../../src/change/alert/alert-figures.ts';
import type { Halves } from './halves.ts';
import type { DistPixel } from './sample.ts';

/** The learnt model with more features that did best on the half that the models are fitted to. */
const CHALLENGER: Candidate = LEARNT.find(({ name }) => name === FROZEN.learnt.name)!;
/** The plain moving average that is shipped, as a candidate that can be fitted again. */
const AVERAGE: Candidate = AVERAGES.find(({ weight }) => weight === ALERT_FIGURES.weight)!;

/** Probabilities of loss of the models that are compared, for the judged observations of each pixel. */
export interface Compared {
  /** The moving average. */
  readonly average: Forecasts;
  /** The learnt model with more features. */
  readonly learnt: Forecasts;
  /** Frequency of loss by the status of DIST-ALERT. */
  readonly status: Forecasts;
}

/** Probabilities of the frozen models. Those of the moving average are computed as the service computes them. */
export function frozenForecasts(pixels: readonly DistPixel[]): Compared {
  const frequencies = new Map(Object.entries(FROZEN.statuses).map(([status, p]) => [Number(status), p]));
  return {
    average: pixels.map(shippedProbabilities),
    learnt: probabilities(CHALLENGER, FROZEN.learnt.coefficients, pixels),
    status: statusForecasts(pixels, frequencies),
  };
}

function shippedProbabilities({ observations, judgedFrom }: DistPixel): Float64Array {
  let meanLoss = 0;
  return Float64Array.from(observations, ({ vegAnom }) => {
    if (!Number.isNaN(vegAnom)) meanLoss = updateMeanLoss(meanLoss, vegAnom);
    return lossProbability(meanLoss);
  }).subarray(judgedFrom);
}

/** Probabilities for one half by models that are fitted to the other. */
export function refittedForecasts({ fit, report }: Halves): Compared {
  const forecasts = (candidate: Candidate): Forecasts =>
    probabilities(candidate, fitted(candidate, fit), report);
  return {
    average: forecasts(AVERAGE),
    learnt: forecasts(CHALLENGER),
    status: statusForecasts(report, statusFrequencies(fit)),
  };
}
