import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Random } from '../calibration/simulated-case.ts';
import { coefficientsOfNewGroup, fitMixed, type GroupedCases } from './mixed-logistic.ts';

const chance = (odds: number): number => 1 / (1 + Math.exp(-odds));

/** Cases with the log-odds -1 + 1.5 x + a deviation of each of 40 groups. */
function drawnCases(deviation: number): GroupedCases {
  const random = new Random(5);
  const terms: number[][] = [];
  const outcomes: boolean[] = [];
  const groups: string[] = [];
  for (let group = 0; group < 40; group++) {
    const shift = deviation * random.normal();
    for (let i = 0; i < 30; i++) {
      const x = random.normal();
      terms.push([1, x]);
      outcomes.push(random.uniform() < chance(-1 + 1.5 * x + shift));
      groups.push(`${group}`);
    }
  }
  return { terms, outcomes, groups, weights: outcomes.map(() => 1) };
}

test('coefficients and variance between groups are those of the draws', () => {
  const { coefficients, variance, deviations } = fitMixed(drawnCases(1.1));
  assert.ok(Math.abs(coefficients[0]! + 1) < 0.45, `${coefficients[0]}`);
  assert.ok(Math.abs(coefficients[1]! - 1.5) < 0.2, `${coefficients[1]}`);
  assert.ok(variance >= 0.6 && variance <= 2.2, `${variance}`);
  assert.equal(deviations.size, 40);
});

test('groups that do not differ get the smallest variance', () => {
  assert.ok(fitMixed(drawnCases(0)).variance <= 0.1);
});

test('coefficients of a new group give the mean over groups', () => {
  const random = new Random(6);
  const [coefficient] = coefficientsOfNewGroup({ coefficients: [2], variance: 1.2 });
  let sum = 0;
  for (let i = 0; i < 20_000; i++) sum += chance(2 + Math.sqrt(1.2) * random.normal());
  assert.ok(Math.abs(chance(coefficient!) - sum / 20_000) < 0.01, `${chance(coefficient!)} ${sum / 20_000}`);
});

test('a weight counts a case several times', () => {
  const cases = { terms: [[1], [1]], outcomes: [true, false], groups: ['a', 'a'] };
  const heavy = fitMixed({ ...cases, weights: [300, 100] });
  assert.ok(Math.abs(chance(heavy.coefficients[0]! + heavy.deviations.get('a')!) - 0.75) < 0.01);
});
