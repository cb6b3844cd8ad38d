import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { fromFile } from 'geotiff';
import type { Explanation, LayerMeta, LayerReading } from '../assessment.ts';
import { cycloneDamageRatio } from './emanuel.ts';
import { expectedAnnualDamage } from '../expected-annual-damage.ts';
import { regionalShape, returnLevels } from './gust-climate.ts';
import { windstormDamageRatio } from './schwierz.ts';
import { normalQuantile } from '../../numerics/normal.ts';
import { stormModel } from './storm.ts';

const SHARED = join(import.meta.dirname, '../../../shared/data');
const YEARS = [2, 5, 10, 25, 50, 100, 250];

function card(
  layer: string,
  returnPeriodYears: number | null = null,
  more: Partial<LayerMeta> = {},
): LayerMeta {
  const rest = { version: 'v1', unit: 'm/s', date: '2020-01-01', licence: 'public domain', source: 'test' };
  return { layer, returnPeriodYears, resolutionM: 1000, ...rest, ...more };
}

/** A catalogue and what it says at a point, entry by entry. */
type Said = readonly (readonly [card: LayerMeta, value: number | null])[];

function explain(said: Said, lat: number, lng: number): Explanation {
  const given = said.map(([, value]): LayerReading =>
    value === null ? { ok: false, reason: 'nodata' } : { ok: true, value },
  );
  return stormModel.prepare(said.map(([meta]) => meta)).explain(given, lat, lng);
}

const coast = (km: number): Said => [[card('coast-distance'), km]];
const gusts = (levels: Readonly<Record<number, number>>, more: Partial<LayerMeta> = {}): Said =>
  Object.entries(levels).map(([T, value]) => [card('gust', Number(T), more), value]);
const cyclones = (
  value: (T: number) => number,
  count: number | null = 30,
  more: Partial<LayerMeta> = {},
): Said => [
  ...YEARS.map((T) => [card('cyclone-wind', T, more), value(T)] as const),
  [card('cyclone-count', null, more), count],
];

const INLAND = [47.4, 8.5] as const;
const MANILA = [14.6, 120.98] as const;

