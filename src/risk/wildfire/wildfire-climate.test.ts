import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Explanation, LayerMeta } from '../assessment.ts';
import { wildfireModel } from './wildfire.ts';

const CARDS = wildfireModel.layers.map((layer): LayerMeta => {
  const rest = { version: 'v1', unit: '1', date: '2021-01-01', licence: 'CC BY 4.0', source: 'test' };
  return { layer, returnPeriodYears: null, resolutionM: 100, ...rest };
});
const ASSESSOR = wildfireModel.prepare(CARDS);

function explain(values: Readonly<Record<string, number>>): Explanation {
  return ASSESSOR.explain(
    CARDS.map(({ layer }) => {
      const value = values[layer];
      return value === undefined ? { ok: false, reason: 'outside' } : { ok: true, value };
    }),
    40,
    -4,
  );
}

/** A forested slope. */
const WOOD = { 'coast-distance': 20, 'land-cover': 10, slope: 8 };

/** A climate in which 1 % of the land burns in a year, as layers. */
const CLIMATE = {
  'coast-distance': 20,
  'fire-climate': -2,
  'fire-climate-loss': Math.log10(0.12),
  'fire-climate-severity': Math.log10(12),
};

test('the climate alone gives an answer of regional evidence, which rises with what burns and with the loss', () => {
  const { riskScore, confidence, evidence, reasons } = explain(CLIMATE);
  assert.deepEqual([evidence.class, evidence.basis], ['regional', 'climate']);
  assert.ok(confidence > 0 && confidence < 0.5, `${confidence}`);
  assert.ok(reasons.some(({ message }) => message.includes('that usual in the climate')));
  const savanna = explain({ ...CLIMATE, 'fire-climate': -0.6, 'fire-climate-loss': Math.log10(0.003) });
  assert.ok(Math.abs(savanna.riskScore - riskScore) < 0.05, 'grass burns often and destroys little');
  for (const layer of ['fire-climate', 'fire-climate-loss'] as const) {
    const scores = [-7, -5, -4, -3, -2, -1, 0].map((log) => explain({ ...CLIMATE, [layer]: log }).riskScore);
    for (let i = 1; i < scores.length; i++) assert.ok(scores[i]! >= scores[i - 1]!, scores.join(' '));
  }
  assert.equal(explain({ ...CLIMATE, 'fire-climate': -7 }).riskScore, 0);
});

test('danger usual in the climate keeps its level; danger above it raises the score, a record of fires moves it', () => {
  const alone = explain(CLIMATE);
  const usual = explain({ ...CLIMATE, 'fire-severity': 12 });
  assert.ok(Math.abs(usual.riskScore - alone.riskScore) < 0.01);
  assert.deepEqual([alone.evidence.class, usual.evidence.class], ['regional', 'map']);
  assert.ok(explain({ ...CLIMATE, 'fire-severity': 20 }).riskScore > usual.riskScore);
  assert.ok(explain({ ...CLIMATE, 'fire-severity': 2 }).riskScore < usual.riskScore);
  const burned = { ...CLIMATE, 'fire-severity': 12, 'fire-record-years': 30 };
  assert.ok(explain({ ...burned, 'burn-history': 0.03 }).riskScore > usual.riskScore);
  assert.ok(explain({ ...burned, 'burn-history': 0 }).riskScore < usual.riskScore);
});

test('without any fire danger all year there is nearly no fire, with the climate and without', () => {
  for (const place of [WOOD, { ...WOOD, 'burn-history': 0.004 }, { ...WOOD, ...CLIMATE }]) {
    const some = explain({ ...place, 'fire-severity': 5 });
    const none = explain({ ...place, 'fire-severity': 0 });
    if ('burn-history' in place) assert.ok(none.riskScore < some.riskScore);
    else assert.ok(none.expectedAnnualDamageRatio < 1e-3 * some.expectedAnnualDamageRatio);
  }
});
