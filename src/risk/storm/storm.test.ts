import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Explanation, LayerReading } from '../assessment.ts';
import { CYCLONE_HALF_DAMAGE_MPS, cycloneDamageRatio } from './emanuel.ts';
import { expectedAnnualDamage } from '../expected-annual-damage.ts';
import { windstormDamageRatio } from './schwierz.ts';
import { normalQuantile } from '../../numerics/normal.ts';
import { stormModel } from './storm.ts';
import { card, coast, cyclones, explain, gusts, type Said } from '../../../test/fixtures/storm-layers.ts';

const YEARS = [2, 5, 10, 25, 50, 100, 250];
const INLAND = [47.4, 8.5] as const;
const MANILA = [14.6, 120.98] as const;

test('a gust layer replaces the prior: its levels are the hazard curve, and no reason mentions the prior', () => {
  const levels = { 2: 22, 5: 25, 10: 28, 25: 31, 50: 34, 100: 36, 250: 39 };
  const answer = explain([...coast(80), ...gusts(levels)], ...INLAND);
  for (const { returnPeriodYears, intensity } of answer.hazardCurve)
    assert.ok(Math.abs(intensity - levels[returnPeriodYears as keyof typeof levels]) < 1e-6);
  assert.deepEqual(answer.reasons, []);
  const prior = explain(coast(80), ...INLAND);
  assert.ok(prior.reasons.some(({ code }) => code === 'prior'));
  assert.ok(answer.confidence > prior.confidence, 'a measured climate is surer than the prior');
});

test('one map of 50 years makes a curve by the probability factor of EN 1991-1-4, and says so', () => {
  const { hazardCurve, reasons, confidence } = explain([...coast(80), ...gusts({ 50: 40 })], ...INLAND);
  const ten = hazardCurve.find(({ returnPeriodYears }) => returnPeriodYears === 10)!;
  assert.ok(Math.abs(ten.intensity / 40 - 0.902) < 1e-3); // c_prob(p = 0.1), K = 0.2, n = 0.5
  assert.deepEqual(
    reasons.map(({ code }) => code),
    ['not-modelled'],
  );
  const all = { 2: 32.4, 5: 34.6, 10: 36.1, 25: 38.3, 50: 40, 100: 41.6, 250: 43.7 };
  assert.ok(confidence <= explain([...coast(80), ...gusts(all)], ...INLAND).confidence);
});

test('the finest gust version with a value answers; another one answers where it has none', () => {
  const coarse = gusts({ 10: 30, 100: 40 }, { version: 'coarse', resolutionM: 25_000 });
  const fine = gusts({ 10: 25, 100: 33 }, { version: 'fine', resolutionM: 500 });
  const gap = fine.map(([meta]) => [meta, null] as const);
  const alone = explain([...coast(80), ...coarse], ...INLAND);
  assert.ok(alone.reasons.some(({ code, message }) => code === 'coarse' && message.includes('25 km')));
  assert.equal(explain([...coast(80), ...coarse, ...gap], ...INLAND).riskScore, alone.riskScore);
  const both = explain([...coast(80), ...coarse, ...fine], ...INLAND);
  assert.equal(both.riskScore, explain([...coast(80), ...fine], ...INLAND).riskScore);
  assert.ok(both.riskScore < alone.riskScore);
});

test('a cyclone layer replaces the drawn cyclones, and its storm count sets the spread', () => {
  const silent = explain(coast(2), ...MANILA);
  assert.ok(silent.reasons.some(({ code }) => code === 'outside'));
  const derived = { version: 'ibtracs-2024' };
  const wind = (T: number): number => 25 + 8 * Math.log(T);
  const known = explain([...coast(2), ...cyclones(wind, 60, derived)], ...MANILA);
  assert.ok(known.confidence > 0 && known.reasons.every(({ code }) => code !== 'outside'));
  assert.equal(known.hazardCurve.length, YEARS.length);
  assert.ok(known.riskScore > silent.riskScore, 'tracks do not make Manila safer');
  const few = explain([...coast(2), ...cyclones(wind, 2, derived)], ...MANILA);
  assert.ok(few.hazardCurve[4]!.high > known.hazardCurve[4]!.high, 'two storms tell less than sixty');
  const foreign: Said = [[card('cyclone-count', null, { version: 'other', resolutionM: 10 }), 5000]];
  const mixed = explain([...coast(2), ...foreign, ...cyclones(wind, 2, derived)], ...MANILA);
  assert.deepEqual(mixed.hazardCurve, few.hazardCurve, 'the count of another version is not asked');
});

