import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { RiskModel } from '../../risk/assessment.ts';
import { calibrationOf, listModels } from './list-models.ts';

test('a model without calibration has a card without calibration figures', () => {
  const model = { ...listModels()[0]!, peril: 'hail' } as unknown as RiskModel;
  const { note, ...figures } = calibrationOf(model);
  assert.deepEqual(figures, { status: 'uncalibrated', ece: null, coverage90: null, cases: 0, checks: [] });
  assert.match(note, /not checked/);
});
