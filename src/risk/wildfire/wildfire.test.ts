import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import type { Explanation, LayerMeta, LayerReading } from '../assessment.ts';
import { expectedAnnualDamage } from '../expected-annual-damage.ts';
import { wildfireModel } from './wildfire.ts';

function card(layer: string, returnPeriodYears: number | null = null, resolutionM = 100): LayerMeta {
  const rest = { version: 'v1', unit: '1', date: '2021-01-01', licence: 'CC BY 4.0', source: 'test' };
  return { layer, returnPeriodYears, resolutionM, ...rest };
}

const YEARS = [2, 10, 50];
const CARDS = [
  ...wildfireModel.layers.map((layer) => card(layer)),
  ...YEARS.map((years) => card('fire-danger', years)),
];
const ASSESSOR = wildfireModel.prepare(CARDS);

/** Tolerance of a confidence: three of the 64 draws may cross the edges of the confidence band by chance. */
const GRAIN = 0.05;

/** A forested slope in the Mediterranean. */
const WOOD = { 'coast-distance': 20, 'fire-danger': 28, 'land-cover': 10, slope: 8, 'burn-history': 0.004 };

function readings(
  values: Readonly<Record<string, number>>,
  cards: readonly LayerMeta[] = CARDS,
): LayerReading[] {
  return cards.map(({ layer, returnPeriodYears }) => {
    const value = values[returnPeriodYears === null ? layer : `${layer}@${returnPeriodYears}`];
    return value === undefined ? { ok: false, reason: 'outside' } : { ok: true, value };
  });
}

function explain(values: Readonly<Record<string, number>>): Explanation {
  const given = readings(values);
  const long = ASSESSOR.explain(given, 40, -4);
  const short = ASSESSOR.assess(given, 40, -4);
  assert.deepEqual(
    [short.riskScore, short.confidence, short.expectedAnnualDamageRatio],
    [long.riskScore, long.confidence, long.expectedAnnualDamageRatio],
  );
  return long;
}

function without(...names: readonly string[]): Record<string, number> {
  return Object.fromEntries(Object.entries(WOOD).filter(([name]) => !names.includes(name)));
}

test('the score rises with danger, slope, history, and with every return level of danger', () => {
  for (const [name, steps] of [
    ['fire-danger', [0, 2, 5, 11, 21, 28, 38, 50]],
    ['slope', [0, 5, 15, 30, 45]],
    ['burn-history', [0, 0.001, 0.005, 0.02, 0.1, 0.5]],
    ['fire-severity', [0, 0.5, 2, 5, 10, 20, 30]],
    ['fire-frequency', [0, 0.001, 0.01, 0.1, 1, 10]],
  ] as const)
    for (const cover of [10, 20, 40, 50, 312]) {
      const scores = steps.map((value) => explain({ ...WOOD, 'land-cover': cover, [name]: value }).riskScore);
      for (let i = 1; i < scores.length; i++)
        assert.ok(scores[i]! >= scores[i - 1]!, `${name} on ${cover}: ${scores.join(' ')}`);
      assert.ok(scores.at(-1)! > scores[0]!, `${name} on ${cover}`);
    }
  const base = without('fire-danger');
  const levels = [5, 10, 20, 35, 50, 70].map(
    (fwi) =>
      explain({ ...base, 'fire-danger@2': fwi, 'fire-danger@10': 1.2 * fwi, 'fire-danger@50': 1.4 * fwi })
        .riskScore,
  );
  for (let i = 1; i < levels.length; i++) assert.ok(levels[i]! > levels[i - 1]!, levels.join(' '));
});

test('forests and scrub score above grass, crops and towns, which score above bare ground', () => {
  const score = (cover: number): number => explain({ ...WOOD, 'land-cover': cover }).riskScore;
  for (const high of [10, 20, 312, 313, 324])
    for (const low of [30, 40, 50, 112, 231]) assert.ok(score(high) > score(low));
  for (const high of [30, 40, 50]) assert.ok(score(high) > score(60));
});

test('expected annual damage is the damage formula applied to the explained curve, whose damage ratios rise', () => {
  for (const extra of [{}, { 'fire-danger@2': 40, 'fire-danger@10': 55, 'fire-danger@50': 62 }]) {
    const { hazardCurve, expectedAnnualDamageRatio } = explain({ ...WOOD, ...extra });
    const again = expectedAnnualDamage(
      hazardCurve.map((point) => point.returnPeriodYears),
      hazardCurve.map((point) => point.damageRatio),
    );
    assert.ok(Math.abs(again - expectedAnnualDamageRatio) < 1e-12);
    for (let i = 1; i < hazardCurve.length; i++) {
      assert.ok(hazardCurve[i]!.intensity >= hazardCurve[i - 1]!.intensity);
      assert.ok(hazardCurve[i]!.damageRatio >= hazardCurve[i - 1]!.damageRatio);
      assert.ok(
        hazardCurve[i]!.low <= hazardCurve[i]!.intensity && hazardCurve[i]!.intensity <= hazardCurve[i]!.high,
      );
    }
  }
});

