import assert from 'node:assert/strict';
import { test } from 'node:test';
import { unrankedFrame } from '../../../test/fixtures/unranked-frame.ts';
import { uniform } from '../../../test/oracles/simulated-series.ts';
import { DAY_MS, JULIAN_YEAR_MS } from '../../base/time.ts';
import { metricTraits } from '../metric.ts';
import { likeBank } from '../scene/bank-builder.ts';
import { StateReader } from '../state/state-reader.ts';
import { StateWriter } from '../state/state-writer.ts';
import { PixelHistory } from './history.ts';
import { LikeReference } from './like-reference.ts';

const NDVI = metricTraits('ndvi')!;
const TIMES = 120;
const SIDE = 12;
/** Scene in which another history of more observations replaces that of the pixel: it is measured at once. */
const REPLACED = 54;
const timesMs = Float64Array.from({ length: TIMES }, (_, t) => Date.UTC(2015, 0) + 12 * t * DAY_MS);
const SPEC = { width: SIDE, height: SIDE, pixelAreaM2: 900, metric: 'ndvi', timesMs };

test('what like pixels lead one to expect is the same when the history was measured before and when it is read anew', () => {
  const next = uniform(11);
  const level = (t: number): number => 0.5 + 0.3 * Math.cos((2 * Math.PI * timesMs[t]!) / JULIAN_YEAR_MS);
  const pixels = Array.from({ length: SIDE * SIDE }, (_, p) => p);
  const values = pixels.map((p) =>
    Float32Array.from(timesMs, (_, t) => level(t) + 0.02 * Math.sin(7 * p + 3 * t)),
  );
  const bank = likeBank(SPEC, NDVI, { pixels, values });
  const history = new PixelHistory(unrankedFrame(SPEC, NDVI.noiseFloor));
  const reference = new LikeReference(SPEC, bank, history, NDVI.sense);
  reference.begin(1e6); // a pixel that is not in the bank
  let compared = 0;
  for (let t = 0; t < TIMES; t++) {
    if (history.count > 0) {
      const fields = new StateWriter();
      reference.fields(fields);
      const anew = new LikeReference(SPEC, bank, history, NDVI.sense);
      anew.begin(1e6);
      anew.fields(new StateReader(fields.written()));
      const isExpected = reference.predict(t, t);
      assert.equal(anew.predict(t, t), isExpected);
      for (const field of ['expected', 'scale', 'high', 'observations'] as const)
        assert.equal(anew[field], reference[field], `${field} at ${t}`);
      if (isExpected) compared += 1;
    }
    // A departure has become the history: the measured values are gone, while the like pixels stay.
    if (t === REPLACED) {
      history.clear();
      for (let s = 0; s < t; s++) history.add(s, level(s) - 0.3);
    }
    if (next() < 0.7) history.add(t, level(t) + 0.05 * next() - (t > REPLACED ? 0.3 : 0));
  }
  assert.ok(compared > 60, `${compared} scenes`);
});
