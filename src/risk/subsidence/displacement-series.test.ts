import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { GeoTiffStackReader } from '../../sources/imagery/geotiff-stack.ts';
import { angularDistortion, settlementDamageRatio, strengthOf } from './angular-distortion.ts';
import { seasonTilt } from './displacement-season.ts';
import { JULIAN_YEAR_MS } from '../../base/time.ts';
import { fitDisplacement } from './displacement-series.ts';
import { decomposeSights, sightVector } from './line-of-sight.ts';

const DATA = join(import.meta.dirname, '../../../../shared/data');
const absent = existsSync(DATA) ? false : `${DATA} is absent`;

function rows(file: string): string[][] {
  const lines = readFileSync(join(DATA, file), 'utf8').trim().split('\n').slice(1);
  return lines.map((line) => line.split(','));
}

test(
  'plain least squares gives the published rate, error and R2 of PyRate for Sydney to 1e-6',
  { skip: absent },
  async () => {
    const reader = new GeoTiffStackReader();
    const folder = join(DATA, 'sydney-insar-envisat');
    const stack = await reader.open(join(folder, 'cumulative_los_displacement_mm.tif'));
    const published = await reader.open(join(folder, 'published_linear_rate.tif'));
    const timesMs = rows('sydney-insar-envisat/dates.csv').map((row) => Date.parse(row[1]!));
    const bands = [];
    for (let k = 0; k < timesMs.length; k++) bands.push(await stack.readBand(k));
    const expected = [];
    for (let k = 0; k < 4; k++) expected.push(await published.readBand(k));
    await Promise.all([stack.close(), published.close()]);
    let compared = 0;
    for (let i = 0; i < bands[0]!.length; i++) {
      if (!Number.isFinite(expected[0]![i]!) || !(expected[3]![i]! >= 3)) continue;
      const fit = fitDisplacement(
        { timesMs, displacementsMm: bands.map((band) => band[i]!) },
        { method: 'plain', acceleration: false, harmonics: 0, maxFoundSteps: 0 },
      );
      const ours = [fit.velocity.value, fit.velocity.error, fit.rSquared, fit.observationCount];
      for (const [k, value] of ours.entries()) {
        assert.ok(
          Math.abs(value - expected[k]![i]!) <= 1e-6 * Math.max(1, Math.abs(value)),
          `pixel ${i}, band ${k}: ${value}, not ${expected[k]![i]}`,
        );
      }
      compared++;
    }
    assert.ok(compared > 1000, `${compared} pixels`);
  },
);

/** Reads the series of a station of the Japanese data set; columns date, "lon", "lat", vertical [mm]. */
function station(name: string, column: 2 | 3) {
  const series = rows(`japan-gnss-series/${name}.csv`);
  return {
    timesMs: series.map((row) => Date.parse(row[0]!)),
    displacementsMm: series.map((row) => Number(row[column])),
  };
}

const EARTHQUAKE_MS = Date.parse('2011-03-11');
const DAY_MS = 86_400_000;

/**
 * Differences between the median positions of 2011-02-20..03-10 and those of 2011-03-12..31 [mm], from
 * expected.json of the data set.
 */
const STEPS = [
  ['J188', 2, 920, 0.02],
  ['G008', 2, 49.1, 0.15],
  ['J188', 3, 31.6, 0.15],
  ['USUD', 3, 16.3, 0.25],
] as const;

test(
  'the step of 2011-03-11 is found with its published size, horizontally and vertically (helmsman-sun GNSS series)',
  { skip: absent },
  () => {
    for (const [name, column, published, tolerance] of STEPS) {
      const { steps } = fitDisplacement(station(name, column));
      const step = steps.find(({ timeMs }) => Math.abs(timeMs - EARTHQUAKE_MS) <= 2 * DAY_MS);
      assert.ok(step, `${name} ${column}: none found`);
      const off = Math.abs(step.size.value - published);
      assert.ok(
        off <= tolerance * published,
        `${name} ${column}: ${step.size.value} +- ${step.size.error}, published ${published}`,
      );
    }
  },
);

test(
  'no vertical step is found at the earthquake where it is within the noise (helmsman-sun GNSS series)',
  { skip: absent },
  () => {
    for (const name of ['J089', 'G008', 'J861', 'Z121']) {
      const { steps } = fitDisplacement(station(name, 3));
      const near = steps.filter(({ timeMs }) => Math.abs(timeMs - EARTHQUAKE_MS) < 60 * DAY_MS);
      assert.deepEqual(near, [], name);
    }
  },
);

