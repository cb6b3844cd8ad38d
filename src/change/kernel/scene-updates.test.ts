import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type FitRule, plainRule } from './fit-rule.ts';
import { REC_CUSUM_CRITICAL } from '../statistics/cusum.ts';
import { harmonicDesign } from '../statistics/harmonic-design.ts';
import { leastSquares } from '../../../test/oracles/least-squares.ts';
import { FLAGS, MONITORING_RULE } from './monitoring-rule.ts';
import { PixelState } from '../../../test/oracles/pixel-state.ts';
import { sceneYears, simulatedSeries } from '../../../test/oracles/simulated-series.ts';
import { stateBytesPerPixel } from './state-buffers.ts';
import { StripKernel } from './strip-kernel.ts';
import { StripPool } from '../../../test/oracles/strip-pool.ts';

const TIMES = 146;
/** Number of scenes in the history. */
const HISTORY = 90;
const PIXELS = 112;
const DESIGN = harmonicDesign(sceneYears(TIMES), 2, true);
const FIT: FitRule = {
  ...plainRule(6),
  minObservations: 15,
  rejectBeyond: 3,
  rejectRounds: 3,
  observationsPerColumn: 3,
  historyCritical: REC_CUSUM_CRITICAL,
};
const RULES = { fit: FIT, monitoring: MONITORING_RULE };

const valueOf = (sample: number): number => (sample === -32_768 ? Number.NaN : sample);

function seriesOf(seed: number): Int16Array {
  return simulatedSeries(PIXELS, TIMES, { gaps: 0.4, noise: 300, outliers: 0.02, shifts: true }, seed);
}

/**
 * Reads one float of a pixel's state. The state is stored in groups of 16 pixels. A group contains one quantity after
 * another, each for its 16 pixels.
 */
function floatOf(state: Uint8Array, quantity: number, pixel: number): number {
  const group = (pixel >> 4) * 16 * stateBytesPerPixel(6);
  const offset = state.byteOffset + group + quantity * 64 + (pixel & 15) * 4;
  return new Float32Array(state.buffer, offset, 1)[0]!;
}

for (const kind of ['int16', 'float32'] as const) {
  for (const fully of [false, true]) {
    test(`scene updates of ${kind} samples agree with the plain ones to 1e-5${fully ? ', MOSUM and CUSUM too' : ''}`, () => {
      const seen = { flagged: 0, calm: 0, borderline: 0 };
      for (const seed of [11, 12, 13]) {
        const samples = seriesOf(seed);
        const kernel = new StripKernel({ design: DESIGN, kind, capacity: PIXELS }, RULES);
        const stored = kind === 'int16' ? samples : Float32Array.from(samples, (v) => valueOf(v) / 10_000);
        kernel.views.samples.set(stored);
        kernel.fit(PIXELS, 0, HISTORY, true);
        const plain = Array.from({ length: PIXELS }, (_, p) => {
          const values = Array.from(stored.subarray(p * TIMES, (p + 1) * TIMES), valueOf);
          const fit = leastSquares(DESIGN, values, FIT, 0, HISTORY);
          return fit && { values, state: new PixelState(DESIGN, MONITORING_RULE, fit, values), fit };
        });
        const { scene, flags, state } = kernel.state!;
        for (let t = HISTORY; t < TIMES; t++) {
          for (let p = 0; p < PIXELS; p++) scene[p] = stored[p * TIMES + t]!;
          kernel.update(PIXELS, t, fully);
          for (const [p, pixel] of plain.entries()) {
            const expected = pixel === undefined ? 0 : pixel.state.update(t, pixel.values[t]!);
            const compared = fully ? 127 : FLAGS.observed | FLAGS.ewma | FLAGS.runFlags | FLAGS.runConfirms;
            if ((flags[p]! & compared) !== (expected & compared)) seen.borderline += 1;
            if (pixel === undefined) continue;
            near(floatOf(state, 7, p), pixel.state.ewma, `EWMA of ${p} at ${t}`);
            const root = Math.sqrt(pixel.fit.history.length);
            if (fully) near(floatOf(state, 8, p) / root, pixel.state.mosum, `MOSUM of ${p} at ${t}`);
            if (fully) near(floatOf(state, 9, p) / root, pixel.state.cusum, `CUSUM of ${p} at ${t}`);
            if ((expected & ~FLAGS.refitDue) > FLAGS.observed) seen.flagged += 1;
            else seen.calm += 1;
          }
        }
      }
      assert.ok(seen.flagged > 500 && seen.calm > 5000, JSON.stringify(seen));
      // A statistic that differs from its limit only by rounding may be on either side of the limit.
      assert.ok(seen.borderline <= 1, `${seen.borderline} flags differ`);
    });
  }
}

