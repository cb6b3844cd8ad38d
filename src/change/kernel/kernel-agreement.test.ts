import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { fromFile } from 'geotiff';
import type { Design } from './design-tables.ts';
import { type FitRule, plainRule } from './fit-rule.ts';
import { REC_CUSUM_CRITICAL } from '../statistics/cusum.ts';
import { harmonicDesign } from '../statistics/harmonic-design.ts';
import { leastSquares } from '../../../test/oracles/least-squares.ts';
import { PixelFitter } from './pixel-fitter.ts';
import { sceneYears, simulatedSeries, uniform } from '../../../test/oracles/simulated-series.ts';
import { StripKernel } from './strip-kernel.ts';

/** Maximum difference from `leastSquares`: 1e-5 index units (1 sample unit = 0.0001 index units). */
const TOLERANCE = 1e-5 * 10_000;
const SEEDS = [1, 2, 3, 4, 5, 6];

const missingToNaN = (sample: number): number => (sample === -32_768 ? Number.NaN : sample);

function rowOf(samples: Int16Array, times: number, pixel: number): number[] {
  return Array.from(samples.subarray(pixel * times, (pixel + 1) * times), missingToNaN);
}

/** Fits all series with the kernel and with `leastSquares`, and compares the fits. Returns the number of fits. */
function compare(design: Design, rule: FitRule, samples: Int16Array, from: number, to: number): number {
  const times = design.rows.length / design.columns;
  const pixels = samples.length / times;
  const kernel = new StripKernel({ design, kind: 'int16', capacity: pixels }, { fit: rule });
  kernel.views.samples.set(samples);
  kernel.fit(pixels, from, to);
  const { coefficients, sigmas, counts, starts, statuses, masks } = kernel.views;
  let fitted = 0;
  for (let p = 0; p < pixels; p++) {
    const plain = leastSquares(design, rowOf(samples, times, p), rule, from, to);
    assert.equal(statuses[p] === 0, plain !== undefined, `pixel ${p}: fitted or not`);
    if (plain === undefined) continue;
    fitted += 1;
    for (let c = 0; c < design.columns; c++) {
      const apart = Math.abs(coefficients[p * design.columns + c]! - plain.coefficients[c]!);
      assert.ok(apart <= TOLERANCE, `pixel ${p}, column ${c}: ${apart} apart`);
    }
    assert.ok(Math.abs(sigmas[p]! - plain.sigma) <= TOLERANCE, `pixel ${p}: sigma`);
    assert.equal(starts[p], plain.start, `pixel ${p}: start of the history`);
    assert.equal(counts[p], plain.kept.length, `pixel ${p}: observations kept`);
    const mask = masks.subarray(p * Math.ceil(times / 8), (p + 1) * Math.ceil(times / 8));
    const kept = Array.from({ length: times }, (_, t) => t).filter((t) => (mask[t >> 3]! >> (t & 7)) & 1);
    assert.deepEqual(kept, plain.kept, `pixel ${p}: scenes kept`);
  }
  return fitted;
}

const ROBUST = { rejectBeyond: 3, rejectRounds: 3, observationsPerColumn: 3 };

for (const [what, harmonics, withTrend, times, changes] of [
  ['plain', 2, true, 146, {}],
  ['few scenes', 1, false, 23, {}],
  ['eight columns', 3, true, 131, ROBUST],
  ['an odd number of columns', 2, false, 200, ROBUST],
  ['stable history', 2, true, 146, { historyCritical: REC_CUSUM_CRITICAL }],
  ['stable history and rejection', 3, true, 300, { ...ROBUST, historyCritical: REC_CUSUM_CRITICAL }],
  ['some of the columns', 3, true, 146, { ...ROBUST, columns: [0, 2, 3] }],
] as const) {
  test(`the kernel's fit agrees with the plain one to 1e-5: ${what}`, () => {
    const design = { ...harmonicDesign(sceneYears(times), harmonics, withTrend) };
    const rule: FitRule = { ...plainRule(design.columns), ...changes };
    for (const seed of SEEDS) {
      const random = uniform(seed);
      const traits = { gaps: 0.9 * random(), noise: 100 + 400 * random(), outliers: 0.05, shifts: true };
      const samples = simulatedSeries(101, times, traits, seed);
      const from = seed % 2 === 0 ? 0 : 5;
      compare(design, rule, samples, from, times - (seed % 3) * 4);
    }
  });
}

