import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { LayerMeta, LayerReading, Peril, RiskModel } from './assessment.ts';
import { expectedAnnualDamage } from './expected-annual-damage.ts';
import { RISK_MODELS } from './models.ts';
import { riskScore } from './score.ts';

const YEARS = [2, 5, 10, 25, 50, 100, 250];

function card(layer: string, returnPeriodYears: number | null = null, resolutionM = 9277): LayerMeta {
  const rest = { version: 'v1', unit: 'm', date: '2020-01-01', licence: 'public domain', source: 'test' };
  return { layer, returnPeriodYears, resolutionM, ...rest };
}

const FLOOD_CARDS = RISK_MODELS.flood.layers.map((layer) => card(layer));
const STORM_CARDS = [
  card('coast-distance'),
  card('lake-distance'),
  card('cyclone-count'),
  ...YEARS.flatMap((T) => [card('sea-wind', T), card('cyclone-wind', T)]),
];

/**
 * Returns readings in the order of the cards from values by layer name (and return period). A missing value is
 * nodata.
 */
function readings(cards: readonly LayerMeta[], values: Readonly<Record<string, number>>): LayerReading[] {
  return cards.map(({ layer, returnPeriodYears }) => {
    const value = values[returnPeriodYears === null ? layer : `${layer}@${returnPeriodYears}`];
    return value === undefined ? { ok: false, reason: 'nodata' } : { ok: true, value };
  });
}

const LOWLAND = {
  elevation: 1,
  'coast-distance': 5,
  'water-distance': 30,
  'major-river-distance': 60,
  'height-above-water': 1,
};

function storm(seaWind: number, cycloneWind: number, coastKm = 5): LayerReading[] {
  const values: Record<string, number> = { 'coast-distance': coastKm, 'cyclone-count': 20 };
  for (const [i, T] of YEARS.entries()) {
    values[`sea-wind@${T}`] = seaWind + i;
    values[`cyclone-wind@${T}`] = cycloneWind > 0 ? cycloneWind + 5 * i : 0;
  }
  return readings(STORM_CARDS, values);
}

function scoreOf(
  model: RiskModel,
  cards: readonly LayerMeta[],
  given: LayerReading[],
  lat: number,
  lng: number,
): number {
  return model.prepare(cards).assess(given, lat, lng).riskScore;
}

test('every model has a version of its peril, and states its limits', () => {
  for (const [peril, model] of Object.entries(RISK_MODELS)) {
    assert.equal(model.peril, peril);
    assert.match(model.modelVersion, new RegExp(`^${peril}-v\\d+\\.\\d+\\.\\d+$`));
    assert.ok(model.limits.length > 0);
  }
});

test('without any layer every peril answers its prior with confidence 0 and a reason', () => {
  for (const peril of Object.keys(RISK_MODELS) as Peril[]) {
    const assessor = RISK_MODELS[peril].prepare([]);
    const { confidence, riskScore: score, reasons } = assessor.explain([], 52, 5);
    assert.equal(confidence, 0);
    assert.ok(score > 0 && score < 1);
    assert.ok(reasons.length > 0);
    assert.deepEqual(assessor.assess([], 52, 5).riskScore, score);
  }
});

test('open sea and points no layer covers get the prior with confidence 0, and the reason', () => {
  for (const peril of ['flood', 'storm'] as const) {
    const cards = peril === 'flood' ? FLOOD_CARDS : STORM_CARDS;
    const assessor = RISK_MODELS[peril].prepare(cards);
    const sea = assessor.explain(readings(cards, { 'coast-distance': -40 }), 30, -40);
    assert.deepEqual([sea.confidence, sea.reasons[0]!.code], [0, 'unmapped']);
    assert.match(sea.reasons[0]!.message, /no land is mapped here/);
    const outside = assessor.explain(
      cards.map(() => ({ ok: false, reason: 'outside' })),
      -80,
      0,
    );
    assert.deepEqual([outside.confidence, outside.reasons[0]!.code], [0, 'outside']);
    const gap = assessor.explain(readings(cards, {}), 30, -40);
    assert.deepEqual([gap.confidence, gap.reasons[0]!.code], [0, 'nodata']);
  }
  const lake = RISK_MODELS.flood
    .prepare(FLOOD_CARDS)
    .explain(readings(FLOOD_CARDS, { 'coast-distance': 80, 'lake-distance': 20 }), 43.5, -87);
  assert.deepEqual([lake.confidence, lake.reasons[0]!.code], [0, 'sea']);
});

