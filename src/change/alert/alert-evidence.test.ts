import assert from 'node:assert/strict';
import { test } from 'node:test';
import { detectChanges } from '../detect-changes.ts';
import { alertEvidence } from './alert-evidence.ts';

const DAY_MS = 86_400_000;
const SERIES = [0, 0, Number.NaN, 70, 70, 70, 70, 70, ...Array.from({ length: 14 }, () => 0), 0, 0];
const SPEC = {
  width: 1,
  height: 1,
  pixelAreaM2: 10_000,
  metric: 'veg_anom',
  timesMs: Float64Array.from(SERIES, (_, i) => Date.UTC(2024, 0, 1) + i * 5 * DAY_MS),
};
const VALUES = Float64Array.from(SERIES);
const OBSERVED = Uint8Array.from(SERIES, (value) => (Number.isNaN(value) ? 0 : 1));

test('the evidence runs from the first anomaly to the end of the departure, by moving averages computed by hand', () => {
  const [change] = detectChanges({ ...SPEC, values: VALUES });
  assert.equal(change!.status, 'recovered');
  const { baseline, path, scenes } = alertEvidence(SPEC, change!, VALUES, OBSERVED);
  assert.equal(path[0]!.timeMs, SPEC.timesMs[3]);
  assert.deepEqual(
    path
      .slice(0, 3)
      .map(({ value, expected, residual, run, ewma }) => [value, expected, residual, run, ewma.toFixed(6)]),
    [
      [70, 0, 70, 1, '14.000000'],
      [70, 0, 70, 2, '25.200000'],
      [70, 0, 70, 3, '34.160000'],
    ],
  );
  assert.equal(path.at(-1)!.state, 'watching');
  assert.equal(path.at(-1)!.timeMs, change!.recoveredMs);
  assert.ok(path.at(-1)!.ewma < path.at(-1)!.ewmaLimit);
  assert.deepEqual([baseline.kind, baseline.observations], ['provider', 2]);
  assert.deepEqual(
    scenes.slice(0, 3).map(({ scene, role }) => [scene, role]),
    [
      [0, 'baseline'],
      [1, 'baseline'],
      [3, 'monitoring'],
    ],
  );
  assert.equal(SPEC.timesMs[scenes.at(-1)!.scene], change!.recoveredMs);
});

test('an object of another series is refused', () => {
  const [change] = detectChanges({ ...SPEC, values: VALUES });
  const calm = VALUES.map(() => 0);
  assert.throws(() => alertEvidence(SPEC, change!, calm, OBSERVED), /does not lead to this object/);
});
