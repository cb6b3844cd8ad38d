import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { RiskModel } from '../../risk/assessment.ts';
import { calibrationOf, listModels } from './list-models.ts';

test('a model without calibration has a card without calibration figures', () => {
  const model = { ...listModels()[0]!, peril: 'hail' } as unknown as RiskModel;
  const { note, ...figures } = calibrationOf(model);
  assert.deepEqual(figures, {
    status: 'uncalibrated',
    ece: null,
    coverage90: null,
    cases: 0,
    notCalibratedFor: [],
    checks: [],
  });
  assert.match(note, /not checked/);
});

test('a calibrated model names every check in which its confidence does not hold', () => {
  for (const model of listModels()) {
    const { checks, notCalibratedFor, status } = calibrationOf(model);
    assert.equal(status, 'calibrated');
    const largest = (basis: string): number => {
      const { ece, crossValidated } = checks.find((check) => check.basis === basis)!;
      return Math.max(ece, crossValidated?.ece ?? 0);
    };
    for (const { basis } of checks)
      assert.equal(notCalibratedFor.includes(basis), largest(basis) > 0.05, `${model.peril}: ${basis}`);
  }
  // docs/methods/flood.md states errors of 22.85 and 11.54 points for these two.
  const flood = listModels().find(({ peril }) => peril === 'flood')!;
  assert.deepEqual(calibrationOf(flood).notCalibratedFor, [
    'within the model: map, flooded',
    'within the model: map, dry',
  ]);
});