test('where no cyclone layer covers a place that cyclones may reach, it is not reported as safe', () => {
  const assessor = RISK_MODELS.storm.prepare(STORM_CARDS);
  const manila = readings(STORM_CARDS, { 'coast-distance': 2, 'lake-distance': 0, 'sea-wind@50': 19 });
  const unknown = assessor.explain(manila, 14.6, 120.98);
  assert.ok(unknown.reasons.some(({ code, message }) => code === 'outside' && /cyclone/.test(message)));
  const calm = assessor.explain(storm(19, 0, 2), 14.6, 120.98);
  assert.ok(unknown.riskScore > calm.riskScore, 'a mapped coast without cyclones is safer');
  assert.ok(unknown.confidence > 0 && unknown.confidence < 0.6);
  const zurich = assessor.explain(
    readings(STORM_CARDS, { 'coast-distance': 80, 'lake-distance': 0 }),
    47.37,
    8.54,
  );
  assert.ok(
    zurich.reasons.every(({ code }) => code !== 'outside'),
    'no cyclone comes to Zurich',
  );
});

test('flood risk falls with the height of the ground and the distance to water', () => {
  const at = (change: Partial<typeof LOWLAND>): number =>
    scoreOf(RISK_MODELS.flood, FLOOD_CARDS, readings(FLOOD_CARDS, { ...LOWLAND, ...change }), 52, 4);
  let last = 2;
  for (const elevation of [-4, -2, 0, 1, 2, 4, 8, 20, 60, 300]) {
    const score = at({ elevation, 'coast-distance': 15 });
    assert.ok(score <= last, `${score} at ${elevation} m after ${last}`);
    last = score;
  }
  last = 2;
  for (const coast of [0, 1, 3, 8, 20, 40, 79.5]) {
    const score = at({ 'coast-distance': coast });
    assert.ok(score <= last, `${score} at ${coast} km after ${last}`);
    last = score;
  }
  last = 2;
  for (const water of [0, 3, 6, 10, 20, 60]) {
    const score = at({ 'coast-distance': 80, 'water-distance': water, 'height-above-water': 5 });
    assert.ok(score <= last, `${score} at ${water} km after ${last}`);
    last = score;
  }
  last = 2;
  for (const height of [-5, 0, 1, 3, 10, 50, 250]) {
    const score = at({ 'coast-distance': 80, 'major-river-distance': 4, 'height-above-water': height });
    assert.ok(score <= last, `${score} at ${height} m after ${last}`);
    last = score;
  }
});

test('storm risk rises with each hazard and falls inland', () => {
  const at = (sea: number, cyclone: number, coast?: number): number =>
    scoreOf(RISK_MODELS.storm, STORM_CARDS, storm(sea, cyclone, coast), 25, -80);
  for (const cyclone of [0, 20, 30, 45])
    for (let sea = 20; sea < 45; sea += 2) assert.ok(at(sea + 2, cyclone) >= at(sea, cyclone));
  for (let cyclone = 18; cyclone < 60; cyclone += 3) assert.ok(at(25, cyclone + 3) >= at(25, cyclone));
  for (const coast of [0, 10, 30, 60]) assert.ok(at(38, 0, coast + 10) <= at(38, 0, coast));
});