test(
  'station P156 has its least-squares rates, up -1.21, north 12.20, east -31.94 mm/yr, and no vertical step (PBO .pos)',
  { skip: absent },
  () => {
    const text = readFileSync(join(DATA, 'pbo-gnss-p156/P156.pbo.final_igs08.pos'), 'utf8');
    const lines = text.split('\n');
    const first = lines.findIndex((line) => line.startsWith('*YYYYMMDD')) + 1;
    const epochs = lines
      .slice(first)
      .filter((line) => line.trim() !== '')
      .map((line) => line.trim().split(/\s+/));
    const timesMs = epochs.map(([day]) =>
      Date.parse(`${day!.slice(0, 4)}-${day!.slice(4, 6)}-${day!.slice(6, 8)}T12:00:00Z`),
    );
    // dN, dE and dU [m] are the 16th to 18th columns.
    for (const [column, published] of [
      [15, 12.2],
      [16, -31.94],
      [17, -1.21],
    ] as const) {
      const displacementsMm = epochs.map((epoch) => 1000 * Number(epoch[column]));
      const plain = fitDisplacement(
        { timesMs, displacementsMm },
        { method: 'plain', acceleration: false, harmonics: 0, maxFoundSteps: 0 },
      );
      assert.ok(Math.abs(plain.velocity.value - published) <= 0.005, `${plain.velocity.value}`);
      const robust = fitDisplacement({ timesMs, displacementsMm });
      assert.ok(Math.abs(robust.velocity.value - published) <= 0.5, `${robust.velocity.value}`);
      assert.ok(robust.velocity.error > plain.velocity.error);
      if (column === 17) assert.deepEqual(robust.steps, []);
    }
  },
);

test(
  'the EGMS point on Faial is stable: no step, and its least-squares slope near 0.9 mm/yr',
  { skip: absent },
  () => {
    const series = rows('egms-azores-point/egms_point.csv');
    const timesMs = series.map((row) => Date.parse(row[2]!));
    const fit = fitDisplacement({ timesMs, displacementsMm: series.map((row) => Number(row[3])) });
    assert.equal(fit.steps.length, 0);
    assert.ok(Math.abs(fit.velocity.value - 0.9) < 2 * fit.velocity.error);
  },
);

test('the terms of a simulated series are recovered despite gaps and an outlier', () => {
  const timesMs = Array.from({ length: 400 }, (_, i) => i * 6 * 86_400_000);
  const middle = timesMs[399]! / 2;
  const displacementsMm = timesMs.map((ms, i) => {
    const t = (ms - middle) / JULIAN_YEAR_MS;
    const noise = 0.3 * Math.sin(i * i * 1.7);
    return i % 11 === 0
      ? Number.NaN
      : 3 - 7 * t + 0.5 * t * t + 2 * Math.sin(2 * Math.PI * t) + (i >= 230 ? 12 : 0) + noise;
  });
  displacementsMm[50] = 400;
  const fit = fitDisplacement({ timesMs, displacementsMm });
  assert.ok(Math.abs(fit.velocity.value + 7) < 0.1, `${fit.velocity.value}`);
  assert.ok(Math.abs(fit.acceleration!.value - 1) < 0.1, `${fit.acceleration!.value}`);
  assert.deepEqual(
    fit.steps.map((step) => step.timeMs),
    [timesMs[230]],
  );
  assert.ok(Math.abs(fit.steps[0]!.size.value - 12) < 0.3);
});

/** Normal noise from a fixed seed, with a given correlation between successive values. */
function noise(count: number, correlation: number, seed: number): Float64Array {
  let state = seed;
  const uniform = (): number => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0; // Numerical Recipes
    return (state + 0.5) / 2 ** 32;
  };
  let last = 0;
  return Float64Array.from({ length: count }, (_, i) => {
    const fresh = Math.sqrt(-2 * Math.log(uniform())) * Math.cos(2 * Math.PI * uniform());
    last = i === 0 ? fresh : correlation * last + Math.sqrt(1 - correlation ** 2) * fresh;
    return last;
  });
}

