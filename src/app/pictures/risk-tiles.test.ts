import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assessPlace } from '../risk/assess-risk.ts';
import type { LayerCard, LayerSnapshot } from '../risk/layer-reader.ts';
import { placeInTile } from '../../geo/tile.ts';
import { layerKind } from '../../risk/layer-kinds.ts';
import type { PictureTask } from './picture-maker.ts';
import { describeRiskTiles, keptRiskTile, makeRiskTile, riskPalette, riskPixels } from './risk-tiles.ts';
import { TILE_PIXELS } from './tile-size.ts';

/** A tile of one cell with a score and a confidence at each of its corners. */
const tile = (scores: readonly number[], confidences: readonly number[]) =>
  riskPixels(Float32Array.from(scores), Float32Array.from(confidences), 2);
const palette = riskPalette();
const at = (pixels: Uint8Array, x: number, y: number) => palette[pixels[y * TILE_PIXELS + x]!]!;

test('a palette has at most 256 colours, and the faintest come first', () => {
  assert.ok(palette.length <= 256);
  const opacities = palette.map(([, , , alpha]) => alpha);
  assert.deepEqual(
    opacities,
    opacities.toSorted((a, b) => a - b),
  );
});

test('the score is the colour: a higher score is darker', () => {
  const light = [0, 0.25, 0.5, 0.75, 1].map((score) => {
    const [r, g, b] = at(tile([score, score, score, score], [1, 1, 1, 1]), 100, 100);
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  });
  assert.deepEqual(
    light,
    light.toSorted((a, b) => b - a),
  );
  assert.ok(light[0]! - light[4]! > 150);
});

test('the confidence is the opacity, and without any nothing is shown', () => {
  const alpha = (confidence: number) => at(tile(Array(4).fill(0.5), Array(4).fill(confidence)), 5, 5)[3];
  assert.equal(alpha(0), 0);
  assert.ok(alpha(0.1) > 0 && alpha(0.1) < alpha(0.5) && alpha(0.5) < alpha(1));
});

test('pixels between corners are interpolated, the west and the north on their sides', () => {
  const east = tile([0, 1, 0, 1], [1, 1, 1, 1]);
  const south = tile([0, 0, 1, 1], [1, 1, 1, 1]);
  const [first, last] = [
    at(tile(Array(4).fill(0), Array(4).fill(1)), 0, 0),
    at(tile(Array(4).fill(1), Array(4).fill(1)), 0, 0),
  ];
  assert.deepEqual([at(east, 0, 128), at(east, 255, 128)], [first, last]);
  assert.deepEqual([at(south, 128, 0), at(south, 128, 255)], [first, last]);
  assert.deepEqual(at(east, 128, 10), at(tile(Array(4).fill(0.5), Array(4).fill(1)), 0, 0));
});

/** Flood maps whose depth rises to the east: nothing at longitude 4, 3 m at 6. */
const snapshot = (): LayerSnapshot => ({
  cards: (layer): LayerCard[] =>
    layer !== 'flood-depth'
      ? []
      : [10, 100].map((returnPeriodYears) => ({
          layer,
          version: 'v1',
          unit: layerKind(layer)!.unit,
          returnPeriodYears,
          resolutionM: 90,
          date: '2024-01-01',
          licence: 'none',
          source: 'made up',
        })),
  coverage: () => [-180, -90, 180, 90],
  sample: () => assert.fail('the reader samples'),
  state: () => assert.fail('not asked'),
  reader: (cards) => (lngs, _lats, into) => {
    for (const c of cards.keys())
      for (let i = 0; i < lngs.length; i++)
        into[c * lngs.length + i] = Math.min(3, Math.max(0, (lngs[i]! - 4) * 1.5));
  },
});

test('a tile shows the scores of its places, is made in turns and kept until the layers change', async () => {
  let current = snapshot();
  let [turns, made] = [0, 0];
  let task: Extract<PictureTask, { kind: 'palette' }> | undefined;
  const deps = {
    layers: { snapshot: () => current },
    pictures: {
      make: async (_account: string, given: PictureTask) => {
        task = given as typeof task;
        return Uint8Array.of(++made) as never;
      },
      close: async () => undefined,
    },
  };
  const owner = { accountId: 'acc_1', environment: 'production' as const };
  const place = { z: 7, x: 65, y: 42 }; // 2.8 to 5.6 degrees east, 51 to 53 north
  const png = await makeRiskTile(deps, owner, 'flood', place, async () => void turns++);
  assert.equal(turns, 5);
  assert.equal(task!.pixels.length, TILE_PIXELS ** 2);
  for (const across of [0.25, 0.5, 0.75]) {
    // At the corner of four pixels lies a place that was assessed.
    const [lng, lat] = placeInTile(place, across, 0.5);
    const { riskScore } = assessPlace(current, { lat, lng, peril: 'flood' }, false).assessment;
    const level = (task!.pixels[128 * TILE_PIXELS + across * TILE_PIXELS]! - 1) % 40;
    assert.ok(Math.abs(level / 39 - riskScore) < 0.03, `${level / 39} is not ${riskScore}`);
  }
  // Cells of 76 m are as fine as maps of 90 m, and a peril without a layer has the same colour everywhere.
  assert.equal(describeRiskTiles(deps, owner, 'flood').maxzoom, 14);
  assert.equal(describeRiskTiles(deps, owner, 'storm').maxzoom, 0);
  assert.equal(keptRiskTile(deps, owner, 'flood', place), png);
  assert.equal(keptRiskTile(deps, owner, 'storm', place), undefined);
  current = snapshot();
  assert.equal(keptRiskTile(deps, owner, 'flood', place), undefined);
});