test('an observation just within the limit is kept and one just beyond it is rejected, whatever the others are', () => {
  const times = 41;
  const random = uniform(23);
  const design = { rows: new Float64Array(times).fill(1), columns: 1 };
  const rule: FitRule = { ...plainRule(1), ...ROBUST };
  const fitter = new PixelFitter(design);
  const scenes = Array.from({ length: times }, (_, t) => t);
  const kept = new Set<number>();
  for (let round = 0; round < 400; round++) {
    // Three kinds of scatter: many small residuals, many equal ones, and as many large ones as small ones.
    const kind = round % 3;
    const sizeOf = (): number => (kind === 0 ? random() : kind === 1 ? 0.5 : random() < 0.5 ? 0.2 : 0.9);
    const count = times - (round % 2);
    const values = scenes.slice(0, count).map((t) => (t % 2 === 0 ? 1 : -1) * sizeOf());
    values[7] = 1 + 4 * random();
    const plain = leastSquares(design, values, rule, 0, count)!;
    assert.ok(fitter.fit(rule, scenes, values, 0, count));
    assert.deepEqual(
      scenes.slice(0, count).filter((t) => fitter.isKept(t)),
      plain.kept,
      `round ${round}`,
    );
    kept.add(plain.kept.length - count);
  }
  assert.ok(kept.has(0) && kept.has(-1), `rejected: ${[...kept].join(', ')}`);
});

test('kernel and plain version agree with a ridge, with seasons without observations, and on constant and empty series', () => {
  const times = 146;
  const plain = harmonicDesign(sceneYears(times), 3, true);
  const design = { ...plain, ridge: [0, 400, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5] };
  const samples = simulatedSeries(64, times, { gaps: 0.3, noise: 200, outliers: 0.02, shifts: false }, 7);
  for (let p = 0; p < 64; p++) {
    for (let t = 0; t < times; t++) {
      const season = (sceneYears(times)[t]! + 1 / 365) % 1;
      if (season < (p % 8) / 10 || p === 62) samples[p * times + t] = -32_768;
      else if (p === 63) samples[p * times + t] = 5000;
    }
  }
  for (const columns of [[0], [0, 1], [0, 1, 2, 3], [0, 2, 3, 4, 5], [0, 1, 2, 3, 4, 5, 6, 7]]) {
    const fitted = compare(design, { ...plainRule(8), ...ROBUST, columns }, samples, 0, times);
    assert.ok(fitted >= 40, `${fitted} fitted`);
  }
});

test('a series that cannot be fitted gets a status with the reason, and NaN', () => {
  // The first half of the scenes are on the same day of the year. A fit to them alone cannot separate two harmonics.
  const years = Array.from({ length: 40 }, (_, t) => (t < 20 ? 2000 + t : 2020 + t / 16));
  const fitter = new PixelFitter(harmonicDesign(years, 2, false));
  const values = new Float64Array(40).fill(0.5);
  assert.equal(fitter.fit(plainRule(5), [...years.keys()], values, 0, 20), false);
  assert.ok(Number.isNaN(fitter.sigma) && fitter.coefficients.every((b) => Number.isNaN(b)));
  assert.equal(fitter.fit(plainRule(5), [...years.keys()], values, 0, 40), true);
  assert.equal(fitter.fit(plainRule(5), [], [], 0, 0), false);
  assert.throws(
    () => fitter.fit({ ...plainRule(5), columns: [0, 5] }, [...years.keys()], values, 0, 40),
    /columns \[0, 5\]/,
  );
});

