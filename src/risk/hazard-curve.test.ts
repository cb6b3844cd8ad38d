import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { LayerMeta, LayerReading } from './assessment.ts';
import {
  curveVersionsOf,
  levelAt,
  mappedCurve,
  readCurve,
  reducedVariate,
  versionAt,
} from './hazard-curve.ts';

function card(
  version: string,
  returnPeriodYears: number | null,
  resolutionM = 1000,
  date = '2020-01-01',
): LayerMeta {
  const rest = { layer: 'gust', unit: 'm/s', licence: 'public domain', source: 'test' };
  return { version, returnPeriodYears, resolutionM, date, ...rest };
}

const none: LayerReading = { ok: false, reason: 'nodata' };
const some = (value: number): LayerReading => ({ ok: true, value });

test('versions are sorted by resolution, then date, each with its return periods in order', () => {
  const cards = [
    card('coarse', 50, 9000),
    card('old', 100, 1000, '2010-01-01'),
    card('new', 100, 1000),
    card('old', 10, 1000, '2010-01-01'),
    { ...card('other', 10), layer: 'sea-wind' },
    card('new', 1),
    card('timeless', null),
  ];
  const versions = curveVersionsOf(cards, 'gust');
  assert.deepEqual(
    versions.map(({ version, returnPeriodsYears, cards: at }) => [version, returnPeriodsYears, at]),
    [
      ['new', [100], [2]],
      ['old', [10, 100], [3, 1]],
      ['coarse', [50], [0]],
    ],
    'a map of one year has no place on the curve',
  );
});

test('the finest version with a value answers alone: curves of two versions are never mixed', () => {
  const cards = [
    card('fine', 10, 100),
    card('fine', 100, 100),
    card('coarse', 10, 9000),
    card('coarse', 100, 9000),
  ];
  const versions = curveVersionsOf(cards, 'gust');
  assert.equal(versionAt(versions, [none, some(40), some(20), some(30)]), 0);
  assert.equal(versionAt(versions, [none, none, some(20), some(30)]), 1);
  assert.equal(versionAt(versions, [none, some(Number.NaN), none, none]), -1);
  const curve = mappedCurve(versions);
  const variates = [10, 100].map(reducedVariate);
  readCurve(versions[0]!, variates, [none, some(40), some(20), some(30)], curve);
  assert.deepEqual([curve.count, curve.levels[0]], [1, 40]);
});

test('levels are linear in the reduced variate between maps, constant beyond them, and never fall', () => {
  const cards = [card('v', 10), card('v', 50), card('v', 100)];
  const [version] = curveVersionsOf(cards, 'gust');
  const curve = mappedCurve([version!]);
  const variates = [10, 50, 100].map(reducedVariate);
  readCurve(version!, variates, [some(30), some(40), some(38)], curve);
  const middle = (variates[0]! + variates[1]!) / 2;
  assert.ok(Math.abs(levelAt(curve, middle) - 35) < 1e-12);
  assert.equal(levelAt(curve, reducedVariate(2)), 30);
  assert.equal(
    levelAt(curve, reducedVariate(1000)),
    40,
    'the rarer map says less than the more frequent one',
  );
  let last = 0;
  for (let T = 1.5; T < 500; T *= 1.1) {
    const level = levelAt(curve, reducedVariate(T));
    assert.ok(level >= last);
    last = level;
  }
});

test("the reduced variate is Gumbel's: F(x) = exp(-exp(-x)) is 1 - 1/T", () => {
  for (const T of [1.01, 2, 50, 1e6])
    assert.ok(Math.abs(Math.exp(-Math.exp(-reducedVariate(T))) - (1 - 1 / T)) < 1e-12);
});
