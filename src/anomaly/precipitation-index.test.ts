import assert from 'node:assert/strict';
import { test } from 'node:test';
import { precipitationIndex } from './precipitation-index.ts';

/** Monthly sums of thirty years from a congruential generator; a fifth of the months are dry. */
function months(): Float64Array {
  let state = 12_345n;
  return Float64Array.from({ length: 360 }, (_, i) => {
    state = (1_103_515_245n * state + 12_345n) % 2_147_483_648n;
    const u = Number(state) / 2_147_483_648;
    const mm = -Math.log(u) * 40 * (1 + 0.5 * Math.cos((2 * Math.PI * (i % 12)) / 12));
    return u < 0.2 ? 0 : Math.round(10 * mm) / 10;
  });
}

const close = (found: Float64Array, from: number, expected: readonly number[]): void => {
  for (const [k, value] of expected.entries())
    assert.ok(Math.abs(found[from + k]! - value) < 1e-3, `${from + k}: ${found[from + k]}, not ${value}`);
};

test('indices of one, three and twelve months agree with climate-indices 3.1.0 (Python, BSD; gamma, calibrated on 1991-2020)', () => {
  const rain = months();
  assert.deepEqual([...rain.subarray(0, 4)], [25.4, 68.1, 19.7, 0]);
  close(precipitationIndex(rain, 1), 0, [0.074, 1.6025, 0.0778, -0.9674, 0.6465, 0.5833, 0.091, 0.9116]);
  const three = precipitationIndex(rain, 3);
  assert.ok(Number.isNaN(three[1]));
  close(three, 2, [0.8014, 0.7285, -0.1437, 0.0795, 0.5605, 0.7823, 1.8316, 1.4475, 0.9594, -0.2371]);
  close(three, 100, [-0.0663, -1.3738, -0.9921, 0.0622, -0.266, 1.1756, 1.2044, 2.2844, 1.3555]);
  const twelve = precipitationIndex(rain, 12);
  assert.ok(Number.isNaN(twelve[10]));
  close(twelve, 11, [0.7428, 1.3104, 0.8001, 0.6771, 0.6747]);
  close(twelve, 348, [-0.6219, -1.3536, -1.4229, -1.1935, -1.1209, -1.2062, -1.4105, -1.2436, -1.2351]);
});

test('there is no index with too few years, an unknown month or constant sums; where most sums are zero, zero is no drought', () => {
  assert.ok(
    precipitationIndex(months().subarray(0, 239), 1)
      .subarray(11)
      .every((value, i) => i % 12 !== 0 || Number.isNaN(value)),
  );
  const gap = months();
  gap[50] = Number.NaN;
  const three = precipitationIndex(gap, 3);
  assert.deepEqual(
    [49, 50, 51, 52, 53].map((i) => Number.isNaN(three[i]!)),
    [false, true, true, true, false],
  );
  assert.ok(precipitationIndex(new Float64Array(360).fill(3), 1).every(Number.isNaN));
  const desert = Float64Array.from({ length: 360 }, (_, i) => (i % 36 < 12 ? 5 + (i % 7) : 0));
  assert.equal(precipitationIndex(desert, 1)[12], 0);
});
