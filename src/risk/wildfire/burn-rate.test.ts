import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { type FirePlace, modelledRate } from './modelled-rate.ts';
import { burnProbability, burnRate } from './burn-rate.ts';
import { severityOfMeanIndex } from './seasonal-severity.ts';
import { fuelOf, isOpenWater, UNKNOWN_FUEL } from './fire-fuel.ts';

const TABLE = join(import.meta.dirname, '../../../data/tables/burn-probability.csv');
const FITTED = new Map(
  readFileSync(TABLE, 'utf8')
    .trim()
    .split('\n')
    .slice(1)
    .map((line) => {
      const [kind, name, value, error] = line.split(',') as [string, string, string, string];
      return [`${kind}/${name}`, { value: Number(value), error: Number(error) }] as const;
    }),
);

const WOOD: FirePlace = {
  severity: 14,
  severityError: 0.14,
  fuel: fuelOf(10)!,
  coverError: 0,
  slope: 5,
  burnHistory: Number.NaN,
  fireFrequency: Number.NaN,
  recordYears: Number.NaN,
};

function near(actual: number, expected: number, tolerance: number, what: string): void {
  assert.ok(Math.abs(actual - expected) <= tolerance, `${what}: ${actual}, expected ${expected}`);
}

/** Returns the standard deviation of the logarithms of the draws of the rate. */
function spread(place: FirePlace): number {
  const logs = burnRate(place).draws.map(Math.log);
  const mean = logs.reduce((sum, log) => sum + log, 0) / logs.length;
  return Math.sqrt(logs.reduce((sum, log) => sum + (log - mean) ** 2, 0) / logs.length);
}

test('the effects of fuel and slope equal the fitted table (scripts/fit-burn-probability.ts)', () => {
  for (const [code, key] of [
    [50, 'pooled/built-up'],
    [40, 'pooled/cropland'],
    [30, 'pooled/grassland'],
    [10, 'pooled/tree cover'],
    [20, 'pooled/shrubland'],
    [112, 'land use/urban'],
    [211, 'land use/farm'],
    [231, 'land use/meadow'],
    [311, 'land use/denseforest'],
    [312, 'land use/conifer'],
    [313, 'land use/mixedforest'],
    [321, 'land use/grassland'],
    [323, 'land use/bush'],
    [324, 'land use/scrub'],
  ] as const) {
    near(fuelOf(code)!.logRate, FITTED.get(key)!.value, 1e-4, key);
    near(fuelOf(code)!.logRateError, FITTED.get(key)!.error, 1e-9, key);
  }
  const steep = burnRate({ ...WOOD, slope: 15 }).mean / burnRate(WOOD).mean;
  near(Math.log(steep) / 10, FITTED.get('slope/per degree')!.value, 1e-4, 'slope');
});

test('forests and scrub burn more than meadows and towns (README of the fires)', () => {
  const rateOf = (code: number): number => burnRate({ ...WOOD, fuel: fuelOf(code)! }).mean;
  for (const high of [312, 313, 324]) for (const low of [112, 231]) assert.ok(rateOf(high) > rateOf(low));
  for (const high of [10, 20]) for (const low of [30, 40, 50, 60]) assert.ok(rateOf(high) > rateOf(low));
});

test('all codes of WorldCover and CORINE are fuels or water, other codes are neither', () => {
  for (const code of [10, 20, 30, 40, 50, 60, 70, 90, 95, 100, 141, 244, 335, 423])
    assert.ok(fuelOf(code) !== undefined && !isOpenWater(code));
  for (const code of [80, 511, 523]) assert.ok(fuelOf(code) === undefined && isOpenWater(code));
  for (const code of [0, 25, 255, 10.5, 999, Number.NaN])
    assert.ok(fuelOf(code) === undefined && !isOpenWater(code));
});

test('the rate rises with severity, slope and history, whatever else is known', () => {
  for (const fuel of [fuelOf(10)!, fuelOf(50)!, UNKNOWN_FUEL])
    for (const burnHistory of [Number.NaN, 0, 0.01, 0.2]) {
      const rising = [0, 1, 3, 6, 10, 14, 20, 30].map(
        (severity) => burnRate({ ...WOOD, fuel, severity, burnHistory }).mean,
      );
      for (let i = 1; i < rising.length; i++) assert.ok(rising[i]! > rising[i - 1]!);
      const steeper = [0, 5, 20, 45].map((slope) => burnRate({ ...WOOD, fuel, slope, burnHistory }).mean);
      for (let i = 1; i < steeper.length; i++) assert.ok(steeper[i]! > steeper[i - 1]!);
    }
  const histories = [0, 0.001, 0.01, 0.05, 0.3].map((burnHistory) => ({
    mean: burnRate({ ...WOOD, burnHistory }).mean,
    spread: spread({ ...WOOD, burnHistory }),
  }));
  for (let i = 1; i < histories.length; i++) {
    assert.ok(histories[i]!.mean > histories[i - 1]!.mean);
    assert.ok(histories[i]!.spread < histories[i - 1]!.spread);
  }
  assert.ok(severityOfMeanIndex(20) > severityOfMeanIndex(10));
});