test('a step and its decay are recovered; a movement that reverses within a season is not a step', () => {
  const timesMs = Array.from({ length: 2000 }, (_, i) => i * DAY_MS);
  const scatter = noise(2000, 0, 7);
  const jumped = timesMs.map(
    (_, i) => scatter[i]! + (i >= 900 ? 20 + 6 * Math.log1p((i - 900) / 365.25 / 0.1) : 0),
  );
  const { steps } = fitDisplacement({ timesMs, displacementsMm: jumped });
  assert.equal(steps.length, 1);
  assert.ok(Math.abs(steps[0]!.size.value - 20) < 2, `${steps[0]!.size.value}`);
  assert.ok(steps[0]!.decay !== null && Math.abs(steps[0]!.decay.amplitude.value - 6) < 2);
  const snow = timesMs.map((_, i) => scatter[i]! + (i >= 900 && i < 960 ? 12 : 0));
  assert.deepEqual(fitDisplacement({ timesMs, displacementsMm: snow }).steps, []);
});

test('errors of short series match the simulated errors, for white and for correlated noise', () => {
  for (const correlation of [0, 0.5]) {
    let within = 0;
    for (let seed = 1; seed <= 300; seed++) {
      // Three years of monthly dates: fewer than 64 observations.
      const timesMs = Array.from({ length: 36 }, (_, i) => i * 30.4 * DAY_MS);
      const { velocity } = fitDisplacement({ timesMs, displacementsMm: noise(36, correlation, seed * 7919) });
      if (Math.abs(velocity.value) <= 1.645 * velocity.error) within++;
    }
    assert.ok(within >= 0.82 * 300, `${within} of 300 at ${correlation}`);
  }
});

test('the error of a velocity from less than two and a half years includes that of a season of 3 mm with unknown phase', () => {
  for (const spanYears of [0.5, 1.25, 2]) {
    const count = 4000;
    const years = Float64Array.from({ length: count }, (_, i) => (i / (count - 1) - 0.5) * spanYears);
    const squares = years.reduce((sum, t) => sum + t * t, 0);
    let tilts = 0;
    for (let phase = 0; phase < 24; phase++) {
      const angle = (2 * Math.PI * phase) / 24;
      const slope = years.reduce((sum, t) => sum + t * 3 * Math.sin(2 * Math.PI * t + angle), 0) / squares;
      tilts += slope ** 2 / 24;
    }
    const expected = Math.sqrt(tilts);
    assert.ok(Math.abs(seasonTilt(spanYears) / expected - 1) < 0.02, `${spanYears}: ${expected}`);
    const timesMs = Array.from({ length: 40 }, (_, i) => (i / 39) * spanYears * JULIAN_YEAR_MS);
    const { velocity } = fitDisplacement({ timesMs, displacementsMm: noise(40, 0, 3).map((z) => 0.01 * z) });
    assert.ok(velocity.error >= seasonTilt(spanYears) && velocity.error < 1.1 * expected);
  }
});

test('vertical and east are recovered from two tracks; twice the same track is refused', () => {
  const views = [
    { incidenceDeg: 39, headingDeg: -10 },
    { incidenceDeg: 34, headingDeg: 190 },
  ] as const;
  const [a, b] = views.map((view) => {
    const [e, , u] = sightVector(view);
    return { view, value: 4 * e - 9 * u, error: 1 };
  });
  const { up, east } = decomposeSights(a!, b!);
  assert.ok(Math.abs(up + 9) < 1e-12 && Math.abs(east - 4) < 1e-12);
  assert.throws(() => decomposeSights(a!, a!), RangeError);
});

test('half of the buildings are damaged at each limit of Skempton & MacDonald (1956, as cited), more beyond', () => {
  const limits = [1 / 500, 1 / 300, 1 / 150];
  const added = [0.03, 0.12, 0.45]; // differences between successive damage ratios: 0, 0.03, 0.15 and 0.6
  const logistic = (x: number): number => 1 / (1 + Math.exp(-x));
  const expected = (distortion: number): number =>
    limits.reduce((sum, limit, j) => sum + added[j]! * logistic(Math.log(distortion / limit) / 0.35), 0);
  for (const [j, limit] of limits.entries()) {
    const ratio = settlementDamageRatio(strengthOf(limit), 0, 0);
    assert.ok(Math.abs(ratio - expected(limit)) < 1e-12);
    // At a limit, that limit itself contributes exactly half of its step.
    const others = expected(limit) - added[j]! * logistic(0);
    assert.ok(Math.abs(ratio - others - added[j]! / 2) < 1e-12);
  }
  let last = -1;
  for (const gradient of [0, 0.001, -0.01, 0.1, -1, 10]) {
    const ratio = settlementDamageRatio(strengthOf(angularDistortion(gradient)), 0, 0);
    assert.ok(ratio > last);
    last = ratio;
  }
});
