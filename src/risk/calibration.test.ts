import assert from 'node:assert/strict';
import { test } from 'node:test';
import { calibrationsOf, confidenceCorrection } from './calibration.ts';

/** Matches the bases of checks on real data. */
const REAL = /\breal\b/;

const PERILS = ['flood', 'subsidence', 'wildfire', 'storm'] as const;

test('every calibration preserves the order of confidences and their range', () => {
  for (const peril of PERILS)
    for (const { basis } of calibrationsOf(peril)) {
      const correct = confidenceCorrection(peril, basis);
      let last = 0;
      for (let raw = 0; raw <= 1; raw += 1 / 128) {
        const corrected = correct(raw);
        assert.ok(corrected >= last && corrected <= 1, `${peril} ${basis}: ${corrected} at ${raw}`);
        last = corrected;
      }
    }
});

test('confidence on evidence that was not checked stays unchanged', () => {
  const correct = confidenceCorrection('flood', 'hearsay');
  for (const raw of [0, 0.31, 1]) assert.equal(correct(raw), raw);
});

test('the published figures meet the targets in each stratum: at most 0.02 calibration error, coverage of 90 +- 2 %', () => {
  assert.ok(calibrationsOf('flood').length > 0 && calibrationsOf('storm').length > 0);
  for (const peril of PERILS)
    for (const { basis, curve, partOf, cases, ece, coverage90 } of calibrationsOf(peril)) {
      // Checks without a curve are published as measured; they need not meet the targets.
      if (curve.length === 0 && partOf === undefined) continue;
      assert.ok(cases >= 1000);
      assert.ok(ece <= 0.02, `${peril} ${basis}: ${ece}`);
      assert.ok(
        coverage90 === null || Math.abs(coverage90 - 0.9) <= 0.02,
        `${peril} ${basis}: ${coverage90}`,
      );
    }
});

test('flood, storm and wildfire also have published checks on real data', () => {
  for (const peril of ['flood', 'storm', 'wildfire'] as const)
    assert.ok(calibrationsOf(peril).some(({ basis, curve }) => REAL.test(basis) && curve.length === 0));
});
