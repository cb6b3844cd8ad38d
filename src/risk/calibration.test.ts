import assert from 'node:assert/strict';
import { test } from 'node:test';
import { calibrationsOf, confidenceCorrection } from './calibration.ts';

/** Matches the bases of checks on real data. */
const REAL = /\breal\b/;
const WITHIN = /^within the model: /;
/** Checks of all answers of a simulated world, or of those of one class of evidence, begin so. */
const WORLD = 'all evidence of one world';

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

test('confidence means the same between classes of evidence and of truth: at most 0.03 calibration error', () => {
  for (const peril of PERILS) {
    const world = calibrationsOf(peril).filter(({ basis }) => basis.startsWith(WORLD));
    assert.ok(world.length > 2, `${peril}: ${world.length} checks`);
    for (const { basis, cases, ece } of world) {
      assert.ok(cases >= 1000);
      assert.ok(ece <= 0.03, `${peril} ${basis}: ${ece}`);
    }
  }
});

test('each basis has at most 0.03 calibration error, and 90 % ranges of the score that cover 90 +- 3 %', () => {
  for (const peril of PERILS)
    for (const { basis, curve, cases, ece, rangeCoverage90 } of calibrationsOf(peril)) {
      if (curve.length === 0) continue;
      assert.ok(cases >= 1000);
      assert.ok(ece <= 0.03, `${peril} ${basis}: ${ece}`);
      assert.ok(Math.abs(rangeCoverage90 - 0.9) <= 0.03, `${peril} ${basis}: ${rangeCoverage90}`);
    }
});

test('within the class of a model the 90 % intervals of its hazard curve cover 90 +- 2 %', () => {
  for (const peril of PERILS)
    for (const { basis, coverage90 } of calibrationsOf(peril).filter((of) => WITHIN.test(of.basis)))
      assert.ok(Math.abs(coverage90! - 0.9) <= 0.02, `${peril} ${basis}: ${coverage90}`);
});

test('flood, storm and wildfire also have published checks on real data', () => {
  for (const peril of ['flood', 'storm', 'wildfire'] as const)
    assert.ok(calibrationsOf(peril).some(({ basis, curve }) => REAL.test(basis) && curve.length === 0));
});