test('unknown values widen the spread; with much history the rate approaches the observed one', () => {
  const known = spread({ ...WOOD, burnHistory: 0.01 });
  assert.ok(spread(WOOD) > known);
  assert.ok(spread({ ...WOOD, severity: Number.NaN }) > spread(WOOD));
  assert.ok(spread({ ...WOOD, fuel: UNKNOWN_FUEL }) > spread(WOOD));
  assert.ok(spread({ ...WOOD, coverError: 0.4 }) > spread(WOOD));
  const { mean } = burnRate({ ...WOOD, burnHistory: 0.1 });
  assert.ok(mean > 0.05 && mean < 0.1, `${mean}`);
  const counted = burnRate({ ...WOOD, fireFrequency: 0.2 });
  assert.ok(
    counted.mean > 0.03 && counted.mean < 0.05,
    `${counted.mean}: 0.2 fires of 0.21 km2 a km2 and year`,
  );
});

test('the number of past fires counts for more than the land that they burned, and raises the rate', () => {
  const rising = [0, 0.001, 0.01, 0.1, 1].map(
    (fireFrequency) => burnRate({ ...WOOD, burnHistory: 0.01, fireFrequency }).mean,
  );
  for (let i = 1; i < rising.length; i++) assert.ok(rising[i]! > rising[i - 1]!, rising.join(' '));
  assert.deepEqual(
    burnRate({ ...WOOD, burnHistory: 0.01, fireFrequency: 0.1 }),
    burnRate({ ...WOOD, fireFrequency: 0.1 }),
  );
});

test('a longer record counts for more, and a record of unknown length counts as fifteen years', () => {
  const quiet = (recordYears: number): FirePlace => ({ ...WOOD, fireFrequency: 0, recordYears });
  for (const layer of ['fireFrequency', 'burnHistory'] as const) {
    const means = [5, 10, 20, 40].map((years) => burnRate({ ...WOOD, [layer]: 0, recordYears: years }).mean);
    for (let i = 1; i < means.length; i++)
      assert.ok(means[i]! < means[i - 1]!, `${layer}: ${means.join(' ')}`);
  }
  assert.equal(burnRate(quiet(15)).mean, burnRate(quiet(Number.NaN)).mean);
  const busy = { ...WOOD, fireFrequency: 0.5 };
  assert.ok(spread({ ...busy, recordYears: 5 }) >= spread({ ...busy, recordYears: 40 }));
});

test('the mean equals the posterior by brute force: Poisson fires, gamma places in a lognormal region', () => {
  // Pine forest, severity 14, slope 5: ln rate = ln 0.004 + 0.0752 + 0.0015; 2 fires of 0.21 km2 in 10 years; the variance
  // of counts is 1.6 times their mean.
  const expected = (10 * Math.PI * 25) / 1.6;
  const prior = 0.004 * Math.exp(0.0752 + 0.015 * 0.1);
  let [weight, sum] = [0, 0];
  for (let x = -5; x <= 5; x += 0.05) {
    const region = prior * Math.exp(1.1 * x - 1.1 ** 2 / 2);
    for (let y = -20; y < 1; y += 0.02) {
      const rate = Math.exp(y);
      const density =
        Math.exp(-(x ** 2) / 2) * (rate / region) ** 0.4686 * Math.exp((-0.4686 * rate) / region);
      const posterior = density * rate ** (2 / 1.6) * Math.exp((-rate * expected) / 0.21);
      weight += posterior;
      sum += posterior * rate;
    }
  }
  const { mean } = burnRate({ ...WOOD, fireFrequency: 2 / (10 * Math.PI * 25), recordYears: 10 });
  near(mean / (sum / weight), 1, 0.03, 'posterior mean');
});

test('no burned land is stronger evidence than a little, which may have burned in one fire', () => {
  const rate = (burnHistory: number): number => burnRate({ ...WOOD, burnHistory, recordYears: 10 }).mean;
  assert.ok(rate(0) < rate(1e-6) && rate(1e-6) < rate(1e-4) && rate(1e-4) < rate(1e-3));
  assert.ok(Math.abs(rate(0) / burnRate({ ...WOOD, fireFrequency: 0, recordYears: 10 }).mean - 1) < 1e-12);
});

test('burn probability is 1 - exp(-rate), exact for small rates', () => {
  assert.equal(burnProbability(0), 0);
  near(burnProbability(1), 0.6321205588285577, 1e-15, 'rate 1');
  for (const rate of [1e-12, 1e-6, 9.99e-3, 1.01e-2, 0.3])
    near(burnProbability(rate) / -Math.expm1(-rate), 1, 3e-13, `rate ${rate}`);
});

test('with the climate known, danger, cover and a map without error each narrow the rate, at any usual severity', () => {
  for (const usual of [0.5, 5, 14, 30]) {
    const climate = { rate: 0.01, loss: 0.12, severity: usual };
    const bare: FirePlace = { ...WOOD, climate, severity: Number.NaN, fuel: UNKNOWN_FUEL };
    const spreads = [bare, { ...bare, fuel: WOOD.fuel }, { ...bare, severity: usual, fuel: WOOD.fuel }].map(
      (place) => modelledRate(place).logSpread,
    );
    assert.ok(spreads[1]! < spreads[0]!, `cover at ${usual}: ${spreads.join(' ')}`);
    // The error of a mapped severity grows with it and offsets what the map tells in the driest climates.
    assert.ok(spreads[2]! < spreads[1]! + 0.1, `danger at ${usual}: ${spreads.join(' ')}`);
    near(modelledRate({ ...bare, slope: 4.9 }).logRate, Math.log(0.01), 1e-9, 'level of the climate');
  }
});
