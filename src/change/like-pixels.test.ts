import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DAY_MS, JULIAN_YEAR_MS } from '../base/time.ts';
import { uniform } from '../../test/oracles/simulated-series.ts';
import { metricTraits } from './metric.ts';
import { monitorMetrics, monitorStrips } from './monitor.ts';
import { changeObjects } from './object/objects.ts';
import { noteObserved, objectEvidence } from './object/provenance.ts';
import { likeBank } from './scene/bank-builder.ts';
import type { StackSpec } from './stack.ts';

const NDVI = metricTraits('ndvi')!;
const SIDE = 16; // pixels
const STEP_DAYS = 8;
const YEARS = 2.4;
const START_MS = Date.UTC(2015, 0, 3);
/** The thinning: in the second summer, after a single spring. */
const FELLED_MS = Date.UTC(2016, 4, 25);

function isBlock(pixel: number): boolean {
  const [row, column] = [Math.floor(pixel / SIDE), pixel % SIDE];
  return row >= 4 && row <= 8 && column >= 4 && column <= 8;
}

/** A wood that is bare in winter, of which a block loses a third of its greenness, and meadows in the eastern half. */
function simulate(): [StackSpec, Float64Array] {
  const next = uniform(7);
  const times = Math.floor((YEARS * JULIAN_YEAR_MS) / (STEP_DAYS * DAY_MS));
  const timesMs = Float64Array.from({ length: times }, (_, t) => START_MS + t * STEP_DAYS * DAY_MS);
  const values = new Float64Array(SIDE * SIDE * times);
  for (let p = 0; p < SIDE * SIDE; p++)
    for (const [t, timeMs] of timesMs.entries()) {
      const wave = Math.cos((2 * Math.PI * (timeMs - Date.UTC(2015, 6, 10))) / JULIAN_YEAR_MS);
      const cover = p % SIDE < 12 ? 0.55 + 0.3 * wave : 0.5 + 0.15 * wave;
      const left = isBlock(p) && timeMs >= FELLED_MS ? 0.65 : 1;
      const noise = 0.05 * (next() + next() + next() - 1.5);
      values[p * times + t] = next() < 0.25 ? Number.NaN : left * cover + noise;
    }
  return [{ width: SIDE, height: SIDE, pixelAreaM2: 900, metric: 'ndvi', timesMs }, values];
}

test('a wood thinned in its second summer is confirmed by its like pixels, which the evidence shows, and not before the next spring without them', () => {
  const [spec, values] = simulate();
  const times = spec.timesMs.length;
  const { context, objects } = monitorMetrics(spec, { ndvi: values });
  const [change, ...others] = objects.filter(({ status }) => status === 'confirmed');
  assert.deepEqual(others, []);
  assert.ok(change!.pixels.every(isBlock) && change!.pixels.length >= 20, `${change?.pixels.length} of 25`);
  assert.ok(change!.confirmedMs! < FELLED_MS + 150 * DAY_MS);

  const series = values.subarray(change!.seed.pixel * times, (change!.seed.pixel + 1) * times);
  const observed = new Uint8Array(times);
  noteObserved(observed, series);
  const { path } = objectEvidence(spec, [{ traits: NDVI, context }], change!, [series], observed);
  const claim = path.find(({ like }) => like?.isClaim === true);
  assert.ok(claim !== undefined && claim.like!.cusum > 7, 'the CUSUM of the claim');
  assert.notEqual(claim.state, 'watching');
  assert.ok(claim.timeMs <= change!.confirmedMs!);
  for (const { timeMs, value, like } of path) {
    if (like === undefined || timeMs < claim.timeMs || timeMs > change!.confirmedMs!) continue;
    assert.ok(value < like.expected, `${new Date(timeMs).toISOString()}: ${value} of ${like.expected}`);
  }

  const bank = likeBank(spec, NDVI, { pixels: [], values: [] });
  const alone = monitorStrips(spec, [{ traits: NDVI, context: { ...context, bank } }], [{ from: 0, values }]);
  const found = changeObjects(spec, NDVI, alone).filter(({ status }) => status === 'confirmed');
  assert.ok(found.every(({ confirmedMs }) => confirmedMs! > FELLED_MS + 300 * DAY_MS));
});
