import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isNrtPresent, NRT_ABSENT, referenceRows } from './reference-rows.ts';
import { Random } from '../../calibration/simulated-case.ts';
import { DAY_MS } from '../../../src/base/time.ts';

const TIMES = 115; // five years of 16 days
const PIXELS = 6;
const timesMs = Float64Array.from({ length: TIMES }, (_, t) => Date.UTC(2010, 0) + 16 * t * DAY_MS);
const CHANGED = Date.UTC(2013, 5, 1);

/** Seasonal series with noise of .02; those of even pixels fall by .4 in June 2013. */
function job() {
  const random = new Random(3);
  const ndvi = new Float32Array(PIXELS * TIMES);
  for (let p = 0; p < PIXELS; p++)
    for (let t = 0; t < TIMES; t++) {
      const season = 0.1 * Math.cos((2 * Math.PI * (timesMs[t]! - timesMs[0]!)) / (365.25 * DAY_MS));
      const fall = p % 2 === 0 && timesMs[t]! >= CHANGED ? 0.4 : 0;
      ndvi[p * TIMES + t] = 0.7 + season - fall + 0.02 * random.normal();
    }
  const stack = { width: PIXELS, height: 1, pixelAreaM2: 900, timesMs, metrics: { ndvi } };
  return { stack, metric: 'ndvi', historyMs: timesMs[0]!, monitorMs: Date.UTC(2013, 0) };
}

test('BFAST Monitor finds each fall within three months', () => {
  const [bfast] = referenceRows([job()]);
  const falls = bfast!.detections[0]!.filter(({ pixel }) => pixel % 2 === 0);
  assert.deepEqual(
    falls.map(({ pixel }) => pixel),
    [0, 2, 4],
  );
  for (const { toldMs } of falls) assert.ok(toldMs >= CHANGED && toldMs <= CHANGED + 92 * DAY_MS);
});

test(
  'each method of nrt finds the falls, and its MOSUM on the dates of ours',
  { skip: !isNrtPresent() && NRT_ABSENT },
  () => {
    const rows = referenceRows([job()]);
    const of = (method: string) => rows.find((row) => row.method === method)!.detections[0]!;
    const falls = (method: string) => of(method).filter(({ pixel }) => pixel % 2 === 0);
    for (const method of ['nrt EWMA', 'nrt CuSum', 'nrt MOSUM', 'nrt IQR'])
      assert.deepEqual(
        falls(method).map(({ pixel }) => pixel),
        [0, 2, 4],
        method,
      );
    assert.deepEqual(falls('nrt MOSUM'), falls('BFAST Monitor'));
  },
);
