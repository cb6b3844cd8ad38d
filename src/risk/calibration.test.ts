import assert from 'node:assert/strict';
import { test } from 'node:test';
import { calibrationsOf, distributionOf } from './calibration.ts';
import { SHAPE_PROBABILITIES } from './score-distribution.ts';

/** Matches the bases of checks on real data. */
const REAL = /\breal\b/;
const WITHIN = /^within the model: /;
/** Checks of all answers of a simulated world, or of those of one class of evidence, begin so. */
const WORLD = 'all evidence of one world';

const PERILS = ['flood', 'subsidence', 'wildfire', 'storm'] as const;

test('the scale of every distribution never rises with the confidence of the draws, and its quantiles ascend', () => {
  for (const peril of PERILS)
    for (const { basis, distribution } of calibrationsOf(peril)) {
      if (distribution === null) continue;
      const { scale, shapes } = distribution;
      for (const [i, [x, y]] of scale.entries()) {
        assert.ok(y > 0 && y <= 2, `${peril} ${basis}: ${y}`);
        if (i > 0)
          assert.ok(x > scale[i - 1]![0] && y <= scale[i - 1]![1], `${peril} ${basis}: ${y} at ${x}`);
      }
      for (const [i, { score, quantiles }] of shapes.entries()) {
        if (i > 0) assert.ok(score > shapes[i - 1]!.score, `${peril} ${basis}: ${score}`);
        assert.equal(quantiles.length, SHAPE_PROBABILITIES.length);
        assert.deepEqual(
          quantiles,
          quantiles.toSorted((a, b) => a - b),
        );
      }
    }
});

test('evidence that was not checked has no distribution', () => {
  assert.equal(distributionOf('flood', 'hearsay'), undefined);
  assert.equal(distributionOf('flood', WORLD), undefined);
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

test('each basis has at most 0.03 calibration error, and 90 % ranges that miss at most 7 % of the truths at each end', () => {
  for (const peril of PERILS)
    for (const { basis, distribution, cases, ece, rangeMisses, rangeCoverage90 } of calibrationsOf(peril)) {
      if (distribution === null) continue;
      assert.ok(cases >= 1000);
      assert.ok(ece <= 0.03, `${peril} ${basis}: ${ece}`);
      for (const miss of rangeMisses) assert.ok(miss <= 0.07, `${peril} ${basis}: ${rangeMisses.join()}`);
      assert.ok(rangeCoverage90 >= 0.87 && rangeCoverage90 <= 0.97, `${peril} ${basis}: ${rangeCoverage90}`);
    }
});

test('every distribution was also judged on blocks of places that it was not fitted to', () => {
  for (const peril of PERILS)
    for (const { basis, distribution, crossValidated } of calibrationsOf(peril)) {
      assert.equal(crossValidated === null, distribution === null, `${peril} ${basis}`);
      if (crossValidated === null) continue;
      assert.ok(crossValidated.blocks >= 3);
      // Where no layer maps the cyclones, no layer tells how the positions differ, so that one left out is judged by others.
      assert.ok(
        crossValidated.ece <= (basis === 'climate, cyclones not mapped' ? 0.12 : 0.05),
        `${peril} ${basis}: ${crossValidated.ece}`,
      );
      assert.ok(
        crossValidated.rangeCoverage90 >= 0.83,
        `${peril} ${basis}: ${crossValidated.rangeCoverage90}`,
      );
    }
});

test('within the class of a model the 90 % intervals of its hazard curve cover 90 +- 2 %', () => {
  for (const peril of PERILS)
    for (const { basis, coverage90 } of calibrationsOf(peril).filter((of) => WITHIN.test(of.basis)))
      assert.ok(Math.abs(coverage90! - 0.9) <= 0.02, `${peril} ${basis}: ${coverage90}`);
});

test('flood, storm and wildfire also have published checks on real data', () => {
  for (const peril of ['flood', 'storm', 'wildfire'] as const)
    assert.ok(
      calibrationsOf(peril).some(({ basis, distribution }) => REAL.test(basis) && distribution === null),
    );
});