test('a gust layer answers in place of the prior: its levels are the curve, and the prior is not mentioned', () => {
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

test('a cyclone layer ends the silence of its basin, and its own storm count sets the spread', () => {
  const silent = explain(coast(2), ...MANILA);
  assert.deepEqual([silent.confidence, silent.reasons[0]!.code], [0, 'outside']);
  const derived = { version: 'ibtracs-2024' };
  const wind = (T: number): number => 25 + 8 * Math.log(T);
  const known = explain([...coast(2), ...cyclones(wind, 60, derived)], ...MANILA);
  assert.ok(known.confidence > 0 && known.reasons.every(({ code }) => code !== 'outside'));
  assert.equal(known.hazardCurve.length, YEARS.length);
  const few = explain([...coast(2), ...cyclones(wind, 2, derived)], ...MANILA);
  assert.ok(few.hazardCurve[4]!.high > known.hazardCurve[4]!.high, 'two storms tell less than sixty');
  const foreign: Said = [[card('cyclone-count', null, { version: 'other', resolutionM: 10 }), 5000]];
  const mixed = explain([...coast(2), ...foreign, ...cyclones(wind, 2, derived)], ...MANILA);
  assert.deepEqual(mixed.hazardCurve, few.hazardCurve, 'the count of another version is not asked');
});

test('the short answer is that of the long one, whatever was asked before: far inland, near the sea, in doubt', () => {
  const said: Said = [
    ...coast(0),
    ...YEARS.map((T) => [card('sea-wind', T), 0] as const),
    ...cyclones(() => 0),
  ];
  const assessor = stormModel.prepare(said.map(([meta]) => meta));
  /** Sea winds of a place, and its cyclones; null: nothing is known. */
  const place = (coastKm: number, seaWind: number | null, cyclone: number | null): LayerReading[] =>
    said.map(([{ layer, returnPeriodYears: T }]) => {
      const value = layer === 'coast-distance' ? coastKm : layer === 'sea-wind' ? seaWind : cyclone;
      const grows = layer === 'cyclone-count' || T === null ? 0 : Math.log(T);
      return value === null
        ? { ok: false, reason: 'nodata' }
        : { ok: true, value: value === 0 ? 0 : value + grows };
    });
  const asked: readonly (readonly [LayerReading[], number, number])[] = [
    [place(900, null, 0), ...INLAND], // far from any sea
    [place(5, 25, 0), ...INLAND],
    [place(900, 10, 0), ...INLAND], // near a calm one
    [place(900, null, null), ...MANILA], // in a basin that no layer knows
    [place(900, null, 40), ...MANILA],
    [place(900, null, null), ...INLAND],
  ];
  const scores = new Set<number>();
  for (let turn = 0; turn < 2; turn++)
    for (const given of asked) {
      const { riskScore, confidence, expectedAnnualDamageRatio } = assessor.explain(...given);
      assert.deepEqual(assessor.assess(...given), { riskScore, confidence, expectedAnnualDamageRatio });
      scores.add(confidence);
    }
  assert.ok(scores.size >= 4, 'they differ');
});

test('where a cyclone layer has nothing, the basin is as unknown as without it', () => {
  const said: Said = [...coast(2), ...cyclones(() => 0, null).map(([meta]) => [meta, null] as const)];
  assert.equal(explain(said, ...MANILA).confidence, 0);
});

test('both causes are independent: F = F_synoptic F_cyclone, by brute force over a million years', () => {
  // Both curves are straight in the logarithm of the rate, so both are drawn by inversion.
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

test('errors of two causes are apart: gusts that both bring as often are known better than those of either', () => {
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
  // The spread of gust and damage raises a convex damage: by more than nothing, by less than the factor of two deviations.
  assert.ok(windstorm.expectedAnnualDamageRatio > still && windstorm.expectedAnnualDamageRatio < 3 * still);
  const calm = gusts({ 50: 1 });
  const cyclone = explain([...coast(10), ...calm, ...cyclones(() => 60, 10_000)], 25.8, -80.2); // Miami
  // The same average by brute force: winds spread by 0.08 + 0.4 / sqrt(10,000), half-damage winds by 0.25 (docs/methods).
  let mean = 0;
  for (let i = 0; i < 200; i++)
    for (let j = 0; j < 200; j++)
      mean +=
        cycloneDamageRatio(
          60 * Math.exp(0.084 * normalQuantile((i + 0.5) / 200)),
          89.2 * Math.exp(0.25 * normalQuantile((j + 0.5) / 200)),
        ) / 40_000;
  const sure = expectedAnnualDamage(
    YEARS,
    YEARS.map(() => mean),
  );
  assert.ok(
    Math.abs(cyclone.expectedAnnualDamageRatio / sure - 1) < 0.03,
    `${cyclone.expectedAnnualDamageRatio}, ${sure}`,
  );
});

test('confidence falls as data go missing: gust map, then sea climate, then the inland prior alone', () => {
  const sea: Said = YEARS.map((T) => [card('sea-wind', T, { resolutionM: 222_639 }), 18 + 2 * Math.log(T)]);
  const mapped = explain([...coast(70), ...gusts({ 2: 30.8, 10: 34.3, 50: 38, 250: 41.6 })], ...INLAND);
  const climate = explain([...coast(70), ...sea], ...INLAND);
  const alone = explain(coast(70), ...INLAND);
  assert.ok(mapped.confidence > climate.confidence, `${mapped.confidence}, ${climate.confidence}`);
  assert.ok(climate.confidence > alone.confidence, `${climate.confidence}, ${alone.confidence}`);
  const width = ({ hazardCurve }: Explanation): number => hazardCurve[4]!.high / hazardCurve[4]!.low;
  assert.ok(width(mapped) < width(climate) && width(climate) < width(alone));
});

const LOTHAR = join(SHARED, 'wisc-windstorm-lothar/max_gust_ms.tif');

test(
  'with the footprint of Lothar as the gust layer, cities rank by its gusts (C3S WISC, Met Office)',
  { skip: existsSync(LOTHAR) ? false : `${LOTHAR} is absent` },
  async () => {
    const published = [
      [50.85, 4.35, 29.7], // Brussels
      [51.92, 4.48, 26.8], // Rotterdam
      [53.22, 6.57, 26.3], // Groningen
      [52.37, 4.9, 26.1], // Amsterdam
      [50.94, 6.96, 23.7], // Cologne
    ] as const;
    const tiff = await fromFile(LOTHAR);
    try {
      const image = await tiff.getImage();
      const [west, north] = image.getOrigin() as [number, number];
      const [dx, dy] = image.getResolution() as [number, number];
      let last = 1;
      for (const [lat, lng, gust] of published) {
        const [col, row] = [Math.floor((lng - west) / dx), Math.floor((lat - north) / dy)];
        const raster = await image.readRasters({ window: [col, row, col + 1, row + 1] });
        const value = (raster as unknown as readonly ArrayLike<number>[])[0]![0]!;
        assert.ok(Math.abs(value - gust) < 1, `${value}, published ${gust}`);
        const { riskScore } = explain(
          [...coast(40), ...gusts({ 10: value }, { resolutionM: 4400 })],
          lat,
          lng,
        );
        assert.ok(riskScore < last, `${riskScore} for ${gust} m/s after ${last}`);
        last = riskScore;
      }
    } finally {
      await tiff.close();
    }
  },
);

const IRELAND = join(SHARED, 'ireland-daily-wind');

test(
  'Irish stations, by gust levels of their own records, score in the order of their mean wind (Haslett & Raftery 1989)',
  { skip: existsSync(IRELAND) ? false : `${IRELAND} is absent` },
  () => {
    const lines = (file: string): string[][] =>
      readFileSync(join(IRELAND, file), 'utf8')
        .trim()
        .split('\n')
        .map((line) => line.split(','));
    const [header, ...days] = lines('daily_mean_wind_knots.csv');
    const stations = lines('stations.csv')
      .slice(1)
      .map(([code, , lat, lng, mean]) => {
        const column = header!.indexOf(code!);
        const years = Map.groupBy(days, ([date]) => date!.slice(0, 4));
        // A gust is about twice the mean of its day; the order does not hang on it.
        const maxima = [...years.values()].map(
          (of) => 2 * 0.514444 * Math.max(...of.map((day) => Number(day[column]))),
        );
        return { lat: Number(lat), lng: Number(lng), mean: Number(mean), maxima };
      });
    const region = regionalShape(stations.map(({ maxima }) => maxima));
    const ranked = stations.map(({ lat, lng, mean, maxima }) => {
      const { levels } = returnLevels(maxima, [2, 5, 10, 25, 50, 100], region);
      const said = gusts(Object.fromEntries(levels.map((l) => [l.returnPeriodYears, l.level])));
      return { mean, score: explain([...coast(10), ...said], lat, lng).riskScore };
    });
    const position = (of: readonly number[]): number[] =>
      of.map((v) => of.filter((other) => other > v).length);
    const [byMean, byScore] = [
      position(ranked.map(({ mean }) => mean)),
      position(ranked.map(({ score }) => score)),
    ];
    const n = ranked.length;
    const squares = byMean.reduce((sum, rank, i) => sum + (rank - byScore[i]!) ** 2, 0);
    const spearman = 1 - (6 * squares) / (n * (n * n - 1));
    assert.ok(spearman > 0.85, `rank correlation ${spearman}: ${JSON.stringify(ranked)}`);
  },
);
