import assert from 'node:assert/strict';
import { test } from 'node:test';
import { anomalyRecord } from '../../../test/fixtures/records.ts';
import { presentAnomaly } from './present-anomaly.ts';

const AOI = { id: 'aoi_x', accountId: 'acc_x', environment: 'production' } as Parameters<
  typeof anomalyRecord
>[0];
const numbers = (over: Parameters<typeof anomalyRecord>[2]) => {
  const { value, expected, residual } = presentAnomaly(anomalyRecord(AOI, 'col_x', over));
  return [value, expected, residual];
};

test('a mean over pixels has seven digits, and the residual equals the difference of the rounded values', () => {
  const mean = { value: 0.123456789012345, expected: 0.600000023841858, residual: -0.476543234829513 };
  assert.deepEqual(numbers({ ...mean, station: null }), [0.1234568, 0.6, -0.4765432]);
  assert.deepEqual(numbers({ value: 0, expected: 0, residual: 0, station: null }), [0, 0, 0]);
});

test('an observation of a station has the same digits as in its series', () => {
  const station = { id: 'stn_x', key: 'weir', lat: 46, lng: 14 };
  const flow = { value: 1234.56789, expected: 800.123456789, residual: 434.444433211 };
  assert.deepEqual(numbers({ ...flow, station }), [1234.56789, 800.1235, 434.44439]);
});
