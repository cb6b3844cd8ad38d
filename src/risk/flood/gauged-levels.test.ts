import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { LayerMeta, LayerReading } from '../assessment.ts';
import { reducedVariate } from '../hazard-curve.ts';
import { RISK_MODELS } from '../models.ts';
import { FLOOD_RETURN_PERIODS, waterLevels } from './flood-water.ts';
import { GaugedLevels } from './gauged-levels.ts';

const card = (layer: string, returnPeriodYears: number | null = null): LayerMeta => ({
  layer,
  version: 'v1',
  unit: 'm',
  returnPeriodYears,
  resolutionM: 30,
  date: '2024-01-01',
  licence: 'none',
  source: 'made up',
});
const LEVELS = { 2: 2, 10: 3, 100: 4 } as const;
const YEARS = [2, 10, 100] as const;
const VARIATES = Float64Array.from(FLOOD_RETURN_PERIODS, reducedVariate);
const value = (given: number): LayerReading => ({ ok: true, value: given });

function gauged(error: number): { readonly weight: number; readonly levels: Float64Array } {
  const cards = [...YEARS.map((T) => card('sea-level', T)), card('sea-level-error')];
  const gauges = new GaugedLevels(cards, 'sea-level', 0.35);
  const reading = gauges.read([...YEARS.map((T) => value(LEVELS[T])), value(error)])!;
  const prior = waterLevels(FLOOD_RETURN_PERIODS).seaM;
  return { weight: reading.weight, levels: gauges.blend(reading, VARIATES, prior) };
}

test('a gauge without error replaces the prior; the larger its error, the more the prior counts', () => {
  const prior = waterLevels(FLOOD_RETURN_PERIODS).seaM;
  const sure = gauged(0);
  assert.equal(sure.weight, 1);
  for (const [i, T] of FLOOD_RETURN_PERIODS.entries()) {
    const known = (LEVELS as Readonly<Record<number, number>>)[T];
    if (known !== undefined) assert.ok(Math.abs(sure.levels[i]! - known) < 1e-9);
  }
  // Beyond the last map the level rises as the prior.
  const [at100, at500] = [5, 7];
  assert.ok(Math.abs(sure.levels[at500]! - 4 - (prior[at500]! - prior[at100]!)) < 1e-9);
  assert.ok(Math.abs(gauged(0.35).weight - 0.5) < 1e-12);
  assert.ok(Math.abs(gauged(0.35).levels[at100]! - (4 + prior[at100]!) / 2) < 1e-9);
  for (const [i, level] of gauged(50).levels.entries()) assert.ok(Math.abs(level - prior[i]!) < 1e-3);
});

test('where the levels of the coast are known, a gauge counts against their error, not against that of all coasts', () => {
  const cards = [...YEARS.map((T) => card('sea-level', T)), card('sea-level-error')];
  const gauges = new GaugedLevels(cards, 'sea-level', 0.45);
  const readings = [...YEARS.map((T) => value(LEVELS[T])), value(0.14)];
  assert.ok(Math.abs(gauges.read(readings, 0.14)!.weight - 0.5) < 1e-12);
  assert.ok(Math.abs(gauges.read(readings, 0.14)!.logSpread - 0.14 / Math.SQRT2) < 1e-12);
  assert.ok(gauges.read(readings)!.weight > 0.9);
});

test('the levels of a coast move the score of low ground, and a gauge there moves it further', () => {
  const [calm, stormy] = [0.6, 4].map((level) =>
    onCoast({ 'coast-level': level, 'coast-level-error': 0.14 }),
  );
  assert.ok(stormy!.riskScore > calm!.riskScore + 0.1, `${calm!.riskScore} and ${stormy!.riskScore}`);
  const gaugedHigher = onCoast({
    'coast-level': 0.6,
    'coast-level-error': 0.14,
    'sea-level': 4,
    'sea-level-error': 0.05,
  });
  assert.ok(gaugedHigher.riskScore > calm!.riskScore + 0.1);
  assert.match(JSON.stringify(calm!.reasons), /usual on this coast/);
});

