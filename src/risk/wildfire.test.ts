import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Explanation, LayerMeta, LayerReading } from './assessment.ts';
import { expectedAnnualDamage } from './expected-annual-damage.ts';
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

/** A wooded slope of the Mediterranean. */
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

test('woods and scrub score above grass, crops and towns, those above bare ground', () => {
  const score = (cover: number): number => explain({ ...WOOD, 'land-cover': cover }).riskScore;
  for (const high of [10, 20, 312, 313, 324])
    for (const low of [30, 40, 50, 112, 231]) assert.ok(score(high) > score(low));
  for (const high of [30, 40, 50]) assert.ok(score(high) > score(60));
});

test('expected annual damage is the formula over the damage ratios of the explained curve, which rise', () => {
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

test('every missing layer is named in the reasons, and the fewer are known the lower the confidence', () => {
  const full = explain(WOOD);
  for (const name of ['fire-danger', 'land-cover', 'slope', 'burn-history']) {
    const { reasons } = explain(without(name));
    assert.ok(
      reasons.some(({ code, message }) => code === 'outside' && message.includes(name)),
      name,
    );
    assert.ok(!full.reasons.some(({ code }) => code === 'outside'));
  }
  const steps = [
    full,
    explain(without('burn-history')),
    explain(without('burn-history', 'fire-danger')),
    explain(without('burn-history', 'fire-danger', 'land-cover')),
  ].map(({ confidence }) => confidence);
  for (let i = 1; i < steps.length; i++) assert.ok(steps[i]! <= steps[i - 1]!, steps.join(' '));
  assert.ok(steps[0]! > steps[2]!);
  assert.equal(steps[3], 0);
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

test('water answers the prior: by land cover where it is known, by the coast elsewhere', () => {
  for (const values of [
    { ...WOOD, 'land-cover': 80 },
    { ...without('land-cover'), 'coast-distance': -20 },
  ]) {
    const { confidence, reasons } = explain(values);
    assert.deepEqual([confidence, reasons[0]!.code], [0, 'sea']);
  }
  assert.ok(explain({ ...WOOD, 'coast-distance': -20 }).confidence > 0);
});

test('a land cover of neither legend is said to be unknown and treated as mixed land', () => {
  const { reasons, riskScore } = explain({ ...WOOD, 'land-cover': 37 });
  assert.ok(reasons.some(({ code, message }) => code === 'not-modelled' && message.includes('37')));
  assert.equal(riskScore, explain(without('land-cover')).riskScore);
});

test('a slope from cells of 9 km is not used, and said so; the finest slope answers', () => {
  const coarse = CARDS.map((one) => (one.layer === 'slope' ? { ...one, resolutionM: 9277 } : one));
  const told = wildfireModel.prepare(coarse).explain(readings({ ...WOOD, slope: 40 }, coarse), 40, -4);
  assert.ok(told.reasons.some(({ code, message }) => code === 'coarse' && message.includes('slope')));
  assert.equal(told.riskScore, explain(without('slope')).riskScore);
});

test('no answer holds NaN or leaves its range, whatever the layers say', () => {
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
