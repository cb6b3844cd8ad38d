import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { refuseOutOfRange, refuseUnexplainedZeros } from './implausible-values.ts';

const WHOLE = { scale: 1, offset: 0, sampleType: 'int16' } as const;
const TEN_THOUSANDTHS = { scale: 1e-4, offset: 0, sampleType: 'int16' } as const;

/** Samples from `least` to `most` [raw], evenly spread. */
function spread(count: number, least: number, most: number): Int16Array {
  return Int16Array.from({ length: count }, (_, i) => Math.round(least + ((most - least) * i) / (count - 1)));
}

describe('values out of the range of their metric', () => {
  const refused = (samples: Int16Array, storage: Parameters<typeof refuseOutOfRange>[3]): string => {
    try {
      refuseOutOfRange('a.tif: band 1', 'ndvi', samples, storage);
    } catch (error) {
      return (error as Error).message;
    }
    return '';
  };

  test('the message names the scale by which they fit', () => {
    assert.match(refused(spread(1000, 500, 9000), WHOLE), /give --scale 0\.0001 if these are/);
    assert.match(refused(spread(1000, 5, 90), WHOLE), /give --scale 0\.01 if these are/);
    assert.match(refused(spread(1000, 500, 32_000), WHOLE), /: give --unit, --scale/);
    assert.match(refused(spread(1000, 500, 9000), { ...WHOLE, scale: 0.01 }), /: give --unit, --scale/);
  });

  test('a few of them are noise', () => {
    assert.equal(refused(spread(1000, -9000, 9000), TEN_THOUSANDTHS), '');
    const few = spread(1000, 0, 9000);
    few.fill(20_000, 0, 500);
    assert.equal(refused(few, TEN_THOUSANDTHS), '');
    few.fill(20_000, 0, 501);
    assert.match(refused(few, TEN_THOUSANDTHS), /501 of 1000 pixels are no ndvi/);
  });
});

describe('zeros that nobody stated as nodata', () => {
  const check = (samples: Int16Array | Float32Array, metric = 'ndvi', scale = 1e-4): void =>
    refuseUnexplainedZeros('a.tif, band 1', metric, samples, {
      scale,
      offset: 0,
      sampleType: samples instanceof Int16Array ? 'int16' : 'float32',
    });
  const wood = (zeros: number): Int16Array => spread(1000, 4000, 9000).fill(0, 0, zeros);

  test('a band is refused from more than 1 % of its clear pixels', () => {
    check(wood(10));
    assert.throws(() => check(wood(11)), /band 1: 11 of 1000 pixels .* value 0 and only 0 are near it/);
    const masked = wood(11).fill(-32_768, 500);
    assert.throws(() => check(masked), /11 of 500 pixels/);
    assert.throws(() => check(new Int16Array(1000)), /1000 of 1000/);
  });

  test('open water and bare ground around 0 are observations, in whole hundredths too', () => {
    check(spread(1000, -1000, 1000));
    check(
      Int16Array.from({ length: 1000 }, (_, i) => (i % 7) - 3),
      'ndvi',
      0.01,
    );
  });

  test('a metric whose least value is 0, and one without bounds, has zeros', () => {
    const zeros = new Int16Array(1000);
    for (const metric of ['precipitation', 'veg_anom', 'displacement', 'metric_of_my_own'])
      check(zeros, metric);
    assert.throws(() => check(new Float32Array(1000), 'vv'), /1000 of 1000/);
  });
});