test('every missing layer is named in the reasons; without a fire record or danger the confidence is lower', () => {
  const full = explain(WOOD);
  for (const name of ['fire-danger', 'land-cover', 'slope', 'burn-history']) {
    const { reasons } = explain(without(name));
    assert.ok(
      reasons.some(({ code, message }) => code === 'outside' && message.includes(name)),
      name,
    );
    assert.ok(!full.reasons.some(({ code }) => code === 'outside'));
  }
  const unwatched = explain(without('burn-history'));
  assert.ok(unwatched.confidence < full.confidence - 0.1);
  // If the fire severity that is assumed by default is given as known, the score is the same and only
  // its uncertainty differs.
  const bare = without('burn-history', 'fire-danger');
  const [known, taken] = [explain({ ...bare, 'fire-severity': 5 }), explain(bare)];
  assert.equal(taken.riskScore, known.riskScore);
  assert.ok(taken.confidence < known.confidence + GRAIN, `${taken.confidence}, ${known.confidence}`);
  assert.equal(explain(without('burn-history', 'fire-danger', 'land-cover')).confidence, 0);
});

test('without danger, cover and history the answer is the prior with confidence 0, whatever the slope', () => {
  for (const values of [
    {},
    { 'coast-distance': 20 },
    { 'coast-distance': 20, slope: 30 },
    { 'land-cover': 37 },
  ]) {
    const { riskScore, confidence, reasons } = explain(values);
    assert.ok(Math.abs(riskScore - 0.2) < 1e-12);
    assert.equal(confidence, 0);
    assert.equal(reasons[0]!.code, 'outside');
  }
  const gap = ASSESSOR.explain(
    CARDS.map(() => ({ ok: false, reason: 'nodata' })),
    40,
    -4,
  );
  assert.equal(gap.reasons[0]!.code, 'nodata');
});

test('mapped severity has priority over the mean index, and that over the worst weeks, in order of confidence', () => {
  const weeks = { 'fire-danger@2': 40, 'fire-danger@10': 48, 'fire-danger@50': 54 };
  const width = ({ hazardCurve }: Explanation): number => hazardCurve[2]!.high / hazardCurve[2]!.low;
  const bySeverity = explain({ ...WOOD, ...weeks, 'fire-severity': 9 });
  const byIndex = explain({ ...WOOD, ...weeks });
  const byWeeks = explain({ ...without('fire-danger'), ...weeks });
  assert.ok(width(bySeverity) < width(byIndex) && width(byIndex) < width(byWeeks));
  const weighted = (answer: Explanation): number =>
    expectedAnnualDamage(
      answer.hazardCurve.map((point) => point.returnPeriodYears),
      answer.hazardCurve.map((point) => point.intensity),
    );
  // This mean over the years leaves out the years that are milder than the first return period.
  assert.ok(Math.abs(weighted(bySeverity) / 9 - 0.99) < 0.01, `${weighted(bySeverity)}`);
  assert.equal(
    bySeverity.riskScore,
    explain({ ...WOOD, ...weeks, 'fire-severity': 9, 'fire-danger': 3 }).riskScore,
  );
});

test('where return levels are mapped the explanation contains how often a year reaches the EFFIS classes', () => {
  const { exceedance } = explain({
    ...WOOD,
    'fire-danger@2': 30,
    'fire-danger@10': 38,
    'fire-danger@50': 46,
  });
  assert.deepEqual(
    exceedance!.map(({ name, from }) => [name, from]),
    [
      ['low fire danger', 5.2],
      ['moderate fire danger', 11.2],
      ['high fire danger', 21.3],
      ['very high fire danger', 38],
      ['extreme fire danger', 50],
    ],
  );
  const [low, , high, veryHigh, extreme] = exceedance!;
  assert.deepEqual([low!.lowest, low!.highest, high!.highest], [0.5, 1, 1]);
  assert.ok(Math.abs(veryHigh!.lowest - 0.1) < 1e-12 && veryHigh!.highest === veryHigh!.lowest);
  assert.ok(extreme!.lowest === 0 && Math.abs(extreme!.highest - 0.02) < 1e-12);
  assert.equal(explain(WOOD).exceedance, undefined);
});