test('the scratch memory of a thread suffices for any design', () => {
  for (const columns of [1, 8])
    for (const times of [1, 9, 112, 1000]) {
      const design = { rows: new Float64Array(times * columns), columns };
      const spec = { design, kind: 'float32', capacity: 1 } as const;
      assert.doesNotThrow(() => new StripKernel(spec, { fit: plainRule(columns) }));
    }
});

test('pixels fitted one at a time get the same result and leverage as many at once, also with other fits in between', () => {
  const design = {
    ...harmonicDesign(sceneYears(90), 3, true),
    ridge: [0, 400, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5],
  };
  const samples = simulatedSeries(40, 90, { gaps: 0.4, noise: 300, outliers: 0.05, shifts: false }, 8);
  const [fitter, other] = [new PixelFitter(design), new PixelFitter(design)];
  for (const columns of [
    [0, 2, 3],
    [0, 1, 2, 3, 4, 5, 6, 7],
  ]) {
    const rule = { ...plainRule(8), ...ROBUST, columns };
    for (let p = 0; p < 40; p++) {
      const values = rowOf(samples, 90, p).map((value) => value / 10_000);
      const scenes = [...values.keys()].filter((t) => t >= 3 && t < 80 && !Number.isNaN(values[t]!));
      const observed = scenes.map((t) => values[t]!);
      assert.equal(fitter.fit(rule, scenes, observed, 0, scenes.length), true);
      other.fit(plainRule(8), [...scenes.keys()], observed, 0, 20);
      const plain = leastSquares(design, values, rule, 3, 80)!;
      for (let t = 0; t < 90; t++) {
        const row = design.rows.subarray(t * 8, (t + 1) * 8);
        const expected = row.reduce((sum, x, c) => sum + x * plain.coefficients[c]!, 0);
        assert.ok(Math.abs(fitter.expected(t) - expected) < 1e-9, `expected at ${t}`);
        assert.ok(Math.abs(fitter.leverage(t) / plain.leverage(row) - 1) < 1e-9, `leverage at ${t}`);
        assert.equal(fitter.isKept(t), plain.kept.includes(t));
      }
      assert.ok(Math.abs(fitter.sigma - plain.sigma) < 1e-9);
      assert.equal(fitter.observations, plain.kept.length);
    }
  }
});

const TURA = fileURLToPath(new URL('../../../../shared/data/tura-landsat-ndvi/', import.meta.url));

test(
  'kernel and plain version agree on the Kafa stack (Landsat, SLC-off gaps; tura-landsat-ndvi)',
  { skip: existsSync(TURA) ? false : '../shared/data/tura-landsat-ndvi is not here' },
  async () => {
    const dates = readFileSync(`${TURA}dates.csv`, 'utf8').trim().split('\n').slice(1);
    const years = dates.map((line) => Date.parse(line.split(',')[1]!) / (365.25 * 86_400_000));
    const tiff = await fromFile(`${TURA}tura_south_ndvi.tif`);
    const bands = (await (await tiff.getImage()).readRasters()) as unknown as Int16Array[];
    await tiff.close();
    // Only every fourth pixel is used.
    const pixels = Math.floor(bands[0]!.length / 4);
    const samples = new Int16Array(pixels * years.length);
    for (let p = 0; p < pixels; p++)
      for (let t = 0; t < years.length; t++) samples[p * years.length + t] = bands[t]![p * 4]!;
    const robust = { ...plainRule(3), ...ROBUST, historyCritical: REC_CUSUM_CRITICAL };
    for (const [harmonics, rule] of [
      [1, robust],
      [1, plainRule(3)],
    ] as const) {
      const fitted = compare(harmonicDesign(years, harmonics, false), rule, samples, 0, years.length);
      assert.ok(fitted > pixels / 2, `${fitted} of ${pixels} fitted`);
    }
  },
);
