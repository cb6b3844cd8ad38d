import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Explanation, LayerMeta, LayerReading } from '../assessment.ts';
import { expectedAnnualDamage } from '../expected-annual-damage.ts';
import { floodModel } from './flood.ts';
import { riskScore } from '../score.ts';

interface Given {
  readonly layer: string;
  readonly T?: number;
  readonly version?: string;
  readonly resolutionM?: number;
  readonly date?: string;
  /** Value of the layer; absent for nodata. */
  readonly value?: number;
}

function meta({ layer, T, version = 'v1', resolutionM = 90, date = '2024-01-01' }: Given): LayerMeta {
  const rest = { unit: 'm', licence: 'public domain', source: 'test' };
  return { layer, version, returnPeriodYears: T ?? null, resolutionM, date, ...rest };
}

function answer(given: readonly Given[], lat = 52, lng = 5): Explanation {
  const readings = given.map(({ value }): LayerReading =>
    value === undefined ? { ok: false, reason: 'nodata' } : { ok: true, value },
  );
  const assessor = floodModel.prepare(given.map(meta));
  const long = assessor.explain(readings, lat, lng);
  const short = assessor.assess(readings, lat, lng);
  assert.deepEqual(
    [short.riskScore, short.confidence, short.expectedAnnualDamageRatio],
    [long.riskScore, long.confidence, long.expectedAnnualDamageRatio],
  );
  return long;
}

const YEARS = [10, 20, 50, 100, 200, 500];
const curve = (depths: readonly (number | undefined)[], extra: Partial<Given> = {}): Given[] =>
  YEARS.map((T, i) => ({
    layer: 'flood-depth',
    T,
    ...(depths[i] !== undefined && { value: depths[i] }),
    ...extra,
  }));

test('a mapped point in Europe equals the formula of methods.md by hand (JRC curve: .25, .4, .5, .6 at .5, 1, 1.5, 2 m)', () => {
  const found = answer(curve([0, 0.5, 1, 1.5, 2, 2]));
  // 1/2 (0+.25)(.1-.05) + 1/2 (.25+.4)(.05-.02) + 1/2 (.4+.5)(.02-.01) + 1/2 (.5+.6)(.01-.005) + .6 (.005-.002) + .6*.002
  const byHand = 0.00625 + 0.00975 + 0.0045 + 0.00275 + 0.0018 + 0.0012;
  assert.ok(Math.abs(found.expectedAnnualDamageRatio - byHand) < 1e-15);
  assert.equal(found.riskScore, riskScore(found.expectedAnnualDamageRatio));
  assert.deepEqual(
    found.hazardCurve.map((point) => [point.returnPeriodYears, point.intensity, point.damageRatio]),
    [
      [10, 0, 0],
      [20, 0.5, 0.25],
      [50, 1, 0.4],
      [100, 1.5, 0.5],
      [200, 2, 0.6],
      [500, 2, 0.6],
    ],
  );
  for (const { low, intensity, high } of found.hazardCurve) assert.ok(low <= intensity && intensity <= high);
  assert.ok(found.confidence > 0);
  assert.ok(found.reasons.some(({ message }) => message.includes('rarer than 500 years')));
});

