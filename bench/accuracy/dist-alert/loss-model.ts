import { DepartureFilter } from './departure-filter.ts';
import type { DistObservation, DistPixel } from './sample.ts';

/** Scores the observations of one pixel: the higher, the likelier a loss. A score rests on nothing later. */
export type LossScorer = (observations: readonly DistObservation[]) => Float64Array;

/** What turns the stream of one pixel into scores. */
export interface LossModel {
  readonly name: string;
  /** Fits what there is to fit, on other pixels than those that it will be judged on. */
  train(pixels: readonly DistPixel[]): LossScorer;
}

const WEIGHT = 0.3; // of the newest observation: the engine's EWMA weight

/** The loss of cover as the product gives it, observation by observation: what no monitoring gives. */
export const RAW_ANOMALY: LossModel = {
  name: 'veg_anom alone',
  train: () => (observations) => Float64Array.from(observations, ({ vegAnom }) => vegAnom || 0),
};

/** Its moving average. */
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

/** The engine's own evidence. A loss of 10 %, the product's own threshold (OPERA DIST-HLS), is two standard deviations. */
export const ENGINE: LossModel = {
  name: 'engine (departure filter)',
  train: () => (observations) => {
    const filter = new DepartureFilter(10 / 2); // cover [%]
    return Float64Array.from(observations, ({ vegAnom }) => filter.update(vegAnom));
  },
};

/** What is compared, the engine first. */
export const LOSS_MODELS: readonly LossModel[] = [ENGINE, SMOOTHED_ANOMALY, RAW_ANOMALY];
