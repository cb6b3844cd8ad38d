import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { bandsAhead, refuseFillValues } from './undeclared-nodata.ts';

describe('fill values that nobody stated as nodata', () => {
  const band = (fills: number, fill: number): Float32Array =>
    new Float32Array(5000).map((_, i) => (i < fills ? fill : i % 7));

  test('a band is refused from more than 0.1 % of its clear pixels', () => {
    for (const fill of [-9999, -32_768, -3.4028234663852886e38]) {
      refuseFillValues('a.tif, band 1', band(5, fill), 'float32', null);
      assert.throws(
        () => refuseFillValues('a.tif, band 1', band(6, fill), 'float32', null),
        (error: Error) =>
          error.message.startsWith(
            `a.tif, band 1: 6 of 5000 pixels that are not masked have the value ${fill}`,
          ),
      );
    }
    assert.throws(
      () => refuseFillValues('a', band(6, -9999), 'float32', -1),
      /the file states -1 for that\. Give --nodata -9999, or --nodata with -1/,
    );
  });

  test('missing pixels are no fill values and do not count', () => {
    refuseFillValues('a', band(6, Number.NaN), 'float32', null);
    refuseFillValues('a', new Int16Array(10).fill(-32_768), 'int16', null);
    const samples = band(5000, Number.NaN);
    samples[0] = -9999;
    assert.throws(() => refuseFillValues('a', samples, 'float32', null), /1 of 1 pixels/);
  });

  test('of a stack on a server the bands that are checked first are spread over it, of others all are checked', () => {
    assert.deepEqual(
      [1, 2, 3, 4, 5, 100].map((count) => bandsAhead(count, true)),
      [[0], [0, 1], [0, 1, 2], [0, 1, 2, 3], [0, 1, 3, 4], [0, 33, 66, 99]],
    );
    assert.deepEqual(bandsAhead(6, false), [0, 1, 2, 3, 4, 5]);
  });
});
