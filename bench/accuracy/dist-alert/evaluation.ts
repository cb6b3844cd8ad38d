import { bootstrapInterval, type ResampledInterval } from '../bootstrap.ts';
import { Random } from '../../calibration/simulated-case.ts';

import type { DistPixel } from './sample.ts';

export const DRAWS = 1000;
export const SEED = 7;

/** Probabilities of loss, for the judged observations of each pixel. */
export type Forecasts = readonly Float64Array[];

/** Labels of the judged observations of one pixel. */
export function labelsOf({ labels, judgedFrom }: DistPixel): Uint8Array {
  return labels.subarray(judgedFrom);
}

/** Key of the frequency over all statuses; no status has this value. */
export const ALL_STATUSES = -1;

/** Frequency of loss for each status of DIST-ALERT, and over all statuses. */
export function statusFrequencies(pixels: readonly DistPixel[]): ReadonlyMap<number, number> {
  const sums = new Map<number, readonly [cases: number, losses: number]>();
  for (const { labels, statuses, judgedFrom } of pixels)
    for (let i = judgedFrom; i < labels.length; i++)
      for (const key of [statuses[i]!, ALL_STATUSES]) {
        const [cases, losses] = sums.get(key) ?? [0, 0];
        sums.set(key, [cases + 1, losses + labels[i]!]);
      }
  return new Map([...sums].map(([key, [cases, losses]]) => [key, losses / cases]));
}

/** Probabilities by a table of frequencies by status. An unknown status gets the frequency over all statuses. */
export function statusForecasts(
  pixels: readonly DistPixel[],
  frequencies: ReadonlyMap<number, number>,
): Forecasts {
  return pixels.map(({ statuses, judgedFrom }) =>
    Float64Array.from(
      statuses.slice(judgedFrom),
      (status) => frequencies.get(status) ?? frequencies.get(ALL_STATUSES)!,
    ),
  );
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
