// Converts a fit to the initial state of monitoring: the statistics at the end of the history.
import { residualsOf } from './reject';
import { ewmas, groupAt, histories, movings, oldests, precisions, runs, seens, sums } from './state';
import { clip, outlier, weight, windowShare } from './statistics';
import { columns, observedOf, paddedTimes, residuals, solutionOf } from './workspace';

/** Marks a pixel as not monitored; updates skip it. */
export function leaveOut(pixel: i32): void {
  store<f32>(groupAt(pixel) + precisions + ((<usize>(pixel & 15)) << 2), 0);
}

/**
 * Writes the monitoring state of a pixel at the end of its history.
 * @param slot position of the fitted pixel in the strip
 * @param pixel index of the pixel in the state
 * @param count number of observed scenes of the history
 * @param sigma standard deviation of the residuals of the fit
 */
export function begin(slot: i32, pixel: i32, count: i32, sigma: f64): void {
  const solution = solutionOf(slot);
  const group = groupAt(pixel);
  const float = group + ((<usize>(pixel & 15)) << 2);
  const short = group + ((<usize>(pixel & 15)) << 1);
  for (let c = 0; c < columns; c++) {
    store<f32>(float + ((<usize>c) << 6), <f32>load<f64>(solution + ((<usize>c) << 3)));
  }
  residualsOf(slot);
  const observed = observedOf(slot);
  const outside = count - <i32>(windowShare * <f64>count);
  const bound = <f64>clip;
  let ewma: f64 = 0;
  let moving: f64 = 0;
  let sum: f64 = 0;
  let run = 0;
  let oldest = 0;
  let seen = 0;
  for (let t = 0; t < paddedTimes; t++) {
    if (((load<u8>(observed + (t >> 3)) >> (t & 7)) & 1) == 0) continue;
    const residual = load<f64>(residuals + ((<usize>t) << 3)) / sigma;
    const z = min(max(residual, -bound), bound);
    ewma += <f64>weight * (z - ewma);
    sum += z;
    if (seen == outside) oldest = t;
    if (seen >= outside) moving += z;
    if (abs(z) <= <f64>outlier) run = 0;
    else if (z > 0) run = max(run, 0) + 1;
    else run = min(run, 0) - 1;
    seen += 1;
  }
  store<f32>(float + precisions, <f32>(1 / sigma));
  store<f32>(float + ewmas, <f32>ewma);
  store<f32>(float + movings, <f32>moving);
  store<f32>(float + sums, <f32>sum);
  store<i16>(short + runs, <i16>run);
  store<u16>(short + histories, <u16>count);
  store<u16>(short + seens, <u16>count);
  store<u16>(short + oldests, <u16>oldest);
}