/** The answer on low ground by the sea, with levels of ten years that grow by half of a metre up to a hundred. */
function onCoast(extra: Readonly<Record<string, number>>) {
  const values: Record<string, number> = { ...PLACE, ...extra };
  const cards = FLOOD.layers.flatMap((layer) =>
    ['coast-level', 'sea-level', 'river-stage'].includes(layer)
      ? [card(layer, 10), card(layer, 100)]
      : [card(layer)],
  );
  const readings = cards.map(({ layer, returnPeriodYears }): LayerReading => {
    const found = values[layer];
    if (found === undefined) return { ok: false, reason: 'nodata' };
    return value(returnPeriodYears === 100 ? found + 0.5 : found);
  });
  return FLOOD.prepare(cards).explain(readings, 52, 4);
}

const FLOOD = RISK_MODELS.flood;
const PLACE: Readonly<Record<string, number>> = {
  elevation: 2.5,
  'coast-distance': 1,
  'water-distance': 40,
  'major-river-distance': 60,
  'height-above-water': 2.5,
};

function answer(extra: Readonly<Record<string, number>>) {
  const values: Record<string, number> = { ...PLACE, ...extra };
  const cards = FLOOD.layers.flatMap((layer) =>
    layer === 'sea-level' || layer === 'river-stage' ? YEARS.map((T) => card(layer, T)) : [card(layer)],
  );
  const readings = cards.map(({ layer, returnPeriodYears }): LayerReading => {
    const given = values[returnPeriodYears === null ? layer : `${layer}@${returnPeriodYears}`];
    return given === undefined ? { ok: false, reason: 'outside' } : value(given);
  });
  return FLOOD.prepare(cards).explain(readings, 53, 6);
}

const gauge = (layer: string, levels: readonly number[], error: number): Record<string, number> => ({
  ...Object.fromEntries(YEARS.map((T, i) => [`${layer}@${T}`, levels[i]!])),
  [`${layer}-error`]: error,
});

test('high tides raise the score of a low coast, low ones lower it, and the gauge is named with its share', () => {
  const prior = answer({});
  const high = answer(gauge('sea-level', [3, 4, 5], 0.1));
  const low = answer(gauge('sea-level', [0.5, 0.7, 0.9], 0.1));
  assert.ok(high.riskScore > prior.riskScore && prior.riskScore > low.riskScore);
  assert.ok(
    high.reasons.some(({ message }) => /sea levels are to 95 % those of gauges near by \(v1\)/.test(message)),
    JSON.stringify(high.reasons),
  );
  assert.ok(!prior.reasons.some(({ message }) => /gauges/.test(message)));
  // The depth of 100 years is level less ground, within the spread of both. The ground is moved towards that expected.
  const [, , , , , at100] = high.hazardCurve;
  assert.ok(
    Math.abs(at100!.intensity - (5 * 0.95 + 2.3 * 0.05 - 0.3 - Math.sqrt(2.5 * 5.6))) < 0.5,
    String(at100!.intensity),
  );
});

test('a river that rises more raises the score on its bank; far from its gauge the prior answers', () => {
  const bank = { 'coast-distance': 200, hand: 1, 'upstream-area': 20_000 };
  const prior = answer(bank);
  const flashy = answer({ ...bank, ...gauge('river-stage', [0, 1, 2.5], 0.2) });
  const lake = answer({ ...bank, ...gauge('river-stage', [0, 0.02, 0.05], 0.2) });
  assert.ok(flashy.riskScore > prior.riskScore && prior.riskScore > lake.riskScore);
  const far = answer({ ...bank, ...gauge('river-stage', [0, 1, 2.5], 20) });
  assert.ok(Math.abs(far.riskScore - prior.riskScore) < 0.01, `${far.riskScore}, ${prior.riskScore}`);
});
