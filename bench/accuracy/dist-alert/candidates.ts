import { logistic, logisticFit } from './logistic.ts';
import type { DistObservation, DistPixel } from './sample.ts';

/** A value of each observation of one pixel, computed from this and earlier observations only. */
export type Feature = (observations: readonly DistObservation[]) => Float64Array;

/** A model of the probability of loss: a logistic regression on features. */
export interface Candidate {
  readonly name: string;
  readonly features: readonly Feature[];
}

/** Moving average by observation. `start` is its value before the first observation; undefined: that observation. */
function average(
  weight: number,
  valueOf: (observation: DistObservation, before: DistObservation | undefined) => number,
  start?: number,
): Feature {
  return (observations) => {
    let mean = start;
    return Float64Array.from(observations, (observation, i) => {
      const value = valueOf(observation, observations[i - 1]);
      if (!Number.isNaN(value)) mean = mean === undefined ? value : mean + weight * (value - mean);
      return mean ?? 0;
    });
  };
}

function log1p(feature: Feature): Feature {
  return (observations) => feature(observations).map((value) => Math.log1p(value));
}

/** Moving average of the loss by time instead of by observation. @param days time constant */
function averageByTime(days: number): Feature {
  return (observations) => {
    let [mean, last] = [0, Number.NaN];
    return Float64Array.from(observations, ({ day, vegAnom }) => {
      if (Number.isNaN(vegAnom)) return mean;
      const passed = Number.isNaN(last) ? USUAL_GAP_DAYS : day - last;
      mean += (1 - Math.exp(-passed / days)) * (vegAnom - mean);
      last = day;
      return mean;
    });
  };
}

const WEIGHT = 0.2; // weight of the newest observation in the features beside the loss (our choice)
const USUAL_GAP_DAYS = 5; // typical time between observations of HLS
const WEIGHTS = [0.1, 0.15, 0.2, 0.25, 0.3, 0.4, 0.5];
const TIMES_DAYS = [8, 12, 16, 24];
const SHARE_LOSS = 5; // loss from which an observation counts in the share of observations with a loss [%]

const meanLoss = (weight: number): Feature => log1p(average(weight, ({ vegAnom }) => vegAnom, 0));
const cover = average(0.3, ({ vegInd }) => vegInd);
// With a loss, cover + loss is the lowest cover at the time of year in the years before.
const coverBefore = average(0.05, ({ vegInd, vegAnom }) => vegInd + (vegAnom || 0));
const relativeLoss = log1p(
  average(WEIGHT, ({ vegInd, vegAnom }) => (100 * vegAnom) / Math.max(20, vegInd + vegAnom), 0),
);
const share = average(
  WEIGHT,
  ({ vegAnom }) => (Number.isNaN(vegAnom) ? vegAnom : Number(vegAnom >= SHARE_LOSS)),
  0,
);
const general = average(WEIGHT, ({ genAnom }) => Math.log1p(Math.max(0, genAnom)), 0);
const landsat = average(WEIGHT, ({ sensor }) => Number(sensor.startsWith('L')));
const gap = log1p(average(WEIGHT, ({ day }, before) => (before ? day - before.day : USUAL_GAP_DAYS)));

/** The plain moving average of the loss, one candidate for each weight. */
export const AVERAGES: readonly (Candidate & { readonly weight: number })[] = WEIGHTS.map((weight) => ({
  name: `EWMA, weight ${weight}`,
  weight,
  features: [meanLoss(weight)],
}));

/** Models with more features. The loss itself is always the moving average with the weight `WEIGHT`. */
export const LEARNT: readonly Candidate[] = [
  ...TIMES_DAYS.map((days) => ({
    name: `cadence: average by time, ${days} days`,
    features: [log1p(averageByTime(days))],
  })),
  { name: 'cadence: interval between observations', features: [meanLoss(WEIGHT), gap] },
  { name: 'sensor: share of Landsat', features: [meanLoss(WEIGHT), landsat] },
  { name: 'cover before', features: [meanLoss(WEIGHT), coverBefore] },
  { name: 'cover now', features: [meanLoss(WEIGHT), cover] },
  { name: 'relative loss', features: [meanLoss(WEIGHT), relativeLoss] },
  { name: 'share of observations with a loss', features: [meanLoss(WEIGHT), share] },
  { name: 'general anomaly', features: [meanLoss(WEIGHT), general] },
  { name: 'general anomaly, cover now', features: [meanLoss(WEIGHT), general, cover] },
  { name: 'cover before, cover now', features: [meanLoss(WEIGHT), coverBefore, cover] },
  {
    name: 'cover before, sensor, cadence',
    features: [meanLoss(WEIGHT), coverBefore, landsat, gap],
  },
];

/** Values of a candidate's features for the judged observations of one pixel. */
function rowsOf({ features }: Candidate, { observations, judgedFrom }: DistPixel): number[][] {
  const columns = features.map((feature) => feature(observations).subarray(judgedFrom));
  return Array.from(columns[0]!, (_, i) => columns.map((column) => column[i]!));
}

/** Coefficients of a candidate, fitted to the judged observations of some pixels. */
export function fitted(candidate: Candidate, pixels: readonly DistPixel[]): number[] {
  return logisticFit(
    pixels.flatMap((pixel) => rowsOf(candidate, pixel)),
    pixels.flatMap(({ labels, judgedFrom }) => [...labels.subarray(judgedFrom)]),
  );
}

/** Probabilities of loss by a fitted candidate, for the judged observations of each pixel. */
export function probabilities(
  candidate: Candidate,
  coefficients: readonly number[],
  pixels: readonly DistPixel[],
): Float64Array[] {
  return pixels.map((pixel) =>
    Float64Array.from(rowsOf(candidate, pixel), (row) => logistic(coefficients, row)),
  );
}

/** Brier score of each pixel's probabilities by a fit to all other pixels. */
export function leaveOneOut(candidate: Candidate, pixels: readonly DistPixel[]): Float64Array[] {
  return pixels.map((pixel) => {
    const others = pixels.filter((other) => other !== pixel);
    return probabilities(candidate, fitted(candidate, others), [pixel])[0]!;
  });
}
