import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { LayerSample } from '../../app/risk/layer-reader.ts';
import type { Bbox } from '../../geo/bbox.ts';
import { LayerMosaic, type MosaicPiece } from './layer-mosaic.ts';

/** A piece whose value is its number inside its box, and nodata where `hole` is true. */
function piece(
  number: number,
  coverage: Bbox,
  hole: (lng: number, lat: number) => boolean = () => false,
): MosaicPiece {
  const [west, south, east, north] = coverage;
  const one = (lng: number, lat: number): LayerSample => {
    const lap = lng < west ? lng + 360 : lng;
    if (lap < west || lap > east || lat < south || lat > north) return { ok: false, reason: 'outside' };
    return hole(lng, lat) ? { ok: false, reason: 'nodata' } : { ok: true, value: number };
  };
  return {
    coverage,
    sampler: {
      sample: (lngs: Float64Array, lats: Float64Array) => Array.from(lngs, (lng, i) => one(lng, lats[i]!)),
    },
  };
}

test('each point gets the value of the first piece that has one, the same as when all pieces are tried in turn', () => {
  let state = 3;
  const random = (): number => (state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0) / 2 ** 32;
  const pieces = Array.from({ length: 60 }, (_, i) => {
    const [west, south] = [-180 + random() * 359, -90 + random() * 170];
    const box: Bbox = [
      west,
      south,
      west + random() * (i % 10 === 0 ? 350 : 20),
      Math.min(90, south + random() * 30),
    ];
    return piece(i, box, (lng) => Math.floor(lng * 3) % 4 === 0);
  });
  const lngs = Float64Array.from({ length: 4000 }, (_, i) =>
    i < 4 ? [-180, 180, 0, 179.999][i]! : random() * 360 - 180,
  );
  const lats = Float64Array.from({ length: 4000 }, (_, i) =>
    i < 4 ? [90, -90, 0, 12][i]! : random() * 180 - 90,
  );
  const answers = new LayerMosaic(pieces).sample(lngs, lats);
  const counts = { ok: 0, nodata: 0, outside: 0 };
  for (const [i, answer] of answers.entries()) {
    const all = pieces.map(
      ({ sampler }) => sampler.sample(lngs.subarray(i, i + 1), lats.subarray(i, i + 1))[0]!,
    );
    const want =
      all.find(({ ok }) => ok) ?? all.find((sample) => !sample.ok && sample.reason === 'nodata') ?? all[0]!;
    assert.deepEqual(answer, want, `${lngs[i]}, ${lats[i]}`);
    counts[answer.ok ? 'ok' : answer.reason]++;
  }
  assert.ok(Math.min(counts.ok, counts.nodata, counts.outside) > 100, JSON.stringify(counts));
});