test('events more frequent than the protection standard are removed, the standard itself is kept', () => {
  const depths = curve([0.5, 0.5, 1, 1.5, 2, 2]);
  const defended = answer([...depths, { layer: 'flood-protection', value: 100 }]);
  // D(100) = .5, D(200) = D(500) = .6
  assert.ok(Math.abs(defended.expectedAnnualDamageRatio - (0.00275 + 0.0018 + 0.0012)) < 1e-15);
  assert.equal(defended.hazardCurve[0]!.returnPeriodYears, 100);
  assert.ok(defended.reasons.some(({ code }) => code === 'defended'));
  const between = answer([...depths, { layer: 'flood-protection', value: Math.sqrt(50 * 100) }]);
  assert.ok(Math.abs(between.hazardCurve[0]!.intensity - 1.25) < 1e-12, 'half way in the logarithm of T');
  const beyond = answer([...depths, { layer: 'flood-protection', value: 1000 }]);
  assert.ok(Math.abs(beyond.expectedAnnualDamageRatio - 0.6 / 1000) < 1e-15, 'held above the last map');
  const weak = answer([...depths, { layer: 'flood-protection', value: 5 }]);
  assert.equal(weak.expectedAnnualDamageRatio, answer(depths).expectedAnnualDamageRatio);
  let last = 1;
  for (const value of [2, 10, 30, 100, 101, 400, 2000]) {
    const score = answer([...depths, { layer: 'flood-protection', value }]).riskScore;
    assert.ok(score <= last, `${score} at ${value} years after ${last}`);
    last = score;
  }
});

test('a point in permanent water has the prior with confidence 0, whatever depth is mapped', () => {
  const water = answer([...curve([3, 3, 3, 3, 3, 3]), { layer: 'permanent-water', value: 1 }]);
  assert.deepEqual([water.confidence, water.reasons[0]!.code], [0, 'sea']);
  const land = answer([...curve([3, 3, 3, 3, 3, 3]), { layer: 'permanent-water', value: 0 }]);
  assert.equal(land.riskScore, answer(curve([3, 3, 3, 3, 3, 3])).riskScore);
});

test('a place that is dry on every map has no damage, also in North America, and limited confidence', () => {
  const dry = answer(curve([0, 0, 0, 0, 0, 0]), 40, -90);
  assert.deepEqual([dry.riskScore, dry.expectedAnnualDamageRatio], [0, 0]);
  assert.ok(dry.confidence > 0.2 && dry.confidence < 0.9);
});

test('nodata in one map is dry below the first wet one, the depth of the map before above it, and never averaged', () => {
  const gaps = answer(curve([undefined, undefined, 1, undefined, 2, undefined]));
  const filled = answer(curve([0, 0, 1, 1, 2, 2]));
  assert.equal(gaps.expectedAnnualDamageRatio, filled.expectedAnnualDamageRatio);
});

test('where no map has a value the answer is the same as without maps', () => {
  const terrain: Given[] = [
    { layer: 'elevation', value: 0.5, resolutionM: 30 },
    { layer: 'coast-distance', value: 1 },
    { layer: 'water-distance', value: 30 },
    { layer: 'height-above-water', value: 1, resolutionM: 9277 },
  ];
  const without = answer(terrain);
  const beside = answer([...curve(YEARS.map(() => undefined)), ...terrain]);
  assert.deepEqual([beside.riskScore, beside.confidence], [without.riskScore, without.confidence]);
  const inside = answer([...curve([0, 0, 0, 0, 0, 0.5]), ...terrain]);
  assert.ok(inside.riskScore < without.riskScore, 'the map speaks, not the prior');
  assert.ok(
    inside.confidence < answer(curve([0, 0, 0, 0, 0, 0.5])).confidence,
    'the unmapped sea is doubted',
  );
});

test('the finest version with a value gives the whole curve; the deeper of river and sea counts', () => {
  const coarse = curve([1, 1, 1, 1, 1, 1], { version: 'coarse', resolutionM: 900 });
  const fine: Given[] = [
    { layer: 'flood-depth', T: 50, version: 'fine', resolutionM: 30, value: 0.5 },
    { layer: 'flood-depth', T: 100, version: 'fine', resolutionM: 30, value: 2 },
  ];
  const found = answer([...coarse, ...fine]);
  assert.deepEqual(
    found.hazardCurve.map((point) => [point.returnPeriodYears, point.intensity]),
    [
      [50, 0.5],
      [100, 2],
    ],
  );
  const sea: Given[] = [{ layer: 'coastal-flood-depth', T: 70, value: 1.6 }];
  const both = answer([...fine, ...sea]);
  assert.deepEqual(
    both.hazardCurve.map((point) => [point.returnPeriodYears, point.intensity]),
    [
      [50, 0.5],
      [70, 1.6],
      [100, 2],
    ],
  );
});