test('the gust of the climate zone replaces the one inland prior, and is surer', () => {
  const none: Said = cyclones(() => 0);
  const alone = explain([...coast(80), ...none], ...INLAND);
  const zone = (gust: number): Said => [[card('inland-gust', null, { resolutionM: 55_660 }), gust]];
  const [equator, plains] = [30, 38].map((gust) =>
    explain([...coast(80), ...none, ...zone(gust)], ...INLAND),
  );
  assert.ok(equator!.riskScore < alone.riskScore && plains!.riskScore > equator!.riskScore + 0.05);
  const fifty = plains!.hazardCurve.find(({ returnPeriodYears }) => returnPeriodYears === 50)!;
  assert.ok(Math.abs(fifty.intensity - 38) < 1e-6);
  const width = ({ hazardCurve }: Explanation): number => hazardCurve[4]!.high / hazardCurve[4]!.low;
  assert.ok(width(plains!) < width(alone));
  assert.match(alone.reasons.map(({ message }) => message).join(), /no climate zone is known/);
});

test('both calibrations of the damage count, so that the mean lies between them (Eberenz et al. 2021)', () => {
  const calm = gusts({ 50: 1 });
  const sure = explain([...coast(10), ...calm, ...cyclones((T) => (T >= 100 ? 50 : 0), 10_000)], ...MANILA);
  const at250 = sure.hazardCurve.at(-1)!.damageRatio;
  const [byTotal, bySingle] = [188.4, 84.7].map((half) => cycloneDamageRatio(50, half));
  const middle = (byTotal! + bySingle!) / 2;
  assert.ok(Math.abs(at250 / middle - 1) < 0.25, `${at250}, between ${byTotal} and ${bySingle}`);
});

test('a building that stands is made for its climate: what comes often does not take half of it', () => {
  const calm = gusts({ 50: 1 });
  const { hazardCurve, riskScore } = explain(
    [...coast(10), ...calm, ...cyclones(() => 70, 10_000)],
    -17.7,
    168.3, // Port Vila: half-damage winds of 49.7 and 64.1 m/s
  );
  for (const { returnPeriodYears: T, damageRatio } of hazardCurve)
    assert.ok(damageRatio < (3 * T) / (T + 700), `${T} years: ${damageRatio}`);
  assert.ok(riskScore > 0.5 && riskScore < 0.7, `${riskScore}`);
});

test('assess gives the same answer as explain whatever was asked before: far inland, near the sea, in an unmapped basin', () => {
  const said: Said = [
    ...coast(0),
    ...YEARS.map((T) => [card('sea-wind', T), 0] as const),
    ...cyclones(() => 0),
  ];
  const assessor = stormModel.prepare(said.map(([meta]) => meta));
  /** Readings at a place with this sea wind and cyclone wind; null means nodata. */
  const place = (coastKm: number, seaWind: number | null, cyclone: number | null): LayerReading[] =>
    said.map(([{ layer, returnPeriodYears: T }]) => {
      const value = layer === 'coast-distance' ? coastKm : layer === 'sea-wind' ? seaWind : cyclone;
      const grows = layer === 'cyclone-count' || T === null ? 0 : Math.log(T);
      return value === null
        ? { ok: false, reason: 'nodata' }
        : { ok: true, value: value === 0 ? 0 : value + grows };
    });
  const asked: readonly (readonly [LayerReading[], number, number])[] = [
    [place(900, null, 0), ...INLAND], // far from the sea
    [place(5, 25, 0), ...INLAND],
    [place(900, 10, 0), ...INLAND], // near a calm sea
    [place(900, null, null), ...MANILA], // in a basin without a cyclone layer
    [place(900, null, 40), ...MANILA],
    [place(900, null, null), ...INLAND],
  ];
  const answers = new Set<string>();
  for (let turn = 0; turn < 2; turn++)
    for (const given of asked) {
      const { riskScore, confidence, expectedAnnualDamageRatio } = assessor.explain(...given);
      assert.deepEqual(assessor.assess(...given), { riskScore, confidence, expectedAnnualDamageRatio });
      answers.add(`${riskScore} ${confidence}`);
    }
  assert.ok(answers.size >= 4, 'they differ');
});

