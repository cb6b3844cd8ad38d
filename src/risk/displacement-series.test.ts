import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { GeoTiffStackReader } from '../sources/geotiff-stack.ts';
import { angularDistortion, damageProbability, DISTORTION_LIMITS } from './angular-distortion.ts';
import { fitDisplacement, YEAR_MS } from './displacement-series.ts';
import { decomposeSights, sightVector } from './line-of-sight.ts';

const DATA = join(import.meta.dirname, '../../../shared/data');
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

test(
  'the 2011-03-11 earthquake is found in the horizontal of J188 and USUD (helmsman-sun GNSS series)',
  { skip: absent },
  () => {
    for (const station of ['J188', 'USUD']) {
      const series = rows(`japan-gnss-series/${station}.csv`);
      const timesMs = series.map((row) => Date.parse(row[0]!));
      const { steps } = fitDisplacement({ timesMs, displacementsMm: series.map((row) => Number(row[2])) });
      assert.ok(
        steps.some((step) => Math.abs(step.timeMs - Date.parse('2011-03-11')) <= 86_400_000),
        station,
      );
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

test('a made series gives back its terms through gaps and an outlier', () => {
  const timesMs = Array.from({ length: 400 }, (_, i) => i * 6 * 86_400_000);
  const middle = timesMs[399]! / 2;
  const displacementsMm = timesMs.map((ms, i) => {
    const t = (ms - middle) / YEAR_MS;
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

test('two tracks give back the vertical and the east that they were made from; twice the same track is refused', () => {
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

test('damage is even at each limit of Skempton & MacDonald (1956, as cited) and rises with |gradient|', () => {
  for (const limit of DISTORTION_LIMITS) {
    assert.equal(damageProbability(limit, limit), 0.5);
    let last = -1;
    for (const gradient of [0, 0.001, -0.01, 0.1, -1, 10]) {
      const probability = damageProbability(angularDistortion(gradient), limit);
      assert.ok(probability > last);
      last = probability;
    }
  }
});