test('score and damage never fall with depth, at any return period', () => {
  for (const [lat, lng] of [
    [52, 5],
    [40, -90],
    [-10, -60],
    [30, 100],
    [0, 20],
    [-30, 150],
  ] as const)
    for (let i = 0; i < YEARS.length; i++) {
      let last = -1;
      for (let depth = 0; depth < 7; depth += 0.25) {
        const found = answer(curve(YEARS.map((_, k) => (k >= i ? depth : 0))), lat, lng);
        assert.ok(found.riskScore >= last);
        last = found.riskScore;
      }
    }
});

test('a map answers at the poles and on both sides of the antimeridian', () => {
  const depths = curve([0, 0.5, 1, 1.5, 2, 2]);
  assert.equal(answer(depths, -17, 180).riskScore, answer(depths, -17, -180).riskScore);
  for (const lat of [90, -90]) assert.ok(answer(depths, lat, 0).riskScore > 0.5);
});

test('a coarser or older map has lower confidence', () => {
  const at = (extra: Partial<Given>): number => answer(curve([0, 0.3, 0.5, 0.8, 1, 1], extra)).confidence;
  assert.ok(at({ resolutionM: 30 }) >= at({ resolutionM: 1000 }));
  assert.ok(at({ date: '2024-01-01' }) >= at({ date: '1960-01-01' }));
  assert.ok(
    answer(curve([0, 0, 0, 1, 1, 1], { date: '1990-01-01' })).reasons.some(({ code }) => code === 'stale'),
  );
});

test('risk falls with height above drainage, rises with the upstream area, and its confidence is at most the skill of HAND', () => {
  const at = (hand: number, area?: number): Explanation =>
    answer(
      [
        { layer: 'coast-distance', value: 80, resolutionM: 4638 },
        { layer: 'height-above-water', value: 2, resolutionM: 9277 },
        { layer: 'hand', value: hand, resolutionM: 30 },
        ...(area === undefined ? [] : [{ layer: 'upstream-area', value: area, resolutionM: 30 }]),
      ],
      48,
      9,
    );
  let last = 2;
  for (const hand of [0, 0.5, 1, 2, 4, 8, 16, 60]) {
    const { riskScore: score, confidence } = at(hand, 5000);
    assert.ok(score <= last, `${score} at ${hand} m after ${last}`);
    assert.ok(confidence <= 0.69);
    last = score;
  }
  assert.ok(at(0, 5000).riskScore > 0.5 && at(60, 5000).riskScore < 0.25);
  last = -1;
  for (const area of [0, 10, 100, 1000, 10_000, 1_000_000]) {
    const score = at(1, area).riskScore;
    assert.ok(score >= last, `${score} at ${area} km2 after ${last}`);
    last = score;
  }
});

test('without a protection standard the answer says that it is undefended', () => {
  for (const extra of [[], [{ layer: 'flood-protection' }]])
    assert.ok(
      answer([...curve([0, 0, 1, 1, 1, 1]), ...extra]).reasons.some(({ message }) =>
        message.includes('dikes'),
      ),
    );
});

test('the damage formula applied to the explained curve gives the explained damage, defended or not', () => {
  for (const value of [1, 15, 33, 250, 900]) {
    const { hazardCurve, expectedAnnualDamageRatio } = answer([
      ...curve([0.1, 0.2, 0.9, 1.3, 2.2, 4]),
      { layer: 'flood-protection', value },
    ]);
    const byFormula = expectedAnnualDamage(
      hazardCurve.map((point) => point.returnPeriodYears),
      hazardCurve.map((point) => point.damageRatio),
    );
    assert.ok(Math.abs(byFormula - expectedAnnualDamageRatio) < 1e-15);
  }
});
