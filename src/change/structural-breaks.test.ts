import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DAY_MS } from '../base/time.ts';
import { uniform } from '../../test/oracles/simulated-series.ts';
import { StructuralBreaks } from './structural-breaks.ts';
import { olsCusum, olsCusumBoundary } from './statistics/cusum.ts';
import { ewma, ewmaLimit } from './statistics/ewma.ts';
import { harmonicFit } from './statistics/harmonic-fit.ts';
import { olsMosum, olsMosumBoundary } from './statistics/mosum.ts';

const timesMs = Array.from({ length: 120 }, (_, t) => Date.UTC(2010, 0, 1) + t * 16 * DAY_MS);
const BREAK = 90;

/** Series of three pixels with seasons and noise: one pixel falls, one does not change, one has few observations. */
function series(scale = 1): Float32Array {
  const next = uniform(7);
  return Float32Array.from({ length: 3 * timesMs.length }, (_, i) => {
    const [pixel, t] = [Math.floor(i / timesMs.length), i % timesMs.length];
    const season = 0.1 * Math.sin((2 * Math.PI * t * 16) / 365.25);
    const value = 0.6 + season + 0.04 * (next() - 0.5) - (pixel === 0 && t >= BREAK ? 0.2 : 0);
    return pixel === 2 && t > 2 ? Number.NaN : Math.fround(scale * value);
  });
}

test('a break is dated by the scene at which the moving sum crosses its boundary, in any unit', () => {
  const breaks = new StructuralBreaks(timesMs, timesMs[70]!, 3);
  const found = Array.from(breaks.of(series()));
  assert.ok(found[0]! >= timesMs[BREAK]! && found[0]! <= timesMs[BREAK + 5]!, `${found[0]}`);
  assert.deepEqual(found.slice(1), [Number.NaN, Number.NaN]);
  assert.deepEqual(Array.from(breaks.of(series(1e4))), found);
});

test('everything before monitoring is history; without history, and after the record, no break is found', () => {
  const nothing = [Number.NaN, Number.NaN, Number.NaN];
  for (const fromMs of [timesMs[0]! - DAY_MS, timesMs[2]!, timesMs.at(-1)! + DAY_MS])
    assert.deepEqual(Array.from(new StructuralBreaks(timesMs, fromMs, 3).of(series())), nothing);
  const late = Array.from(new StructuralBreaks(timesMs, timesMs[BREAK + 20]!, 3).of(series()));
  assert.deepEqual(late.slice(1), nothing.slice(1));
});

/** Decimal year of a scene of the test series: every year has length 1. */
function decimalYear(ms: number): number {
  const year = new Date(ms).getUTCFullYear();
  return year + (ms - Date.UTC(year, 0)) / (Date.UTC(year + 1, 0) - Date.UTC(year, 0));
}

test('the excursions of MOSUM, EWMA and CuSum are those of the published statistics of a harmonic fit', () => {
  const times = timesMs.length;
  const from = 60;
  const next = uniform(11);
  // A loss for half a year that recovers, and at the end a loss that stays; a tenth of the scenes is missing.
  const values = Float32Array.from(timesMs, (_, t) => {
    const loss = (t >= 70 && t < 82) || t >= 100 ? 0.1 : 0;
    const season = 0.1 * Math.sin((2 * Math.PI * t * 16) / 365.25);
    const value = 0.6 + season + 0.05 * (next() + next() - 1) - loss;
    return next() < 0.1 ? Number.NaN : value;
  });
  const years = timesMs.map(decimalYear);
  const fit = harmonicFit(years.slice(0, from), values.slice(0, from), { harmonics: 1, withTrend: false })!;
  const scenes = Array.from({ length: times }, (_, t) => t).filter((t) => !Number.isNaN(values[t]!));
  const residuals = scenes.map((t) => (values[t]! - fit.expected(years[t]!)) / fit.sigma);
  const history = fit.observations;
  /** Excursions of a process beyond a boundary after the history. */
  const expected = (process: Float64Array, boundary: (seen: number) => number) => {
    const found: { startMs: number; endMs: number | null }[] = [];
    for (let i = history; i < process.length; i++) {
      const isOver = Math.abs(process[i]!) > boundary(i + 1);
      const last = found.at(-1);
      const isOpen = last !== undefined && last.endMs === null;
      if (isOver && !isOpen) found.push({ startMs: timesMs[scenes[i]!]!, endMs: null });
      if (!isOver && isOpen) last.endMs = timesMs[scenes[i]!]!;
    }
    return found;
  };
  const { mosum, ewma: chart, cusum } = new StructuralBreaks(timesMs, timesMs[from]!, 1).excursions(values);
  assert.deepEqual(
    mosum[0],
    expected(olsMosum(residuals, history), (seen) => olsMosumBoundary(seen, history)),
  );
  assert.deepEqual(
    chart[0],
    expected(ewma(residuals, 0.3), () => ewmaLimit(0.3, 3)),
  );
  assert.deepEqual(
    cusum[0],
    expected(olsCusum(residuals, history), (seen) => olsCusumBoundary(seen, history)),
  );
  // The loss that recovers ends an excursion of the chart, and the loss that stays leaves all three open.
  assert.ok(chart[0].some(({ startMs, endMs }) => startMs >= timesMs[70]! && endMs! <= timesMs[90]!));
  for (const [list] of [mosum, chart, cusum]) assert.equal(list!.at(-1)!.endMs, null);
});
