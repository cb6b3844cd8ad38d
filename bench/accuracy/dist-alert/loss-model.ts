import { DepartureFilter } from './departure-filter.ts';
import type { DistObservation, DistPixel } from './sample.ts';

/** Scores the observations of one pixel: the higher, the likelier a loss. A score uses no later observation. */
export type LossScorer = (observations: readonly DistObservation[]) => Float64Array;

/** A model that scores the observations of one pixel. */
export interface LossModel {
  readonly name: string;
  /** Fits the model to pixels other than those on which it is judged. */
  train(pixels: readonly DistPixel[]): LossScorer;
}

const WEIGHT = 0.3; // weight of the newest observation, as in the moving average (EWMA) of the monitor

/** Uses the product's loss of cover at each observation as the score: a baseline without monitoring. */
export const RAW_ANOMALY: LossModel = {
  name: 'veg_anom alone',
  train: () => (observations) => Float64Array.from(observations, ({ vegAnom }) => vegAnom || 0),
};

/** Moving average of the loss of cover. */
export const SMOOTHED_ANOMALY: LossModel = {
  name: 'veg_anom, EWMA',
  train: () => (observations) => {
    let mean = 0;
    return Float64Array.from(observations, ({ vegAnom }) => {
      if (!Number.isNaN(vegAnom)) mean = (1 - WEIGHT) * mean + WEIGHT * vegAnom;
      return mean;
    });
  },
};

/**
 * The evidence of the monitor. A loss of 10 %, the threshold of the product (OPERA DIST-HLS), counts as two standard
 * deviations.
 */
export const ENGINE: LossModel = {
  name: 'engine (departure filter)',
  train: () => (observations) => {
    const filter = new DepartureFilter(10 / 2); // standard deviation of the cover [%]
    return Float64Array.from(observations, ({ vegAnom }) => filter.update(vegAnom));
  },
};

/** The models that are compared; the first is ours. */
export const LOSS_MODELS: readonly LossModel[] = [ENGINE, SMOOTHED_ANOMALY, RAW_ANOMALY];
