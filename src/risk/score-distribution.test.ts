import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { LayerMeta, LayerReading, Peril } from './assessment.ts';
import { calibrationsOf } from './calibration.ts';
import { layerKind } from './layer-kinds.ts';
import { RISK_MODELS } from './models.ts';
import { type ScoreDistribution, ScoreOutlook, SHAPE_PROBABILITIES } from './score-distribution.ts';

const PERILS = Object.keys(RISK_MODELS) as Peril[];
const LEVELS = [0.1, 0.5, 0.8, 0.9, 0.95, 0.99] as const;
const PLACES = 1500; // random places of a peril

/** Pseudo-random numbers within (0, 1) by the generator of Park & Miller 1988. */
function randomOf(seed: number): () => number {
  let state = seed;
  for (let i = 0; i < 10; i++) state = (state * 48271) % 2147483647;
  return () => (state = (state * 48271) % 2147483647) / 2147483647;
}

const FITTED = PERILS.flatMap((peril) =>
  calibrationsOf(peril).flatMap(({ basis, distribution }) =>
    distribution === null ? [] : [{ name: `${peril}: ${basis}`, distribution }],
  ),
);

function eachOutlook(
  distribution: ScoreDistribution,
  check: (outlook: ScoreOutlook, score: number, raw: number) => void,
) {
  for (let score = 0; score <= 1; score += 1 / 64)
    for (let raw = 0; raw <= 1; raw += 1 / 64) check(new ScoreOutlook(distribution, score, raw), score, raw);
}

test('ranges hold the score, are never empty and lie within each other by level', () => {
  assert.ok(FITTED.length >= 18, `${FITTED.length} distributions`);
  for (const { name, distribution } of FITTED)
    eachOutlook(distribution, (outlook, score, raw) => {
      let inner = { low: score, high: score };
      for (const level of LEVELS) {
        const range = outlook.range(level);
        const where = `${name} at ${score}, ${raw}: ${JSON.stringify(range)}`;
        assert.ok(range.low >= 0 && range.high <= 1 && range.high - range.low > 1e-3, where);
        assert.ok(
          range.low <= inner.low && range.high >= inner.high,
          `${where} after ${JSON.stringify(inner)}`,
        );
        inner = range;
      }
    });
});

test('at one score of one basis a higher confidence never has a wider range', () => {
  for (const { name, distribution } of FITTED) {
    const last = new Map<number, { confidence: number; width: number }>();
    let rises = 0;
    eachOutlook(distribution, (outlook, score, raw) => {
      const { low, high } = outlook.range();
      const width = high - low;
      const { confidence } = outlook;
      const before = last.get(score);
      last.set(score, { confidence, width });
      if (before === undefined) return;
      assert.ok(confidence >= before.confidence - 1e-12, `${name} at ${score}, ${raw}: ${confidence}`);
      assert.ok(width <= before.width + 1e-12, `${name} at ${score}, ${raw}: ${width} after ${before.width}`);
      if (confidence > before.confidence) rises++;
    });
    if (distribution.scale.some(([, y]) => y < distribution.scale[0]![1])) assert.ok(rises > 0, name);
  }
});

test('the confidence is the probability that the quantiles give the band of 0.1', () => {
  for (const { name, distribution } of FITTED)
    for (const score of [0.15, 0.32, 0.5]) {
      const outlook = new ScoreOutlook(distribution, score, 0.4);
      let within = 0;
      for (let k = 0; k < 20_000; k++)
        if (Math.abs(outlook.quantile((k + 0.5) / 20_000) - score) <= 0.1) within++;
      assert.ok(Math.abs(within / 20_000 - outlook.confidence) < 1e-3, `${name}: ${within / 20_000}`);
    }
});

test('an upper limit of the confidence widens the range', () => {
  const uniform = SHAPE_PROBABILITIES.map((p) => 2 * p - 1);
  const distribution: ScoreDistribution = {
    scale: [[0, 0.11]],
    shapes: [{ score: 0.5, quantiles: uniform }],
  };
  const free = new ScoreOutlook(distribution, 0.5, 0.5);
  const capped = new ScoreOutlook(distribution, 0.5, 0.5, 0.5);
  assert.ok(Math.abs(free.confidence - 1 / 1.1) < 1e-6);
  assert.ok(Math.abs(capped.confidence - 0.5) < 1e-6);
  assert.ok(Math.abs(capped.range().high - 0.68) < 1e-6 && Math.abs(free.range().high - 0.599) < 1e-6);
});