test('the curve rises with the return period, brackets its intensity, and its formula gives the damage and the score', () => {
  const cases = [
    RISK_MODELS.storm.prepare(STORM_CARDS).explain(storm(30, 25), 18.5, -66.1),
    RISK_MODELS.flood.prepare(FLOOD_CARDS).explain(readings(FLOOD_CARDS, LOWLAND), 52, 4),
  ];
  const unmapped = [0.00001, 0.00005]; // annual damage by unmapped tornadoes, and by unmapped water
  for (const [i, answer] of cases.entries()) {
    const { hazardCurve } = answer;
    for (const [k, point] of hazardCurve.entries()) {
      assert.ok(point.low <= point.intensity && point.intensity <= point.high);
      if (k === 0) continue;
      assert.ok(point.returnPeriodYears > hazardCurve[k - 1]!.returnPeriodYears);
      assert.ok(point.intensity >= hazardCurve[k - 1]!.intensity);
      assert.ok(point.damageRatio >= hazardCurve[k - 1]!.damageRatio);
    }
    const byFormula = expectedAnnualDamage(
      hazardCurve.map((point) => point.returnPeriodYears),
      hazardCurve.map((point) => point.damageRatio),
    );
    assert.ok(Math.abs(answer.expectedAnnualDamageRatio - byFormula - unmapped[i]!) < 1e-12);
    assert.equal(answer.riskScore, riskScore(answer.expectedAnnualDamageRatio));
  }
});

test('explain gives the same answer as assess, whatever was asked before', () => {
  const assessor = RISK_MODELS.flood.prepare(FLOOD_CARDS);
  const low = readings(FLOOD_CARDS, LOWLAND);
  const first = assessor.assess(low, 52, 4);
  assessor.assess(readings(FLOOD_CARDS, { ...LOWLAND, elevation: 3 }), 52, 4);
  const again = assessor.explain(low, 52, 4);
  assert.deepEqual(
    [again.riskScore, again.confidence, again.expectedAnnualDamageRatio],
    [first.riskScore, first.confidence, first.expectedAnnualDamageRatio],
  );
});

test('no answer contains NaN or is out of range, for any readings', () => {
  const strange = [Number.NaN, Infinity, -Infinity, 1e9, -1e9, -32768, 0, 3.7];
  for (const peril of ['flood', 'storm'] as const) {
    const cards = peril === 'flood' ? FLOOD_CARDS : STORM_CARDS;
    const assessor = RISK_MODELS[peril].prepare(cards);
    for (let seed = 0; seed < 400; seed++) {
      const given: LayerReading[] = cards.map((_, i) =>
        (seed + i) % 5 === 0
          ? { ok: false, reason: 'nodata' }
          : { ok: true, value: strange[(seed * 7 + i * 3 + ((seed * i) >> 2)) % strange.length]! },
      );
      const answer = assessor.explain(given, ((seed * 37) % 181) - 90, ((seed * 91) % 361) - 180);
      for (const value of [answer.riskScore, answer.confidence, answer.expectedAnnualDamageRatio])
        assert.ok(value >= 0 && value <= 1, `${peril}: ${value} for ${JSON.stringify(given)}`);
      for (const point of answer.hazardCurve)
        assert.ok([point.intensity, point.low, point.high, point.damageRatio].every(Number.isFinite));
    }
  }
});

test('of several versions the finest that has a value answers', () => {
  const cards = [...FLOOD_CARDS, card('elevation', null, 3000), card('elevation', null, 4000)];
  const given = [
    ...readings(FLOOD_CARDS, LOWLAND),
    { ok: false, reason: 'nodata' },
    { ok: true, value: 60 },
  ] as const;
  const score = scoreOf(RISK_MODELS.flood, cards, [...given], 52, 4);
  const coarseOnly = scoreOf(RISK_MODELS.flood, FLOOD_CARDS, readings(FLOOD_CARDS, LOWLAND), 52, 4);
  const fineOnly = scoreOf(
    RISK_MODELS.flood,
    FLOOD_CARDS,
    readings(FLOOD_CARDS, { ...LOWLAND, elevation: 60 }),
    52,
    4,
  );
  assert.equal(score, fineOnly);
  assert.notEqual(score, coarseOnly);
});
