import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DAY_MS } from '../base/time.ts';
import { isInPlot, type ShiftedPlot, shiftedPlot } from '../../test/oracles/shifted-plot.ts';
import { monitorMetrics } from './monitor.ts';

/** Pasture, a part of which is greener by .12 from May of the third year on. */
const GREENER = { level: 0.52, amplitude: 0.1, shift: 0.12, sinceMs: Date.UTC(2017, 4, 20), noise: 0.04 };
/** Forest that never falls below .55, a part of which falls by .15 from the greenest season of the third year on. */
const THINNED = { level: 0.7, amplitude: 0.14, shift: -0.15, sinceMs: Date.UTC(2017, 1, 20), noise: 0.03 };

/** Days until a plot is confirmed as the only change, and the number of its pixels. */
function confirmed(plot: ShiftedPlot): { days: number; pixels: number } {
  const { spec, metrics } = shiftedPlot(plot);
  const [change, ...others] = monitorMetrics(spec, { ndvi: metrics['ndvi']! }).objects.filter(
    ({ confirmedMs }) => confirmedMs !== null,
  );
  assert.deepEqual(others, []);
  assert.ok(change!.pixels.every((pixel) => isInPlot(pixel, plot)));
  return { days: (change!.confirmedMs! - plot.sinceMs) / DAY_MS, pixels: change!.pixels.length };
}

for (const [what, plot] of [
  ['a plot that is a little greener', GREENER],
  ['a plot of forest that falls within what the ground has been', THINNED],
] as const) {
  test(`${what} is confirmed together, sooner than a strip of four pixels`, () => {
    const { days, pixels } = confirmed({ ...plot, columns: 5 });
    assert.ok(pixels >= 20, `${pixels} pixels`);
    assert.ok(days <= 64, `after ${days} days`);
    const strip = confirmed({ ...plot, columns: 1 });
    assert.ok(strip.days > 64, `the strip after ${strip.days} days`);
  });
}
