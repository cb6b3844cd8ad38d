import assert from 'node:assert/strict';
import { test } from 'node:test';
import { uniform } from '../../../test/oracles/simulated-series.ts';
import {
  addHistograms,
  addSparse,
  binnedDeviation,
  binnedQuantile,
  countValue,
  createHistograms,
  sparseCounts,
  totalCount,
} from './histogram.ts';

test('quantiles and deviations of binned values agree with those of the values, to a bin', () => {
  const values = [-0.9, -0.31, -0.3, 0.02, 0.11, 0.12, 0.13, 0.4, 0.77];
  const histograms = createHistograms(2, -1, 1, 400);
  for (const value of values) countValue(histograms, 1, value);
  const counts = histograms.counts.subarray(400);
  assert.equal(totalCount(histograms.counts.subarray(0, 400)), 0);
  assert.equal(totalCount(counts), 9);
  // The median of the nine values is .11. The sorted distances to it are 0, .01, .02, .09, .29, .41, .42, .66 and
  // 1.01, and their median is .29.
  const median = binnedQuantile(counts, -1, 0.005, 0.5);
  assert.ok(Math.abs(median - 0.11) <= 0.005, `${median}`);
  assert.ok(Math.abs(binnedDeviation(counts, -1, 0.005, median) - 0.29) <= 0.0051);
});

test('half of the values are within the deviation, whatever histogram was measured before', () => {
  const next = uniform(3);
  for (let n = 0; n < 500; n++) {
    const bins = 2 + Math.floor(60 * next());
    const counts = Array.from({ length: bins }, () => Math.floor(9 * next() * next()));
    const total = totalCount(counts);
    if (total === 0) continue;
    const centre = binnedQuantile(counts, 0, 1, next());
    const deviation = binnedDeviation(counts, 0, 1, centre);
    // The share of each bin that is within a distance of the centre.
    const within = (distance: number): number =>
      counts.reduce((sum, count, bin) => {
        const [from, to] = [Math.max(bin, centre - distance), Math.min(bin + 1, centre + distance)];
        return sum + count * Math.max(0, to - from);
      }, 0);
    assert.ok(within(deviation) >= total / 2 - 1e-9, `${n}: ${deviation} is too small`);
    assert.ok(within(deviation - 0.002) < total / 2 + 1e-9, `${n}: ${deviation} is too large`);
  }
});

test('values outside the range count at its ends, and empty histograms have no quantile', () => {
  const histograms = createHistograms(1, 0, 1, 4);
  for (const value of [-7, 9, 9]) countValue(histograms, 0, value);
  assert.deepEqual([...histograms.counts], [1, 0, 0, 2]);
  assert.ok(Number.isNaN(binnedQuantile([0, 0], 0, 1, 0.5)));
  assert.ok(Number.isNaN(binnedDeviation([0, 0], 0, 1, 0)));
});

test('histograms of the same shape add up, and other shapes are refused', () => {
  const a = createHistograms(1, 0, 1, 2);
  const b = createHistograms(1, 0, 1, 2);
  countValue(a, 0, 0.2);
  countValue(b, 0, 0.7);
  countValue(b, 0, 0.1);
  addHistograms(a, b);
  assert.deepEqual([...a.counts], [2, 1]);
  assert.throws(() => addHistograms(a, createHistograms(2, 0, 1, 2)), RangeError);
});

test('pooled sparse counts are the sums of the histograms', () => {
  const [size, bins] = [30, 50];
  const next = uniform(3);
  const histograms = createHistograms(size, 0, 1, bins);
  for (let i = 0; i < 200; i++) countValue(histograms, Math.floor(next() * next() * size), next() ** 2);
  const sparse = sparseCounts(histograms);
  const pooled = new Uint32Array(bins);
  const expected = new Uint32Array(bins);
  for (let h = 0; h < size; h += 3) {
    addSparse(sparse, h, pooled);
    for (let bin = 0; bin < bins; bin++) expected[bin]! += histograms.counts[h * bins + bin]!;
  }
  assert.deepEqual(pooled, expected);
  const totals = Array.from({ length: size }, (_, h) =>
    totalCount(histograms.counts.subarray(h * bins, (h + 1) * bins)),
  );
  assert.deepEqual([...sparse.totals], totals);
  assert.ok(totals.includes(0) && Math.max(...totals) > bins / 2, `totals ${totals.join(' ')}`);
});

test('a histogram counts as many values as it is made for', () => {
  for (const most of [65_535, 65_536]) {
    const histograms = createHistograms(1, 0, 1, 2, most);
    for (let i = 0; i < most; i++) countValue(histograms, 0, 0.75);
    assert.deepEqual([...histograms.counts], [0, most]);
  }
});
