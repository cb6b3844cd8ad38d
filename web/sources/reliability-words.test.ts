import assert from 'node:assert/strict';
import { test } from 'node:test';
import { calibrationOf, listModels } from '../../src/app/risk/list-models.ts';
import { type Calibration, reliabilityWords } from './reliability-words.ts';

/** A calibration as the API gives it, as far as the words need it. */
const presented = (peril: string): Calibration => {
  const { notCalibratedFor, checks, ...rest } = calibrationOf(
    listModels().find((model) => model.peril === peril)!,
  );
  return {
    ...rest,
    not_calibrated_for: notCalibratedFor,
    checks: checks.map(({ basis, ece, crossValidated }) => ({ basis, ece, cross_validated: crossValidated })),
  } as unknown as Calibration;
};

test('the words name the checks in which a confidence does not hold, with their errors', () => {
  const flood = reliabilityWords(presented('flood'));
  assert.match(
    flood,
    /does not hold in the others: “within the model: map, flooded” \(0\.229\), “within the model: map, dry” \(0\.115\)\.$/,
  );
  assert.match(flood, /In 14 of 16 checks stated and observed shares differ by 0\.0322 at worst/);
  assert.match(reliabilityWords(presented('subsidence')), /In all checks .* by 0\.0231 at worst\.$/);
});
