import assert from 'node:assert/strict';
import { test } from 'node:test';
import { changeRecord } from './record.ts';

const scene = (datetime: string) =>
  ({ id: datetime, href: '', datetime, role: 'baseline', sha256: '' }) as const;
/** The provenance of a burn of the simulated region; `expected` of its evidence is what its service computed. */
const provenance = {
  baseline: {
    kind: 'harmonic',
    from: '2022-03-24T12:45:00.000Z',
    to: '2024-07-26T12:45:00.000Z',
    scale: 0.02,
    coefficients: [0.602338, 0, -0.155674, -0.0730737, 0.00364075, 0.00724704, 0.00927112, 0.0470231],
    observations: 41,
    lag_one_autocorrelation: 0.2,
  },
  evidence: [{ t: '2024-08-10T12:45:00.000Z', value: 0.1881, expected: 0.739342, posterior: 0.3 }],
  scenes: [scene('2024-07-26T12:45:00.000Z')],
};

test('what was expected comes from the evidence, and before it from the seasonal baseline', () => {
  const record = changeRecord(
    [
      { t: '2024-07-20', v: 0.7 },
      { t: '2024-07-26', v: 0.71 },
      { t: '2024-08-10', v: 0.1881 },
      { t: '2024-08-25', v: 0.2 },
    ],
    provenance,
  );
  assert.deepEqual(
    record.time.map((seconds) => new Date(seconds * 1000).toISOString().slice(0, 10)),
    ['2024-07-20', '2024-07-26', '2024-08-10', '2024-08-25'],
  );
  assert.equal(record.expected[2], 0.739342);
  assert.ok(Math.abs(record.high[2]! - 0.739342 - 0.05152) < 1e-6);
  assert.equal(record.expected[3], null); // the evidence has ended
  assert.deepEqual(record.used, [null, 0.71, 0.1881, null]);
});

test('the seasonal baseline gives the value that the service computed', () => {
  const evidence = provenance.evidence.map((step) => ({ ...step, t: '2024-09-10T00:00:00Z' }));
  const { expected } = changeRecord([{ t: '2024-08-10T12:45:00Z', v: 0.2 }], { ...provenance, evidence });
  assert.ok(Math.abs(expected[0]! - 0.739342) < 1e-6);
});

test('a baseline of the neighbourhood tells nothing of the time before', () => {
  const baseline = { ...provenance.baseline, kind: 'neighbourhood', coefficients: [0.0058] };
  const { expected, low } = changeRecord([{ t: '2024-07-20', v: 0.7 }], { ...provenance, baseline });
  assert.deepEqual([expected[0], low[0]], [null, null]);
});
