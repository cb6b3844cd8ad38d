import assert from 'node:assert/strict';
import { test } from 'node:test';
import { metricTraits } from '../metric.ts';
import { fallSlot, startFalls } from './common-fall.ts';
import { countValue } from './histogram.ts';
import { peerDepartures } from './peers.ts';

const NDVI = metricTraits('ndvi')!;
const FOREST = 15;
const SPEC = { width: 40, height: 40, pixelAreaM2: 900, metric: 'ndvi', timesMs: new Float64Array(6) };

/** Departures of like pixels in six scenes, the last with a given share of forest cleared (-.4) in each part. */
function peersWith(cleared: number, steady = cleared) {
  const [peers, all] = [startFalls(SPEC, NDVI, 6), startFalls(SPEC, NDVI, 6)];
  for (let part = 0; part < 16; part++) {
    for (let t = 0; t < 6; t++) {
      for (let i = 0; i < 20; i++) {
        const departure = t === 5 && i < cleared * 20 ? -0.4 : 0.005 * ((i % 5) - 2);
        countValue(all, fallSlot(part, FOREST) * 6 + t, departure);
        if (t < 5 || i >= (cleared - steady) * 20)
          countValue(peers, fallSlot(part, FOREST) * 6 + t, departure);
      }
    }
  }
  const { shift, stayed } = peerDepartures(peers, all, 6, 0, NDVI, undefined);
  const at = fallSlot(5, FOREST) * 6 + 5;
  return { shift: shift[at]!, stayed: stayed[at]! };
}

test('where more than half of the forest is cleared, what stayed shows no shift', () => {
  const { shift, stayed } = peersWith(0.6);
  assert.ok(shift < -0.3, `${shift}`);
  assert.ok(Math.abs(stayed) < 0.02, `${stayed}`);
  assert.ok(Math.abs(peersWith(0).shift) < 0.02);
});

test('where less than a quarter of all like pixels stayed, they are no measure, even if the others are no longer counted as undisturbed', () => {
  assert.ok(Number.isNaN(peersWith(0.8).stayed));
  assert.ok(Number.isNaN(peersWith(0.8, 0).stayed));
});
