import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Legend } from '../../contract/pictures/change-images.ts';
import type { Owner } from '../owner.ts';
import type { LayerCard, LayerReader, LayerSnapshot } from '../risk/layer-reader.ts';
import type { PictureMaker } from './picture-maker.ts';
import { describeLayerTiles, keptLayerTile, makeLayerTile } from './layer-tiles.ts';

const OWNER = { accountId: 'acc_a', environment: 'production' } as Owner;
const card = (
  version: string,
  resolutionM: number,
  returnPeriodYears: number | null,
  unit = 'm',
): LayerCard => ({
  layer: 'flood-depth',
  version,
  unit,
  returnPeriodYears,
  resolutionM,
  date: '2024-01-01',
  licence: 'CC0-1.0',
  source: 'test',
});
/** A coarse map of the world whose value is the longitude, and a fine one of 10 to 20 E whose value is 1,000. */
const COARSE = card('coarse', 20_000, 100);
const FINE = card('fine', 100, 100);
const OTHER_PERIOD = card('coarse', 20_000, 500);
const CODES = card('codes', 20_000, null, 'class');

const valueOf = (one: LayerCard, lng: number): number => {
  if (one === FINE) return lng >= 10 && lng < 20 ? 1000 : Infinity;
  return one === OTHER_PERIOD ? 7 : lng < -90 ? Number.NaN : lng;
};
const snapshot: LayerSnapshot = {
  cards: (layer) =>
    layer === 'flood-depth' ? [COARSE, OTHER_PERIOD, FINE] : layer === 'land-cover' ? [CODES] : [],
  coverage: (one) => (one === FINE ? [10, -10, 20, 10] : [-180, -90, 180, 90]),
  sample: () => [],
  reader: (cards) => (lngs, _lats, into) => {
    for (const [c, one] of cards.entries())
      for (const [i, lng] of lngs.entries()) into[c * lngs.length + i] = valueOf(one, lng);
  },
  state: () => '',
};
const layers: LayerReader = { snapshot: () => snapshot };
/** Keeps the pixels that a tile is made of. */
function drawn(): { readonly pictures: PictureMaker; readonly pixels: () => Uint8Array } {
  let pixels = new Uint8Array();
  const make = (_account: string, task: { readonly pixels: Uint8Array }) => {
    pixels = new Uint8Array(task.pixels);
    return Promise.resolve(Uint8Array.of(1));
  };
  return {
    pictures: { make, close: () => Promise.resolve() } as unknown as PictureMaker,
    pixels: () => pixels,
  };
}
const soon = (): Promise<void> => Promise.resolve();

test('the return period nearest to 100 years is described, with its maps, the finest first', () => {
  const tiles = describeLayerTiles({ layers }, OWNER, 'flood-depth', undefined);
  assert.deepEqual(
    [tiles.return_period_years, tiles.unit, tiles.bounds],
    [100, 'm', [-180, -85.05, 180, 85.05]],
  );
  assert.deepEqual(
    tiles.maps.map(({ version }) => version),
    ['fine', 'coarse'],
  );
  assert.equal(tiles.maxzoom, 11); // 40,075,017 m / 256 / 100 m is 1,565, below 2^11
  assert.equal(describeLayerTiles({ layers }, OWNER, 'flood-depth', 500).legend.max > 6, true);
});

test('a pixel has the value of the finest map that has one, and none without', async () => {
  const { pictures, pixels } = drawn();
  const made = await makeLayerTile(
    { layers, pictures },
    OWNER,
    'flood-depth',
    100,
    { z: 0, x: 0, y: 0 },
    soon,
  );
  const { legend } = describeLayerTiles({ layers }, OWNER, 'flood-depth', 100) as { legend: Legend };
  const stepOf = (value: number): number =>
    1 + Math.min(239, Math.max(0, Math.round(((value - legend.min) / (legend.max - legend.min)) * 239)));
  const at = (lng: number): number => pixels()[128 * 256 + Math.floor(((lng + 180) / 360) * 256)]!;
  const centre = (lng: number): number => ((Math.floor(((lng + 180) / 360) * 256) + 0.5) / 256) * 360 - 180;
  assert.equal(at(-120), 0);
  assert.equal(at(15), stepOf(1000));
  for (const lng of [-60, 5, 40, 170]) assert.equal(at(lng), stepOf(centre(lng)), `at ${lng}`);
  assert.equal(keptLayerTile({ layers }, OWNER, 'flood-depth', undefined, { z: 0, x: 0, y: 0 }), made);
});

test('what cannot be shown is told', () => {
  for (const [layer, years, why] of [
    ['hail', undefined, /no layer hail/],
    ['land-cover', undefined, /has classes, not values/],
    ['flood-depth', 50, /no map of 50 years, but of 100, 500/],
  ] as const)
    assert.throws(() => describeLayerTiles({ layers }, OWNER, layer, years), why);
});
