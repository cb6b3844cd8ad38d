import assert from 'node:assert/strict';
import { test } from 'node:test';
import { nearDeviate, nearTail, studentDeviate, studentTail } from './student-tail.ts';

const TOLERANCE = 1e-10; // relative

function close(actual: number, expected: number, tolerance = TOLERANCE): void {
  assert.ok(Math.abs(actual - expected) <= tolerance * expected, `${actual} is not ${expected}`);
}

test('one and two degrees of freedom have closed forms (Abramowitz & Stegun 26.7.3, 26.7.4)', () => {
  for (const t of [1e-3, 0.1, 0.5, 1, 1.7, 1.8, 2, 5, 30, 1e3, 1e6]) {
    close(studentTail(t, 1), (2 / Math.PI) * Math.atan(1 / t));
    const root = Math.sqrt(2 + t * t);
    close(studentTail(t, 2), 2 / (root * (root + t)));
  }
});

test('for even degrees of freedom the tail equals the remainder of the binomial series (Abramowitz & Stegun 26.7.4)', () => {
  // A(t|n) = sin u sum_{k < n/2} C(2k, k) / 4^k cos^2k u.
  // The infinite sum is 1, so the tail is the sum of the terms with k >= n/2.
  for (const freedom of [4, 10, 30, 100, 1000]) {
    for (const t of [1, 1.7, 1.96, 2.5758, 3.8906, 6, 12]) {
      const cosine2 = freedom / (freedom + t * t);
      let term = 1;
      let sum = 0;
      for (let k = 0; term > 1e-30 || k < freedom; k++) {
        if (k >= freedom / 2) sum += term;
        term *= ((2 * k + 1) / (2 * k + 2)) * cosine2;
      }
      close(studentTail(t, freedom), (t / Math.sqrt(freedom + t * t)) * sum);
    }
  }
});

test('tails equal the critical values of the NIST/SEMATECH e-Handbook, table 1.3.6.7.2, to their printed digits', () => {
  const table = [
    [12.706, 1, 0.05],
    [2.571, 5, 0.05],
    [2.228, 10, 0.05],
    [2.042, 30, 0.05],
    [3.169, 10, 0.01],
    [2.626, 100, 0.01],
  ] as const;
  for (const [t, freedom, p] of table) {
    assert.ok(
      studentTail(t - 0.0005, freedom) > p && studentTail(t + 0.0005, freedom) < p,
      `${t} ${freedom}`,
    );
  }
});

test('many degrees of freedom approach the normal distribution: P(|Z| > 1.959963984540054) = .05', () => {
  close(studentTail(1.959963984540054, 1e6), 0.05, 1e-5);
  close(studentTail(3.890591886413, 1e6), 0.0001, 1e-4);
});

test('tails for fractional degrees of freedom lie between those of whole ones, and fall with t', () => {
  for (const t of [0.5, 2, 5]) {
    assert.ok(studentTail(t, 7) > studentTail(t, 7.5) && studentTail(t, 7.5) > studentTail(t, 8));
  }
  let previous = 1;
  for (let t = 0.01; t < 60; t *= 1.05) {
    const p = studentTail(t, 12.3);
    assert.ok(p < previous && p > 0);
    previous = p;
  }
});

test('the tail of 0 is 1, of infinity 0, and invalid degrees of freedom are refused', () => {
  assert.equal(studentTail(0, 5), 1);
  assert.equal(studentTail(-2, 5), studentTail(2, 5));
  assert.equal(studentTail(Number.POSITIVE_INFINITY, 5), 0);
  assert.ok(Number.isNaN(studentTail(Number.NaN, 5)));
  assert.throws(() => studentTail(1, 0), RangeError);
  assert.throws(() => studentTail(1, Number.NaN), RangeError);
});

test('the fast tail is within a hundredth of the exact one between 1.2 and 2, from three degrees of freedom on', () => {
  for (const dof of [3, 3.7, 5, 12, 60, 1000])
    for (let t = 1.2; t <= 2; t += 0.05) {
      const ratio = nearTail(t, dof) / studentTail(t, dof);
      assert.ok(Math.abs(ratio - 1) < 0.01, `${dof} ${t}: ${ratio}`);
    }
});

test('the deviate of a tail has that tail', () => {
  for (const freedom of [3, 7.5, 40, 1000])
    for (const probability of [0.5, 0.05, 1e-4, 1e-12, 1e-30])
      close(studentTail(studentDeviate(probability, freedom), freedom), probability, 1e-8);
});

test('the approximate deviate of a tail has that tail to a thirtieth', () => {
  for (const freedom of [3, 7.5, 40, 1000])
    for (const probability of [0.2, 0.1, 0.05])
      close(studentTail(nearDeviate(probability, freedom), freedom), probability, 0.03);
});
