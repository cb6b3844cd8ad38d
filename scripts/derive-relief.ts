// Derives the relief of the base map of the console, web/public/relief.pmtiles, from data/layers/elevation.tif.
//   node scripts/derive-relief.ts
// Run by hand, not by the build: the result is committed.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { encode } from 'fast-png';
import { fromFile } from 'geotiff';
import { placeInTile, type Tile } from '../src/geo/tile.ts';
import { writePmtiles } from './derive/base-map/pmtiles.ts';

/** Highest zoom of the tiles, at which a pixel is as wide as a cell of 5 arc-minutes at the equator: 9.8 km. */
const MAX_ZOOM = 4;
const SIDE = 256;
/** Shades on each side of flat ground. */
const SHADES = 4;
/** Greatest opacity of a shade [0-255]. */
const DARKEST = 110;
/** Direction and height of the sun [degrees], as on most maps. */
const [AZIMUTH, ALTITUDE] = [315, 45];
/** How many times too steep the ground is drawn at the highest zoom, and in each lower one: means of cells are flat. */
const [STEEP, STEEPER] = [9, 1.6];

const root = join(import.meta.dirname, '..');
const image = await (await fromFile(join(root, 'data/layers/elevation.tif'))).getImage();
const [width, height] = [image.getWidth(), image.getHeight()];
const [west, north] = image.getOrigin() as [number, number];
const [degrees] = image.getResolution() as [number];
const nodata = image.getGDALNoData();
const cells = (await image.readRasters({ interleave: true })) as Int16Array;

/** Height of the ground between four cells [m]; NaN where the nearest one is sea. The sea counts as 0 beside land. */
function heightAt(lng: number, lat: number): number {
  const [col, row] = [(lng - west) / degrees - 0.5, (north - lat) / degrees - 0.5];
  const cell = (c: number, r: number): number => {
    const at = Math.min(height - 1, Math.max(0, r)) * width + (((c % width) + width) % width);
    return cells[at] === nodata ? Number.NaN : cells[at]!;
  };
  if (Number.isNaN(cell(Math.round(col), Math.round(row)))) return Number.NaN;
  const [left, top] = [Math.floor(col), Math.floor(row)];
  const [x, y] = [col - left, row - top];
  const of = (c: number, r: number): number => cell(c, r) || 0;
  return (
    (of(left, top) * (1 - x) + of(left + 1, top) * x) * (1 - y) +
    (of(left, top + 1) * (1 - x) + of(left + 1, top + 1) * x) * y
  );
}

/** The shades of a tile as indices: 0 for flat ground and sea, then dark ones, then light ones; null if all is 0. */
function shadesOf(tile: Tile): Uint8Array | null {
  const side = SIDE + 2;
  const heights = new Float64Array(side * side);
  for (let i = 0; i < heights.length; i++) {
    const [across, down] = [((i % side) - 0.5) / SIDE, (Math.floor(i / side) - 0.5) / SIDE];
    heights[i] = heightAt(...(placeInTile(tile, across, down) as [number, number]));
  }
  const shades = new Uint8Array(SIDE * SIDE);
  const sun = [Math.sin, Math.cos].map((of) => of((AZIMUTH * Math.PI) / 180)) as [number, number];
  const up = Math.sin((ALTITUDE * Math.PI) / 180);
  for (let y = 0; y < SIDE; y++) {
    const lat = placeInTile(tile, 0, (y + 0.5) / SIDE)[1];
    const pixelM = ((40_075_017 / SIDE) * Math.cos((lat * Math.PI) / 180)) / 2 ** tile.z;
    const steep = (STEEP * STEEPER ** (MAX_ZOOM - tile.z)) / (2 * pixelM);
    for (let x = 0; x < SIDE; x++) {
      const at = (y + 1) * side + x + 1;
      const own = heights[at]!;
      if (Number.isNaN(own)) continue;
      const of = (i: number): number => (Number.isNaN(heights[i]!) ? 0 : heights[i]!);
      const east = (of(at + 1) - of(at - 1)) * steep;
      const northward = (of(at - side) - of(at + side)) * steep;
      const lit = (up - Math.SQRT1_2 * (east * sun[0] + northward * sun[1])) / Math.hypot(1, east, northward);
      const step = Math.round(((lit - up) / up) * SHADES * 1.4);
      shades[y * SIDE + x] =
        step < 0 ? Math.min(SHADES, -step) : step > 0 ? SHADES + Math.min(SHADES, step) : 0;
    }
  }
  return shades.some((shade) => shade !== 0) ? shades : null;
}

const opacity = (step: number): number => Math.round((DARKEST * step) / SHADES);
const palette: [number, number, number, number][] = [
  [0, 0, 0, 0],
  ...Array.from(
    { length: SHADES },
    (_, i) => [52, 44, 34, opacity(i + 1)] as [number, number, number, number],
  ),
  ...Array.from(
    { length: SHADES },
    (_, i) => [255, 255, 255, opacity(i + 1)] as [number, number, number, number],
  ),
];
const tiles: (Tile & { readonly bytes: Uint8Array })[] = [];
for (let z = 0; z <= MAX_ZOOM; z++)
  for (let y = 0; y < 2 ** z; y++)
    for (let x = 0; x < 2 ** z; x++) {
      const data = shadesOf({ z, x, y });
      if (data === null) continue;
      tiles.push({
        z,
        x,
        y,
        bytes: encode({ width: SIDE, height: SIDE, data, channels: 1, depth: 8, palette }),
      });
    }
const archive = writePmtiles(tiles, { attribution: 'NOAA ETOPO5' }, 'png');
writeFileSync(join(root, 'web/public/relief.pmtiles'), archive);
const sizes = tiles.map(({ bytes }) => bytes.length).toSorted((a, b) => a - b);
process.stdout.write(`${tiles.length} tiles, ${archive.length} bytes, largest ${sizes.at(-1)}\n`);
