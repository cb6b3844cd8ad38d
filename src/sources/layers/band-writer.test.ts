import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { crc32 } from 'node:zlib';
import type { Grid } from '../../geo/grid.ts';
import { BandFile, bandBytes, tileBytes, tileEdgeOf } from './band-file.ts';
import { SQUARE_EDGE, writeBand } from './band-writer.ts';
import { TileCache } from './tile-cache.ts';

function pathOf(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'groundwatch-band-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  return join(folder, 'band.gwl');
}

const gridOf = (width: number, height: number): Grid => ({
  crs: 'EPSG:4326',
  proj4: '+proj=longlat +datum=WGS84 +no_defs',
  width,
  height,
  transform: [-180, 0.01, 0, 85, 0, -0.01],
});

function openBand(t: TestContext, path: string): BandFile {
  const band = BandFile.open(path)!;
  t.after(() => band.close());
  return band;
}

test('tiles of a single value are stored once for each value; the others keep their samples', async (t) => {
  const path = pathOf(t);
  const grid = gridOf(10 * SQUARE_EDGE, 2 * SQUARE_EDGE);
  await writeBand(path, { grid, kind: 'int16', nodata: 0, origin: 'test' }, 0, (squares, squareRow) => {
    if (squareRow === 1) squares.fill(-5, 3 * SQUARE_EDGE ** 2);
    if (squareRow === 0) squares[3 * SQUARE_EDGE ** 2 + 70 * SQUARE_EDGE + 130] = 7;
  });
  const band = openBand(t, path);
  // The sample 70 rows and 130 columns into square 3 lies in the second row of tiles, 3 * 4 + 2 tiles from the left.
  const odd = 40 + 14;
  assert.equal(statSync(path).size, 4096 + 3 * (tileBytes('int16', 64) + 4) + 320 * 4 + 4);
  assert.ok(statSync(path).size < bandBytes('int16', grid));
  assert.equal(band.slots.length, 8 * 40);
  for (const [tile, slot] of band.slots.entries()) {
    const samples = band.readTile(tile);
    const isLow = tile >= 4 * 40 && tile % 40 >= 12;
    assert.equal(samples.length, 64 * 64);
    assert.equal(samples.indexOf(7), tile === odd ? 6 * 64 + 2 : -1);
    assert.ok(samples.every((value) => value === (isLow ? -5 : 0) || (tile === odd && value === 7)));
    assert.equal(slot === band.slots[0], tile !== odd && !isLow);
  }
  const tiles = new TileCache(1e9).of(band);
  assert.equal(tiles.tile(319), tiles.tile(318), 'a stored tile is in memory once');
  assert.notEqual(tiles.tile(319), tiles.tile(0));
});

test('a layer for which the disk has no room is refused with what it needs, what there is, and where', async (t) => {
  const path = pathOf(t);
  const vast = { grid: gridOf(2_000_000, 2_000_000), kind: 'int16', nodata: 0, origin: 'test' } as const; // 8 TB
  await assert.rejects(
    writeBand(path, vast, 0, () => undefined),
    {
      name: 'InvalidInput',
      message: /^the layer band\.gwl needs \d{7} MB of free disk, of which 68 stay free; \S+ has \d+ MB$/,
    },
  );
});

for (const [kind, values] of [
  ['uint8', [0, 255, 7]],
  ['float32', [0, -0, Number.NaN, 1.5]],
  ['float64', [0, -0, Number.NaN, 1e-300]],
] as const)
  test(`${kind}: every tile of one value keeps its bits, the last ones cut by the edge of the grid`, async (t) => {
    const path = pathOf(t);
    const grid = gridOf(200, 200);
    await writeBand(path, { grid, kind, nodata: null, origin: 'test' }, 0, (squares) => {
      for (let i = 0; i < squares.length; i++) {
        const [col, row] = [i % SQUARE_EDGE, Math.floor(i / SQUARE_EDGE)];
        squares[i] = values[((row >> 6) * 4 + (col >> 6)) % values.length]!;
      }
    });
    const band = openBand(t, path);
    assert.equal(new Set(band.slots).size, values.length);
    for (let tile = 0; tile < 16; tile++)
      for (const sample of band.readTile(tile)) assert.ok(Object.is(sample, values[tile % values.length]));
  });

test('a grid with very many tiles has larger ones', () => {
  assert.equal(tileEdgeOf(gridOf(43_200, 21_600)), 64);
  assert.equal(tileEdgeOf(gridOf(432_000, 216_000)), 256);
});

test('a band of version 1.3 is read: tiles of 256 x 256, all of them stored, none shared', (t) => {
  const path = pathOf(t);
  const grid = gridOf(300, 10);
  const header = Buffer.alloc(4096);
  const json = Buffer.from(JSON.stringify({ grid, kind: 'int16', nodata: -1, origin: 'then' }));
  header.write('GWLAYER2', 'latin1');
  header.writeUInt32LE(json.length, 8);
  json.copy(header, 12);
  const samples = [4, 9].map((value) => new Uint8Array(new Int16Array(256 * 256).fill(value).buffer));
  const sums = Buffer.alloc(12);
  for (const [i, tile] of samples.entries()) sums.writeUInt32LE(crc32(tile), 4 * i);
  sums.writeUInt32LE(crc32(sums.subarray(0, 8), crc32(header)), 8);
  const bytes = Buffer.concat([header, ...samples, sums]);
  writeFileSync(path, bytes);
  const band = openBand(t, path);
  assert.deepEqual(band.header, { grid, tileEdge: 256, kind: 'int16', nodata: -1, origin: 'then' });
  for (const [tile, value] of [4, 9].entries())
    assert.ok(band.readTile(tile).every((sample) => sample === value));
  writeFileSync(path, bytes.subarray(0, -256 * 256 * 2 - 4));
  assert.throws(() => BandFile.open(path), /do not fit the 2 tiles/);
});
