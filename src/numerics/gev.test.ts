import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { gevCdf, gevFromLMoments, gevQuantile, gevReturnLevel } from './gev.ts';
import { sampleLMoments } from './l-moments.ts';

const RECORDS = join(import.meta.dirname, '../../../shared/data/extreme-value-records');
const absent = existsSync(RECORDS) ? false : `${RECORDS} is absent`;

interface Published {
  readonly name: string;
  readonly fit: Readonly<
    Record<'location' | 'scale' | 'shape' | 'se_location' | 'se_scale' | 'se_shape', number>
  >;
}

const SAMPLE = [2, 3, 4, 2.4, 5.5, 1.2, 5.4, 2.2, 7.1, 1.3, 1.5];

function near(actual: number, expected: number, tolerance: number): void {
  assert.ok(Math.abs(actual - expected) <= tolerance, `${actual}, expected ${expected} within ${tolerance}`);
}

test('GEV by L-moments equals the reference of methods.md (Hosking 1990)', () => {
  const gev = gevFromLMoments(sampleLMoments(SAMPLE));
  near(gev.location, 2.1792884, 5e-8);
  near(gev.scale, 1.3956404, 1e-7);
  near(gev.shape, -0.1555609, 5e-8);
  near(gevReturnLevel(gev, 10), 5.939903, 5e-7);
  near(gevReturnLevel(gev, 50), 9.669718, 5e-7);
  near(gevReturnLevel(gev, 100), 11.558451, 5e-7);
});

test('GEV quantiles equal the reference of methods.md (28.64508831, 31.21743669, .29781455) to 2e-5', () => {
  const gev = { location: 28.64508831, scale: 31.21743669, shape: 0.29781455 };
  const expected = [
    [2.5, 47.65028],
    [5, 66.40861],
    [10, 79.83843],
    [25, 93.03114],
    [50, 100.67294],
  ] as const;
  for (const [T, level] of expected) near(gevReturnLevel(gev, T) / level, 1, 2e-5);
});

test('the fitted GEV has exactly the L-skewness it was fitted to, for every shape', () => {
  for (let t3 = -0.9; t3 <= 0.95; t3 += 0.05) {
    const gev = gevFromLMoments({ l1: 10, l2: 2, t3 });
    // L-moments by their definition: integrals of the quantile function times shifted Legendre polynomials.
    let l1 = 0;
    let l2 = 0;
    let l3 = 0;
    const n = 40_000;
    for (let i = 0; i < n; i++) {
      const p = (i + 0.5) / n;
      const x = gevQuantile(gev, p);
      l1 += x / n;
      l2 += (x * (2 * p - 1)) / n;
      l3 += (x * (6 * p * p - 6 * p + 1)) / n;
    }
    if (gev.shape < -0.6) continue; // the midpoint rule is too inaccurate for such a heavy tail
    near(l1, 10, 0.05);
    near(l2, 2, 0.05);
    near(l3 / l2, t3, 0.02);
  }
});

test('the Gumbel limit joins both sides smoothly', () => {
  const gumbel = 0.169925001442312; // L-skewness of a Gumbel distribution: ln(9/8)/ln 2
  const at = gevFromLMoments({ l1: 0, l2: 1, t3: gumbel });
  near(at.shape, 0, 1e-9);
  const levels = [-1e-6, 0, 1e-6].map((d) =>
    gevReturnLevel(gevFromLMoments({ l1: 0, l2: 1, t3: gumbel + d }), 100),
  );
  near(levels[0]!, levels[1]!, 1e-4);
  near(levels[2]!, levels[1]!, 1e-4);
});

test('return levels rise with the return period, and the CDF inverts the quantile', () => {
  for (const shape of [-0.4, 0, 0.4]) {
    const gev = { location: 20, scale: 3, shape };
    let last = -Infinity;
    for (const T of [1.1, 2, 5, 10, 50, 200, 1000]) {
      const level = gevReturnLevel(gev, T);
      assert.ok(level > last);
      near(gevCdf(gev, level), 1 - 1 / T, 1e-12);
      last = level;
    }
  }
  assert.equal(gevCdf({ location: 0, scale: 1, shape: 0.5 }, 3), 1, 'above the upper bound');
  assert.equal(gevCdf({ location: 0, scale: 1, shape: -0.5 }, -3), 0, 'below the lower bound');
});

test('impossible moments and return periods are refused', () => {
  assert.throws(() => gevFromLMoments({ l1: 0, l2: 0, t3: 0 }), RangeError);
  assert.throws(() => gevFromLMoments({ l1: 0, l2: 1, t3: 1 }), RangeError);
  assert.throws(() => gevReturnLevel({ location: 0, scale: 1, shape: 0 }, 1), RangeError);
});

test(
  'L-moment fits lie within two standard errors of the published maximum-likelihood fits (Coles 2001; evd, ismev, extRemes records)',
  { skip: absent },
  () => {
    const fits = JSON.parse(readFileSync(join(RECORDS, 'fits.json'), 'utf8')) as Published[];
    assert.ok(fits.length >= 5);
    for (const { name, fit } of fits) {
      const values = readFileSync(join(RECORDS, `${name}.csv`), 'utf8')
        .trim()
        .split('\n')
        .slice(1)
        .map((line) => Number(line.split(',')[1]));
      const ours = gevFromLMoments(sampleLMoments(values));
      assert.ok(
        Math.abs(ours.location - fit.location) <= 2 * fit.se_location,
        `${name} location ${ours.location}`,
      );
      assert.ok(Math.abs(ours.scale - fit.scale) <= 2 * fit.se_scale, `${name} scale ${ours.scale}`);
      // The published shape has the opposite sign: positive means a heavy tail.
      assert.ok(Math.abs(-ours.shape - fit.shape) <= 2 * fit.se_shape, `${name} shape ${-ours.shape}`);
    }
  },
);

test(
  'Dutch 50-year gusts by L-moments agree with the published fits within 6 % (KNMI records, SpatialExtremes)',
  { skip: absent },
  () => {
    const series = new Map<string, number[]>();
    for (const line of readFileSync(join(RECORDS, 'netherlands_gust_annual_max.csv'), 'utf8')
      .trim()
      .split('\n')
      .slice(1)) {
      const [station, , value] = line.split(',');
      series.set(station!, [...(series.get(station!) ?? []), Number(value)]);
    }
    const [header, ...rows] = readFileSync(join(RECORDS, 'netherlands_gust_gev_fits.csv'), 'utf8')
      .trim()
      .split('\n');
    const column = header!.split(',').indexOf('return_level_50');
    assert.ok(rows.length > 10);
    for (const row of rows) {
      const cells = row.split(',');
      const level = gevReturnLevel(gevFromLMoments(sampleLMoments(series.get(cells[0]!)!)), 50);
      const ratio = level / Number(cells[column]);
      assert.ok(Math.abs(ratio - 1) < 0.06, `station ${cells[0]}: ${ratio}`);
    }
  },
);
