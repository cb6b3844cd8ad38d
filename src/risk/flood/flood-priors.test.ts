import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { LayerMeta, LayerReading } from '../assessment.ts';
import { floodModel } from './flood.ts';
import { defencePrior, FRAGILITY_FOLDS, passingShare } from './flood-defences.ts';
import { groundHeightM } from './flood-ground.ts';
import { rainDamage } from './flood-rain.ts';
import { ANY_RIVER, MAJOR_RIVER, stageShare } from './flood-water.ts';

const [NETHERLANDS, GERMANY, CHAD, USA] = [528, 276, 148, 840];

const PLACE: Readonly<Record<string, number>> = {
  'coast-distance': 80,
  'water-distance': 60,
  'major-river-distance': 60,
  elevation: 300,
  'height-above-water': 100,
  country: GERMANY,
  'extreme-rain': 65,
};

function answer(changed: Readonly<Record<string, number>>) {
  const values = { ...PLACE, ...changed };
  const cards = Object.keys(values).map((layer): LayerMeta => ({
    layer,
    version: 'v1',
    unit: '',
    returnPeriodYears: null,
    resolutionM: 9277,
    date: '2026-01-01',
    licence: 'none',
    source: 'test',
  }));
  const readings = Object.values(values).map((value): LayerReading => ({ ok: true, value }));
  return floodModel.prepare(cards).explain(readings, 50, 8);
}

test('a distance at its clamp gives no depth, and a river no farther than its reach', () => {
  assert.equal(stageShare(ANY_RIVER, 60), 0);
  assert.equal(stageShare(MAJOR_RIVER, 57), 0);
  assert.equal(stageShare(MAJOR_RIVER, 0), 1);
  const low = answer({ 'height-above-water': 0, elevation: 1 });
  assert.deepEqual(low.hazardCurve, []);
  assert.ok(
    low.reasons.some(({ code, message }) => code === 'not-modelled' && message.startsWith('no hazard curve')),
  );
  assert.equal(low.expectedAnnualDamageRatio, rainDamage(65));
});

test('a standard follows the published figure and the income of the country, with the wider spread where it is a guess', () => {
  const years = (country: number): number => Math.exp(defencePrior(country).river.mean);
  // Published medians: 2,000 and 500 years by design or policy, 2 by income; three quarters of the way from 50 years.
  assert.ok(Math.abs(years(NETHERLANDS) / (2000 ** 0.75 * 50 ** 0.25) - 1) < 0.3, String(years(NETHERLANDS)));
  assert.ok(years(NETHERLANDS) > years(USA) && years(USA) > years(CHAD));
  assert.ok(Math.abs(years(CHAD) - 2) < 0.1);
  assert.ok(defencePrior(CHAD).river.spread > defencePrior(USA).river.spread);
  assert.ok(defencePrior(Number.NaN).river.spread > defencePrior(CHAD).river.spread);
});

test('a defence fails at its standard in half of the cases, and rarer events than the last count by their number', () => {
  assert.equal(passingShare(Math.log(100), Math.log(100), false), 0.5);
  assert.equal(passingShare(Math.log(100) + FRAGILITY_FOLDS, Math.log(100), false), 1);
  assert.equal(passingShare(Math.log(100) - FRAGILITY_FOLDS, Math.log(100), false), 0);
  // Of all events rarer than 500 years, a quarter are rarer than 2,000.
  assert.ok(Math.abs(passingShare(Math.log(500), Math.log(2000), true) - 0.25) < 1e-12);
  assert.equal(passingShare(Math.log(2), -Infinity, false), 1);
});

test('the better the defences, the lower the score by a river; a polder is not flooded every second year', () => {
  const bank = { 'major-river-distance': 1, 'water-distance': 1, 'height-above-water': 2 };
  const [dutch, german, chadian] = [NETHERLANDS, GERMANY, CHAD].map((country) =>
    answer({ ...bank, country }),
  );
  assert.ok(dutch!.riskScore < german!.riskScore && german!.riskScore < chadian!.riskScore);
  const polder = answer({ country: NETHERLANDS, 'coast-distance': 20, elevation: -3 });
  assert.ok(polder.expectedAnnualDamageRatio < 0.002, String(polder.expectedAnnualDamageRatio));
  assert.ok(polder.range.high - polder.range.low > 0.2);
  assert.ok(chadian!.expectedAnnualDamageRatio < 0.05, 'nobody builds where it floods every second year');
});

test('rain on the spot follows the daily rain of the climate, from a desert to a monsoon coast', () => {
  const scores = [30, 65, 120, 180].map((rain) => answer({ 'extreme-rain': rain }).riskScore);
  for (let i = 1; i < scores.length; i++) assert.ok(scores[i]! > scores[i - 1]!);
  assert.ok(scores[0]! < 0.15 && scores[3]! > 0.2);
});

test('the ground rises with the mapped height and the distance inland without steps, also through 0 and below', () => {
  for (const km of [0, 4, 6, 10, 14, 20, 40]) {
    let last = groundHeightM(-12, km);
    for (let height = -11.9; height < 60; height += 0.1) {
      const ground = groundHeightM(height, km);
      assert.ok(ground >= last - 1e-9 && ground - last < 2, `${height} m at ${km} km: ${last} to ${ground}`);
      last = ground;
    }
  }
  assert.equal(groundHeightM(-3, 20), -3);
  assert.ok(groundHeightM(-10, 2) > 1, 'shallows of a cell partly of sea');
});

test('water and place change the score in small steps', () => {
  for (const [layer, from, to, step] of [
    ['water-distance', 0, 60, 1],
    ['major-river-distance', 0, 60, 1],
    ['coast-distance', 0, 79, 1],
    ['elevation', -10, 100, 0.5],
    ['height-above-water', -20, 100, 0.5],
    ['extreme-rain', 25, 180, 2],
  ] as const) {
    const base = { 'water-distance': 8, 'major-river-distance': 12, 'coast-distance': 12, elevation: 3 };
    let last = Number.NaN;
    for (let value: number = from; value <= to; value += step) {
      const { riskScore } = answer({ ...base, 'height-above-water': 3, [layer]: value });
      assert.ok(!(Math.abs(riskScore - last) > 0.1), `${layer} ${value}: ${last} to ${riskScore}`);
      last = riskScore;
    }
  }
});
