import { bootstrapInterval, type ResampledInterval } from '../bootstrap.ts';
import { frequencyAt, recalibrate } from '../../../src/numerics/accuracy/recalibration.ts';
import { Random } from '../../calibration/simulated-case.ts';
import type { LossModel } from './loss-model.ts';
import type { DistPixel } from './sample.ts';

export const DRAWS = 1000;
export const SEED = 7;

/** Probabilities of loss, for the judged observations of each pixel. */
export type Forecasts = readonly Float64Array[];

const judged = <T extends { slice(from: number): T }>(pixel: DistPixel, values: T): T =>
  values.slice(pixel.judgedFrom);

/** Labels of the judged observations of one pixel. */
export function labelsOf(pixel: DistPixel): Uint8Array {
  return judged(pixel, pixel.labels);
}

/**
 * Frequency of loss for each status of DIST-ALERT, computed for each pixel from all other pixels. A status that occurs
 * on no other pixel gets the frequency over all statuses.
 */
export function statusForecasts(pixels: readonly DistPixel[]): Forecasts {
  const count = (of: readonly DistPixel[]): Map<number, readonly [number, number]> => {
    const sums = new Map<number, readonly [number, number]>();
    for (const pixel of of)
      for (let i = pixel.judgedFrom; i < pixel.labels.length; i++)
        for (const key of [pixel.statuses[i]!, ALL]) {
          const [cases, losses] = sums.get(key) ?? [0, 0];
          sums.set(key, [cases + 1, losses + pixel.labels[i]!]);
        }
    return sums;
  };
  return pixels.map((pixel) => {
    const known = count(pixels.filter((other) => other !== pixel));
    return Float64Array.from(judged(pixel, [...pixel.statuses]), (status) => {
      const [cases, losses] = known.get(status) ?? known.get(ALL)!;
      return losses / cases;
    });
  });
}
const ALL = -1; // key of the counts over all statuses; no status has this value

/** Probabilities of a model; for each pixel the model and its isotonic calibration are fitted without that pixel. */
export function modelForecasts(model: LossModel, pixels: readonly DistPixel[]): Forecasts {
  return pixels.map((pixel) => {
    const others = pixels.filter((other) => other !== pixel);
    const score = model.train(others);
    const scores = others.flatMap((other) => [...judged(other, score(other.observations))]);
    const labels = others.flatMap((other) => [...labelsOf(other)]);
    const levels = recalibrate(scores, labels);
    return judged(pixel, score(pixel.observations)).map((value) => frequencyAt(levels, value));
  });
}

/** Whether a score depends on later observations: removes the second half of each record and compares the scores. */
export function looksAhead(model: LossModel, pixels: readonly DistPixel[]): boolean {
  const score = model.train(pixels);
  return pixels.some(({ observations }) => {
    const cut = Math.floor(observations.length / 2);
    const [whole, part] = [score(observations), score(observations.slice(0, cut))];
    return part.some((value, i) => value !== whole[i] && !(Number.isNaN(value) && Number.isNaN(whole[i])));
  });
}

/** Sum of the squared errors of each pixel, and its number of judged observations. */
function squaredErrors(
  pixels: readonly DistPixel[],
  forecasts: Forecasts,
): readonly (readonly [number, number])[] {
  return pixels.map((pixel, p) => {
    const labels = labelsOf(pixel);
    return [forecasts[p]!.reduce((sum, q, i) => sum + (q - labels[i]!) ** 2, 0), labels.length];
  });
}

/** Brier score over all judged observations; `times` is the number of times that each pixel counts. */
export function brierOf(pixels: readonly DistPixel[], forecasts: Forecasts, times?: Uint32Array): number {
  let [errors, cases] = [0, 0];
  for (const [p, [error, n]] of squaredErrors(pixels, forecasts).entries()) {
    errors += (times?.[p] ?? 1) * error;
    cases += (times?.[p] ?? 1) * n;
  }
  return errors / cases;
}

/**
 * 95 % interval of the difference in Brier score, `ours` minus `theirs`, by a paired bootstrap over pixels within
 * strata.
 */
export function pairedDifference(
  pixels: readonly DistPixel[],
  ours: Forecasts,
  theirs: Forecasts,
): ResampledInterval {
  const [a, b] = [squaredErrors(pixels, ours), squaredErrors(pixels, theirs)];
  const random = new Random(SEED);
  return bootstrapInterval(
    strataOf(pixels),
    (times) => {
      let [difference, cases] = [0, 0];
      for (const [p, drawn] of times.entries()) {
        difference += drawn * (a[p]![0] - b[p]![0]);
        cases += drawn * a[p]![1];
      }
      return difference / cases;
    },
    DRAWS,
    () => random.uniform(),
  );
}

/** Indices of the pixels of each stratum. */
export function strataOf(pixels: readonly DistPixel[]): number[][] {
  return [...Map.groupBy(pixels.keys(), (p) => pixels[p]!.stratum).values()];
}
