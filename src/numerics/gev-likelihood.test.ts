import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { gevByMaximumLikelihood } from './gev-likelihood.ts';
import { gevQuantile, gevReturnLevel } from './gev.ts';

const RECORDS = join(import.meta.dirname, '../../../shared/data/extreme-value-records');
const absent = existsSync(RECORDS) ? false : `${RECORDS} is absent`;

test('maximum likelihood finds the parameters that a large sample was drawn from, within three standard errors', () => {
  for (const shape of [-0.2, 0, 0.2]) {
    const truth = { location: 30, scale: 4, shape };
    const n = 2000;
    const values = Array.from({ length: n }, (_, i) =>
      gevQuantile(truth, (((i * 0.618034) % 1) * n + 0.5) / (n + 1)),
    );
    const { gev, standardErrors } = gevByMaximumLikelihood(values);
    for (const key of ['location', 'scale', 'shape'] as const) {
      const error = Math.abs(gev[key] - truth[key]);
      assert.ok(error < 3 * standardErrors[key], `shape ${shape}, ${key}: ${gev[key]}`);
    }
  }
});

test('the fit of values in another unit is the same fit in that unit', () => {
  const metres = [3.1, 4.2, 3.6, 5.9, 4.4, 3.9, 4.8, 7.2, 4.1, 5.1, 3.3, 4.6];
  const { gev } = gevByMaximumLikelihood(metres);
  const feet = gevByMaximumLikelihood(metres.map((value) => value / 0.3048)).gev;
  assert.ok(Math.abs(feet.location * 0.3048 - gev.location) < 1e-5);
  assert.ok(Math.abs(feet.scale * 0.3048 - gev.scale) < 1e-5);
  assert.ok(Math.abs(feet.shape - gev.shape) < 1e-5);
});

test('samples that are too short, constant or not finite are refused', () => {
  assert.throws(() => gevByMaximumLikelihood([1, 2]), RangeError);
  assert.throws(() => gevByMaximumLikelihood([4, 4, 4, 4]), RangeError);
  assert.throws(() => gevByMaximumLikelihood([1, 2, 3, Number.NaN]), RangeError);
});

test(
  'maximum-likelihood fits equal the published ones within 1 % (Coles 2001; evd, ismev, extRemes records)',
  { skip: absent },
  () => {
    const fits = JSON.parse(readFileSync(join(RECORDS, 'fits.json'), 'utf8')) as {
      readonly name: string;
      readonly fit: Readonly<Record<string, number>>;
    }[];
    assert.ok(fits.length >= 5);
    for (const { name, fit } of fits) {
      const values = rows(`${name}.csv`).map((row) => Number(row[1]));
      checkLikelihood(name, values, fit);
    }
  },
);

test(
  'maximum-likelihood fits have the digits printed in the literature (Coles 2001 for Port Pirie; Gilleland & Katz 2016 for Port Jervis; records of evd, ismev, extRemes)',
  { skip: absent },
  () => {
    const printed = {
      portpirie_sea_level_m: [3.87, 0.198, -0.05],
      portjervis_winter_tmax_c: [15.14, 2.97, -0.217],
      fortcollins_daily_precip_max_hundredth_inch: [134.7, 53.3, 0.174],
      oxford_temperature_max_f: [83.84, 4.26, -0.287],
      potomac_peak_flow_cfs: [87_534, 42_499, 0.191],
    };
    for (const [name, [location, scale, shape]] of Object.entries(printed)) {
      const { gev } = gevByMaximumLikelihood(rows(`${name}.csv`).map((row) => Number(row[1])));
      assert.ok(Math.abs(gev.location / location! - 1) < 0.002, `${name} location ${gev.location}`);
      assert.ok(Math.abs(gev.scale / scale! - 1) < 0.003, `${name} scale ${gev.scale}`);
      assert.ok(Math.abs(-gev.shape - shape!) < 0.001, `${name} shape ${-gev.shape}`);
    }
    const pirie = gevByMaximumLikelihood(rows('portpirie_sea_level_m.csv').map((row) => Number(row[1])));
    assert.ok(Math.abs(-pirie.negativeLogLikelihood - 4.34) < 0.005);
    assert.ok(Math.abs(gevReturnLevel(pirie.gev, 10) - 4.3) < 0.005);
    assert.ok(Math.abs(gevReturnLevel(pirie.gev, 100) - 4.69) < 0.005);
  },
);

test(
  'maximum-likelihood fits of Dutch gusts and Swiss summer rain equal the published ones within 1 % (SpatialExtremes)',
  { skip: absent },
  () => {
    for (const [data, fits] of [
      ['netherlands_gust_annual_max.csv', 'netherlands_gust_gev_fits.csv'],
      ['swiss_daily_rain_summer_max_mm.csv', 'swiss_rain_gev_fits.csv'],
    ] as const) {
      const stations = Map.groupBy(rows(data), ([station]) => station!);
      const [header, ...published] = rows(fits, 0);
      assert.ok(published.length > 10);
      for (const fit of published) {
        const named = Object.fromEntries(header!.map((column, i) => [column, Number(fit[i])]));
        checkLikelihood(
          `${fits} ${fit[0]}`,
          stations.get(fit[0]!)!.map((line) => Number(line[2])),
          named,
        );
      }
    }
  },
);

function checkLikelihood(
  name: string,
  values: readonly number[],
  fit: Readonly<Record<string, number>>,
): void {
  const { gev, standardErrors, negativeLogLikelihood } = gevByMaximumLikelihood(values);
  const within = (what: string, ours: number, theirs: number, share: number): void =>
    assert.ok(Math.abs(ours / theirs - 1) < share, `${name}, ${what}: ${ours}, expected ${theirs}`);
  within('location', gev.location, fit['location']!, 0.01);
  within('scale', gev.scale, fit['scale']!, 0.01);
  // The published shape has the opposite sign: positive means a heavy tail.
  // It may be near 0, so the tolerance is absolute.
  assert.ok(Math.abs(-gev.shape - fit['shape']!) < 0.001, `${name}, shape: ${-gev.shape}`);
  assert.ok(negativeLogLikelihood < fit['neg_log_lik']! + 1e-4, `${name}: ${negativeLogLikelihood}`);
  for (const T of [10, 50, 100]) within(`${T}`, gevReturnLevel(gev, T), fit[`return_level_${T}`]!, 0.01);
  within('error of the location', standardErrors.location, fit['se_location']!, 0.02);
  within('error of the shape', standardErrors.shape, fit['se_shape']!, 0.02);
}

function rows(file: string, skip = 1): string[][] {
  const lines = readFileSync(join(RECORDS, file), 'utf8').trim().split(/\r?\n/).slice(skip);
  return lines.map((line) => line.split(',').map((cell) => cell.trim()));
}

test('a fit whose shape ends at its limit says that it has no regular maximum', () => {
  assert.equal(gevByMaximumLikelihood([1, 1.1, 1.2, 1.3, 1.4, 50, 4000, 90000]).isRegular, false);
  assert.equal(gevByMaximumLikelihood([23, 25, 24, 28, 31, 22, 27, 26, 29, 24, 33, 25]).isRegular, true);
});
