import { equal } from 'node:assert/strict';
import { test } from 'node:test';
import { placesApart } from './places-apart.ts';

const SPEC = { width: 60, height: 60, pixelAreaM2: 900, metric: 'ndvi', timesMs: new Float64Array(1) };
const at = (row: number, column: number): number => row * SPEC.width + column;

test('pixels near each other, or joined by others, are one place, and the place of the pixel itself is none', () => {
  equal(placesApart(SPEC, at(0, 0), []), 0);
  equal(placesApart(SPEC, at(0, 0), [at(0, 6), at(0, 12)]), 0, 'joined to the pixel');
  equal(placesApart(SPEC, at(0, 0), [at(30, 0), at(30, 12), at(30, 6)]), 1, 'the last joins the others');
  equal(placesApart(SPEC, at(0, 0), [at(30, 0), at(30, 14), at(50, 50), at(0, 59)]), 4);
  equal(
    placesApart(SPEC, at(0, 0), [at(30, 0), at(30, 14), at(50, 50), at(0, 59)], 2),
    2,
    'no more are counted',
  );
  equal(placesApart(SPEC, at(0, 59), [at(1, 0)]), 1, 'the end of a row is not beside the begin of the next');
});