/** Answers of a peril at random places with random layers, so that every kind of evidence occurs. */
function answersOf(peril: Peril) {
  const model = RISK_MODELS[peril];
  const random = randomOf(11 + peril.length);
  return Array.from({ length: PLACES }, () => {
    const resolutionM = random() < 0.5 ? 30 : 9277;
    const share = random();
    const cards: LayerMeta[] = model.layers
      .filter((name) => name === 'coast-distance' || random() < share)
      .flatMap((layer) =>
        (layerKind(layer)?.returnPeriod === 'required' ? [10, 50, 100, 500] : [null]).map(
          (returnPeriodYears) => ({
            layer,
            version: 'v1',
            unit: '',
            returnPeriodYears,
            resolutionM,
            date: '2024-01-01',
            licence: 'none',
            source: 'made up',
          }),
        ),
      );
    const readings = cards.map(({ layer }): LayerReading => {
      const [low, high] = USUAL[layer] ?? [0, 1];
      if (random() < 0.1) return { ok: false, reason: 'nodata' };
      const value = low + (high - low) * random() ** 2;
      return { ok: true, value: layer === 'land-cover' ? 10 * Math.round(value / 10) : value };
    });
    const [lat, lng] = [120 * random() - 60, 360 * random() - 180];
    return model.prepare(cards).explain(readings, lat, lng);
  }).filter(({ evidence }) => evidence.class !== 'none');
}

/** Values of layers that are not within 0 to 1. */
const USUAL: Readonly<Record<string, readonly [number, number]>> = {
  'coast-distance': [0, 79],
  'water-distance': [0, 60],
  'major-river-distance': [0, 60],
  'height-above-water': [0, 60],
  elevation: [0, 100],
  'flood-depth': [-1, 3], // below 0 is dry
  'coastal-flood-depth': [-1, 3],
  'permanent-water': [0, 0.2],
  'flood-protection': [0, 400],
  hand: [0, 40],
  'upstream-area': [1, 1e5],
  'extreme-rain': [20, 250],
  country: [40, 40],
  gust: [20, 60],
  'inland-gust': [25, 45],
  'sea-wind': [15, 40],
  'cyclone-wind': [0, 70],
  'cyclone-count': [0, 60],
  'fire-climate': [-6, -1],
  'fire-climate-loss': [-3, -0.5],
  'fire-climate-severity': [-1, 1.4],
  'fire-danger': [0, 80],
  'fire-severity': [0, 40],
  'land-cover': [10, 40],
  slope: [0, 40],
  'fire-record-years': [10, 30],
  velocity: [-30, 5],
  'soil-clay': [0, 70],
  'subsidence-share': [0, 1],
};

for (const peril of PERILS)
  test(`${peril}: ranges of random places hold the score, and are narrower where the confidence is higher`, () => {
    const answers = answersOf(peril);
    const named = new Set(answers.map(({ evidence }) => evidence.basis));
    for (const { basis, distribution } of calibrationsOf(peril))
      if (distribution !== null) assert.ok(named.has(basis), `no place rests on ${basis}`);
    for (const { riskScore, confidence, range, evidence } of answers) {
      const where = `${evidence.basis}: ${riskScore}, ${confidence}, ${JSON.stringify(range)}`;
      assert.ok(range.low <= riskScore && riskScore <= range.high, where);
      assert.ok(confidence === 1 || range.high > range.low, where);
    }
    let compared = 0;
    const bands = Map.groupBy(
      answers,
      ({ evidence, riskScore }) => `${evidence.basis} ${Math.floor(riskScore * 500)}`,
    );
    for (const band of bands.values()) {
      const ascending = band.toSorted((a, b) => a.confidence - b.confidence);
      for (const [i, { confidence, range }] of ascending.entries())
        for (const more of ascending.slice(i + 1)) {
          if (more.confidence < confidence + 0.02) continue;
          compared++;
          // Within a band of 0.002 the scores differ, and with them the shapes and the ends at 0 and 1.
          const [less, wide] = [more.range.high - more.range.low, range.high - range.low];
          assert.ok(
            less <= wide + 0.01,
            `${JSON.stringify(more)} beside ${confidence}, ${JSON.stringify(range)}`,
          );
        }
    }
    assert.ok(compared > 0);
  });
