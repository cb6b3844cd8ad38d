import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type FitRule, plainRule } from './fit-rule.ts';
import { REC_CUSUM_CRITICAL } from '../statistics/cusum.ts';
import { harmonicDesign } from '../statistics/harmonic-design.ts';
import { PixelFitter } from './pixel-fitter.ts';
import { sceneYears, simulatedSeries } from '../../../test/oracles/simulated-series.ts';
import { StripKernel } from './strip-kernel.ts';

const PIXELS = 40;
const ROBUST = { rejectBeyond: 3, rejectRounds: 3, observationsPerColumn: 3 };
const TRAITS = { gaps: 0.4, noise: 300, outliers: 0.03, shifts: true };

/** Fits the pixels and returns all results. */
function fitted(kernel: StripKernel, pixels: number, from: number, to: number): unknown[] {
  kernel.fit(pixels, from, to);
  const { coefficients, sigmas, counts, starts, statuses, masks } = kernel.views;
  const [columns, bytes] = [coefficients.length / sigmas.length, masks.length / sigmas.length];
  return Array.from({ length: pixels }, (_, p) => [
    [...coefficients.subarray(p * columns, (p + 1) * columns)],
    [sigmas[p], counts[p], starts[p], statuses[p]],
    [...masks.subarray(p * bytes, (p + 1) * bytes)],
  ]);
}

for (const [harmonics, withTrend, times, from, to] of [
  [3, true, 146, 0, 146],
  [3, false, 131, 17, 120],
  [2, true, 300, 150, 290],
  [1, false, 60, 9, 50],
] as const) {
  test(`${harmonics} harmonics${withTrend ? ' and a trend' : ''}, scenes ${from} to ${to} of ${times}: a pixel alone gets the same bits as one of many`, () => {
    const design = harmonicDesign(sceneYears(times), harmonics, withTrend);
    const rule: FitRule = { ...plainRule(design.columns), ...ROBUST, historyCritical: REC_CUSUM_CRITICAL };
    const series = simulatedSeries(PIXELS, times, TRAITS, 5 + times);
    const many = new StripKernel({ design, kind: 'int16', capacity: PIXELS }, { fit: rule });
    many.views.samples.set(series);
    const alone = new StripKernel({ design, kind: 'int16', capacity: 1 }, { fit: rule });
    const each = Array.from({ length: PIXELS }, (_, p) => {
      alone.views.samples.set(series.subarray(p * times, (p + 1) * times));
      return fitted(alone, 1, from, to)[0];
    });
    // Another fit over all scenes in between must not affect the results.
    fitted(many, PIXELS, 0, times);
    assert.deepEqual(fitted(many, PIXELS, from, to), each);
    const starts = each.map((pixel) => (pixel as number[][])[1]![2]);
    assert.ok(new Set(starts).size > 2, 'some histories begin late');
  });
}

test('series with the same scenes, which share rotations and factors, get the same bits as when fitted first', () => {
  const times = 90;
  const pixels = 160;
  const design = harmonicDesign(sceneYears(times), 3, true);
  const ways: readonly FitRule[] = [
    { ...plainRule(8), ...ROBUST, historyCritical: REC_CUSUM_CRITICAL },
    { ...plainRule(8), ...ROBUST, historyCritical: REC_CUSUM_CRITICAL, columns: [0, 2, 3, 4, 5, 6, 7] },
    { ...plainRule(8), columns: [0, 2, 3] },
  ];
  const whole = simulatedSeries(pixels, times, { ...TRAITS, gaps: 0 }, 3);
  const gaps = simulatedSeries(PIXELS, times, TRAITS, 4);
  // There are more sets of scenes than the kernel caches. Several consecutive pixels share each set, and it occurs
  // again soon or later.
  const samples = Float64Array.from(whole, (value, i) => {
    const pair = Math.floor(i / times) >> 1;
    const set = pair % 3 === 0 ? pair % 40 : pair % 8;
    return gaps[set * times + (i % times)] === -32_768 ? Number.NaN : value / 10_000;
  });
  const many = ways.map((fit) => {
    const kernel = new StripKernel({ design, kind: 'float64', capacity: pixels }, { fit });
    kernel.views.samples.set(samples);
    kernel.fit(pixels, 0, times);
    return kernel.views;
  });
  const fitter = new PixelFitter(design);
  for (let p = 0; p < pixels; p++) {
    const scenes = Array.from({ length: times }, (_, t) => t).filter(
      (t) => !Number.isNaN(samples[p * times + t]!),
    );
    const values = scenes.map((t) => samples[p * times + t]!);
    for (const [w, rule] of ways.entries()) {
      const { coefficients, sigmas, counts, starts } = many[w]!;
      assert.equal(fitter.fit(rule, scenes, values, 0, scenes.length), true);
      assert.deepEqual(
        [...fitter.coefficients],
        [...coefficients.subarray(p * 8, (p + 1) * 8)],
        `pixel ${p}`,
      );
      assert.deepEqual(
        [fitter.sigma, fitter.observations, fitter.start],
        [sigmas[p], counts[p], Math.max(starts[p]!, scenes[0]!)],
        `pixel ${p}`,
      );
      const before = fitter.leverage(p);
      fitter.fit(rule, scenes, values, 0, scenes.length);
      assert.equal(fitter.leverage(p), before);
    }
  }
});