test('where a cyclone layer has no value, the answer is the same as without the layer', () => {
  const said: Said = [...coast(2), ...cyclones(() => 0, null).map(([meta]) => [meta, null] as const)];
  const [gap, none] = [explain(said, ...MANILA), explain(coast(2), ...MANILA)];
  assert.deepEqual([gap.riskScore, gap.confidence], [none.riskScore, none.confidence]);
});

test('windstorms and cyclones are independent: F = F_synoptic F_cyclone, by brute force over a million years', () => {
  // Both curves are linear in the logarithm of the rate, so both are drawn by inversion.
  const rate = (T: number): number => -Math.log(1 - 1 / T);
  const gust = (r: number): number => 24 - 3 * Math.log(r);
  const cyclone = (r: number): number => (20 - 6 * Math.log(r)) / 1.11;
  const levels = Object.fromEntries(YEARS.map((T) => [T, gust(rate(T))]));
  const { hazardCurve } = explain(
    [...coast(80), ...gusts(levels), ...cyclones((T) => cyclone(rate(T)))],
    25,
    -80,
  );
  let state = 1;
  const random = (): number => (state = (state * 48271) % 2147483647) / 2147483647; // Park & Miller 1988
  const maxima = Float64Array.from({ length: 1_000_000 }, () =>
    Math.max(gust(-Math.log(random())), 1.11 * cyclone(-Math.log(random()))),
  ).sort();
  for (const T of [10, 25, 50, 100]) {
    const drawn = maxima[Math.round(maxima.length * (1 - 1 / T))]!;
    const given = hazardCurve.find(({ returnPeriodYears }) => returnPeriodYears === T)!.intensity;
    assert.ok(Math.abs(given / drawn - 1) < 0.01, `${T} years: ${given}, drawn ${drawn}`);
  }
});

test('errors of the two causes are independent: gusts that both cause equally often are better known than those of one', () => {
  const level = (T: number): number => 22 + 5 * Math.log(T);
  const gust = gusts(Object.fromEntries(YEARS.map((T) => [T, level(T)])));
  const calm = gusts(Object.fromEntries(YEARS.map((T) => [T, 1])));
  const cyclone = cyclones((T) => level(T) / 1.11, 100);
  const width = (...said: Said[]): number => {
    const { low, high } = explain([...coast(80), ...said.flat()], 25, -80).hazardCurve[3]!;
    return Math.log(high / low);
  };
  const [byGust, byCyclone] = [width(gust), width(calm, cyclone)];
  assert.ok(Math.abs(width(gust, cyclone) - Math.hypot(byGust, byCyclone) / 2) < 0.01 * byGust);
});

