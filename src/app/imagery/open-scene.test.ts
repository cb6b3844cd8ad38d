import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Grid } from '../../geo/grid.ts';
import { OpenScene } from './open-scene.ts';
import { stripsOf } from './strips.ts';
import type { SceneItem, SceneSource } from './scene-source.ts';

const UTM = (width: number, height: number, x: number, y: number, pixelM: number): Grid => ({
  width,
  height,
  crs: 'EPSG:32633',
  proj4: '+proj=utm +zone=33 +datum=WGS84 +units=m +no_defs',
  transform: [x, pixelM, 0, y, 0, -pixelM],
});
const FINE = UTM(40, 60, 500_000, 5_000_000, 10);
const COARSE = UTM(20, 30, 500_000, 5_000_000, 20);
/** Three columns and two rows within the scene, and beyond its southern edge. */
const GRID = UTM(7, 29, 500_060, 4_999_960, 20);

/** Files of a scene: bands of 10 m, and a quality band of 20 m with vegetation, clouds (9) and snow (11). */
const FILES: Readonly<Record<string, Grid>> = { red: FINE, nir: FINE, green: FINE, blue: FINE, scl: COARSE };
function valueAt(name: string, col: number, row: number): number {
  const mixed = Math.imul(((col + 1) * 8191) ^ (row * 131), 0x85ebca6b) >>> 20;
  if (name === 'scl') return mixed % 7 === 0 ? 9 : mixed % 11 === 0 ? 11 : 4;
  return 500 + (mixed % 900) + 1000 * name.length;
}

/** The files, and the numbers of those that are open and of the rows that were read of the red band. */
function fakeSource() {
  const seen = { open: 0, redRows: 0 };
  const open: SceneSource['open'] = (href) => {
    const grid = FILES[href]!;
    seen.open++;
    return Promise.resolve({
      grid,
      nodata: 0,
      scale: 1e-4,
      offset: 0,
      read: (_band, { col, row, width, height }) => {
        if (href === 'red') seen.redRows += height;
        return Promise.resolve(
          Float32Array.from({ length: width * height }, (_, i) => {
            const [c, r] = [col + (i % width), row + Math.floor(i / width)];
            const isInside = c >= 0 && r >= 0 && c < grid.width && r < grid.height;
            return isInside ? valueAt(href, c, r) : Number.NaN;
          }),
        );
      },
      close: () => {
        seen.open--;
        return Promise.resolve();
      },
    });
  };
  return { seen, source: { open } as SceneSource };
}

const band = (href: string) => ({ href, band: 0, scale: null, offset: null, nodata: null });
const ITEM = {
  id: 'scene',
  bands: { red: band('red'), nir: band('nir'), green: band('green'), blue: band('blue') },
  quality: { href: 'scl', encoding: 'sentinel-2-scl' },
} as unknown as SceneItem;
const HOW = { adjustment: undefined, isTrueColour: true };

test('a scene read strip by strip is the scene read at once, and each row of a file is read once', async () => {
  const { seen, source } = fakeSource();
  const parts = [];
  for (const heights of [[29], [4, 9, 16]]) {
    const scene = (await OpenScene.open(source, ITEM, ['ndvi'], GRID, HOW))!;
    assert.equal(seen.open, 5);
    const ndvi: number[] = [];
    const snow: number[] = [];
    seen.redRows = 0;
    let first = 0;
    for (const height of heights) {
      const { indices, isSnow } = await scene.read({ first, last: (first += height) });
      ndvi.push(...indices.get('ndvi')!);
      snow.push(...isSnow);
    }
    parts.push({ ndvi, snow, picture: [...scene.picture()!], rows: seen.redRows });
    await scene.close();
    assert.equal(seen.open, 0);
  }
  const [atOnce, inStrips] = parts;
  assert.equal(atOnce!.rows, 58); // 29 rows of 20 m, without a margin
  assert.deepEqual(inStrips, atOnce);
  assert.ok(atOnce!.snow.includes(1) && atOnce!.picture.some((brightness) => brightness > 1));
  // A pixel of 20 m has the mean of 2 x 2 of 10 m. The first clear one is compared with its definition.
  const at = atOnce!.ndvi.findIndex((value) => !Number.isNaN(value));
  const [col, row] = [2 * (3 + (at % 7)), 2 * (2 + Math.floor(at / 7))];
  const mean = (name: string): number =>
    [0, 1, 2, 3].reduce((sum, i) => sum + valueAt(name, col + (i % 2), row + (i >> 1)), 0) / 4;
  const [red, nir] = [mean('red'), mean('nir')];
  assert.ok(Math.abs(atOnce!.ndvi[at]! - (nir - red) / (nir + red)) < 1e-6);
});

test('strips of a tile have whole rows of blocks; a small grid is one strip', () => {
  const tile = stripsOf({ width: 10_980, height: 10_980 });
  assert.equal(tile.length, 11);
  assert.deepEqual(tile[1], { first: 1024, last: 2048 });
  assert.deepEqual(tile.at(-1), { first: 10_240, last: 10_980 });
  assert.deepEqual(stripsOf({ width: 300, height: 300 }), [{ first: 0, last: 300 }]);
});
