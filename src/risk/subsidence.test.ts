import assert from 'node:assert/strict';
import { test } from 'node:test';
import { subsidenceModel } from './subsidence.ts';

const CARD = { layer: 'velocity-gradient', version: 'v1', unit: 'mm/yr per m', returnPeriodYears: null };
const META = { ...CARD, resolutionM: 90, date: '2026-01-01', licence: 'test', source: 'test' };

test('subsidence rises with |gradient|, is the same for both signs, and is low on stable ground', () => {
  const assessor = subsidenceModel.prepare([META]);
  const at = (value: number) => assessor.assess([{ ok: true, value }], 45, 7);
  let last = -1;
  for (const value of [0, 0.01, 0.05, 0.0667, 0.2, 1]) {
    const { riskScore, confidence } = at(value);
    assert.ok(riskScore >= last && confidence > 0);
    assert.equal(at(-value).riskScore, riskScore);
    last = riskScore;
  }
  assert.ok(at(0).riskScore < 0.2 && last > 0.6);
});

test('nodata is the prior with confidence 0 and its reason', () => {
  const { confidence, reasons } = subsidenceModel
    .prepare([META])
    .explain([{ ok: false, reason: 'nodata' }], 45, 7);
  assert.deepEqual([confidence, reasons[0]!.code], [0, 'nodata']);
});