test('water gets the prior: by land cover where it is known, by the coast layer elsewhere', () => {
  for (const [values, code] of [
    [{ ...WOOD, 'land-cover': 80 }, 'sea'],
    [{ ...without('land-cover'), 'coast-distance': -20 }, 'unmapped'],
  ] as const) {
    const { confidence, reasons } = explain(values);
    assert.deepEqual([confidence, reasons[0]!.code], [0, code]);
  }
  assert.ok(explain({ ...WOOD, 'coast-distance': -20 }).confidence > 0);
});

test('a land cover code of neither legend is reported as unknown and treated as mixed land', () => {
  const { reasons, riskScore } = explain({ ...WOOD, 'land-cover': 37 });
  assert.ok(reasons.some(({ code, message }) => code === 'not-modelled' && message.includes('37')));
  assert.equal(riskScore, explain(without('land-cover')).riskScore);
});

test('a slope from cells of 9 km is not used and reported; the finest slope is used', () => {
  const coarse = CARDS.map((one) => (one.layer === 'slope' ? { ...one, resolutionM: 9277 } : one));
  const told = wildfireModel.prepare(coarse).explain(readings({ ...WOOD, slope: 40 }, coarse), 40, -4);
  assert.ok(told.reasons.some(({ code, message }) => code === 'coarse' && message.includes('slope')));
  assert.equal(told.riskScore, explain(without('slope')).riskScore);
});

const widthOf = ({ range }: Explanation): number => range.high - range.low;

test('a coarse or old land cover is reported; a very coarse and old one widens the range and lowers the confidence', () => {
  const fine = explain(without('burn-history'));
  const told = (change: Partial<LayerMeta>): Explanation =>
    wildfireModel
      .prepare(CARDS.map((one) => (one.layer === 'land-cover' ? { ...one, ...change } : one)))
      .explain(readings(without('burn-history')), 40, -4);
  for (const [code, change] of [
    ['coarse', { resolutionM: 10_000 }],
    ['stale', { date: '1990-01-01' }],
  ] as const) {
    const answer = told(change);
    assert.ok(
      answer.reasons.some((reason) => reason.code === code) && !fine.reasons.some((r) => r.code === code),
    );
  }
  const poor = told({ resolutionM: 100_000, date: '1960-01-01' });
  assert.ok(poor.confidence < fine.confidence, `${poor.confidence}, ${fine.confidence}`);
  assert.ok(widthOf(poor) > widthOf(fine), `${widthOf(poor)}, ${widthOf(fine)}`);
});

test('the model card has the ranking results of the fit (data/tables/burn-ranking.csv)', () => {
  const rows = readFileSync(join(import.meta.dirname, '../../../data/tables/burn-ranking.csv'), 'utf8')
    .trim()
    .split('\n')
    .map((line) => line.split(',').slice(-4));
  const told = wildfireModel.limits.find((limit) => limit.startsWith('Ranking'))!;
  for (const by of [
    'land use and slope',
    'land use; slope; land burned 1998-2003',
    'land use; slope; fires of 1998-2003',
    'land use; slope; month; fires of 1998-2003',
  ]) {
    const [auc, low, high] = rows
      .find(([name]) => name === by)!
      .slice(1)
      .map((value) => Number(value).toFixed(2));
    assert.ok(told.includes(`${auc} (${low} to ${high})`), `${by}: ${auc} (${low} to ${high})`);
  }
});

test('no answer contains NaN or is out of range, for any readings', () => {
  const strange = [Number.NaN, Infinity, -Infinity, 1e9, -1e9, -32768, 0, 3.7, 10];
  for (let seed = 0; seed < 600; seed++) {
    const given: LayerReading[] = CARDS.map((_, i) =>
      (seed + i) % 5 === 0
        ? { ok: false, reason: 'nodata' }
        : { ok: true, value: strange[(seed * 7 + i * 5 + ((seed * i) >> 2)) % strange.length]! },
    );
    const answer = ASSESSOR.explain(given, 0, 0);
    for (const value of [answer.riskScore, answer.confidence, answer.expectedAnnualDamageRatio])
      assert.ok(value >= 0 && value <= 1, `${value} for ${JSON.stringify(given)}`);
    for (const { intensity, low, high, damageRatio } of answer.hazardCurve)
      assert.ok([intensity, low, high, damageRatio].every(Number.isFinite), JSON.stringify(given));
  }
});