test('the score rises with every level of each hazard alone, and the curve with the return period', () => {
  const base = { 2: 24, 10: 29, 50: 34, 250: 39 };
  const scoreOf = (levels: Readonly<Record<number, number>>, wind: number): number =>
    explain([...coast(30), ...gusts(levels), ...cyclones((T) => wind + 5 * Math.log(T))], 25, -80).riskScore;
  for (const T of [2, 10, 50, 250])
    for (let more = 0; more < 6; more++)
      assert.ok(
        scoreOf({ ...base, [T]: base[T as 50] + more + 1 }, 20) >=
          scoreOf({ ...base, [T]: base[T as 50] + more }, 20),
      );
  for (let wind = 5; wind < 70; wind += 5) assert.ok(scoreOf(base, wind + 5) >= scoreOf(base, wind));
  const { hazardCurve } = explain([...coast(30), ...gusts({ 10: 35, 50: 30, 100: 32 })], 25, -80);
  for (const [i, { intensity, damageRatio }] of hazardCurve.entries()) {
    if (i === 0) continue;
    assert.ok(intensity >= hazardCurve[i - 1]!.intensity, 'also where maps contradict each other');
    assert.ok(damageRatio >= hazardCurve[i - 1]!.damageRatio);
  }
});

test('damage is Schwierz of the gust and Emanuel of the cyclone, averaged over their spread', () => {
  const gust = 40;
  const windstorm = explain(
    [...coast(80), ...gusts(Object.fromEntries(YEARS.map((T) => [T, gust])))],
    ...INLAND,
  );
  const still = expectedAnnualDamage(
    YEARS,
    YEARS.map(() => windstormDamageRatio(gust)),
  );
  // The spread of gusts and damage raises the mean, because damage is convex, but by less than a factor of three.
  assert.ok(windstorm.expectedAnnualDamageRatio > still && windstorm.expectedAnnualDamageRatio < 3 * still);
  const calm = gusts({ 50: 1 });
  const cyclone = explain([...coast(10), ...calm, ...cyclones(() => 60, 10_000)], 25.8, -80.2); // Miami
  // The same mean by brute force, with log spreads of winds, hypot(0.12, 0.5 / sqrt(10,004)), of the excess of the
  // half-damage wind, 0.35 about the value that keeps the mean of its inverse cube, and of the design period, 1
  // about the value that keeps the mean of its inverse at that of 700 years.
  const n = 60;
  const z = (i: number): number => normalQuantile((i + 0.5) / n);
  const sum = new Float64Array(YEARS.length);
  for (const half of CYCLONE_HALF_DAMAGE_MPS['usa-canada'])
    for (let i = 0; i < n; i++)
      for (let j = 0; j < n; j++)
        for (let k = 0; k < n; k++) {
          const excess = (half - 25.7) * Math.exp(0.35 * z(j) + 1.5 * 0.35 ** 2);
          const damage = cycloneDamageRatio(60 * Math.exp(0.1201 * z(i)), 25.7 + excess);
          for (const [t, T] of YEARS.entries())
            sum[t]! += Math.min(damage, T / (T + 700 * Math.exp(z(k) + 0.5))) / (2 * n ** 3);
        }
  const sure = expectedAnnualDamage(YEARS, sum);
  assert.ok(
    Math.abs(cyclone.expectedAnnualDamageRatio / sure - 1) < 0.05,
    `${cyclone.expectedAnnualDamageRatio}, ${sure}`,
  );
});

test('confidence falls as data go missing: gust map, then climate zone, then the inland prior alone', () => {
  const none: Said = cyclones(() => 0);
  const mapped = explain(
    [...coast(70), ...none, ...gusts({ 2: 30.8, 10: 34.3, 50: 38, 250: 41.6 })],
    ...INLAND,
  );
  const zone = explain([...coast(70), ...none, [card('inland-gust'), 36]], ...INLAND);
  const alone = explain([...coast(70), ...none], ...INLAND);
  assert.ok(mapped.confidence > zone.confidence, `${mapped.confidence}, ${zone.confidence}`);
  assert.ok(zone.confidence >= alone.confidence, `${zone.confidence}, ${alone.confidence}`);
  const width = ({ hazardCurve }: Explanation): number => hazardCurve[4]!.high / hazardCurve[4]!.low;
  assert.ok(width(mapped) < width(zone) && width(zone) < width(alone));
});