function near(actual: number, expected: number, what: string): void {
  assert.ok(Math.abs(actual - expected) <= 1e-5, `${what}: ${actual} is not ${expected}`);
}

test('a pool of threads leaves the same bytes as one thread', async () => {
  const samples = seriesOf(14);
  const spec = { design: DESIGN, kind: 'int16', capacity: PIXELS } as const;
  const alone = new StripKernel(spec, RULES);
  const pool = new StripPool(spec, RULES, 3);
  try {
    for (const { views } of [alone, pool]) views.samples.set(samples);
    alone.fit(PIXELS, 0, HISTORY, true);
    await pool.fit(PIXELS, 0, HISTORY, true);
    for (let t = HISTORY; t < TIMES; t++) {
      for (const { state } of [alone, pool])
        for (let p = 0; p < PIXELS; p++) state!.scene[p] = samples[p * TIMES + t]!;
      alone.update(PIXELS, t, true);
      await pool.update(PIXELS, t, true);
      assert.deepEqual(pool.state!.flags, alone.state!.flags);
    }
    assert.deepEqual(pool.state!.state, alone.state!.state);
    assert.deepEqual(pool.views.coefficients, alone.views.coefficients);
    assert.deepEqual(pool.views.masks, alone.views.masks);
  } finally {
    await pool.close();
  }
});

test('a pool runs one job at a time, and a job fails when the threads of the pool have ended', async () => {
  const pool = new StripPool({ design: DESIGN, kind: 'int16', capacity: PIXELS }, { fit: FIT }, 1);
  pool.views.samples.set(seriesOf(15));
  const job = pool.fit(PIXELS, 0, TIMES);
  await assert.rejects(pool.fit(PIXELS, 0, TIMES), /job under way/);
  await job;
  // A job under way may finish before its thread is ended. One that starts afterwards cannot.
  await pool.close();
  await assert.rejects(pool.fit(PIXELS, 0, TIMES), /ended with code/);
});

test('a state that is restored continues as if it had never been saved', () => {
  const samples = seriesOf(16);
  const spec = { design: DESIGN, kind: 'int16', capacity: PIXELS } as const;
  const [first, second] = [new StripKernel(spec, RULES), new StripKernel(spec, RULES)];
  for (const { views } of [first, second]) views.samples.set(samples);
  first.fit(PIXELS, 0, HISTORY, true);
  for (let t = HISTORY; t < TIMES; t++) {
    if (t === 120) second.state!.state.set(first.state!.state);
    for (const kernel of t < 120 ? [first] : [first, second]) {
      for (let p = 0; p < PIXELS; p++) kernel.state!.scene[p] = samples[p * TIMES + t]!;
      kernel.update(PIXELS, t, true);
    }
  }
  assert.deepEqual(second.state!.state, first.state!.state);
  assert.deepEqual(second.state!.flags, first.state!.flags);
});

test('monitoring stores at most 64 bytes per pixel, and no float64 series', () => {
  assert.ok(stateBytesPerPixel(8) <= 64);
  const kernel = new StripKernel({ design: DESIGN, kind: 'int16', capacity: 160 }, RULES);
  assert.equal(kernel.state!.state.byteLength, 160 * stateBytesPerPixel(6));
  assert.throws(
    () => new StripKernel({ design: DESIGN, kind: 'float64', capacity: 1 }, RULES),
    /int16 or float32/,
  );
  const fitter = new StripKernel({ design: DESIGN, kind: 'int16', capacity: 16 }, { fit: FIT });
  assert.throws(() => fitter.update(16, 0, false), /laid out to fit/);
});
