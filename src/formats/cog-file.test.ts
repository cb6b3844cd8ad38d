import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fromArrayBuffer } from 'geotiff';
import { InvalidInput } from '../base/errors.ts';
import type { Grid } from '../geo/grid.ts';
import { type CogBand, cogFile } from './cog-file.ts';

const grid = (width: number, height: number): Grid => ({
  crs: 'EPSG:32633',
  proj4: '+proj=utm +zone=33 +datum=WGS84 +units=m +no_defs',
  width,
  height,
  transform: [460000, 10, 0, 5100000, 0, -20],
});
const band = (width: number, height: number): CogBand => ({
  grid: grid(width, height),
  sample: 'int16',
  nodata: -32768,
  scale: 0.0001,
  offset: 0,
  unit: 'm < n',
  description: 'ndvi',
  mostSide: 2048,
});

/** The whole file: the sample of a pixel is its column plus its row, modulo 30,000. */
function whole(asked: CogBand): Buffer {
  const { head, blockCount, blockAt, byteLength } = cogFile(asked);
  const parts = [Buffer.from(head)];
  for (let i = 0; i < blockCount; i++) {
    const { window, step, side } = blockAt(i);
    const block = new Int16Array(side * side).fill(asked.nodata);
    for (let r = 0; r * step < window.height; r++)
      for (let c = 0; c * step < window.width; c++)
        block[r * side + c] = (window.col + c * step + window.row + r * step) % 30_000;
    parts.push(Buffer.from(block.buffer));
  }
  const file = Buffer.concat(parts);
  assert.equal(file.length, byteLength);
  return file;
}

test('another reader finds each sample where it belongs, also in the overviews', async () => {
  for (const [width, height, levels] of [
    [1, 1, 1],
    [256, 256, 1],
    [257, 100, 2],
    [700, 530, 3],
    [1100, 300, 4],
  ] as const) {
    const asked = band(width, height);
    const file = whole(asked);
    const tiff = await fromArrayBuffer(new Uint8Array(file).buffer);
    assert.equal(await tiff.getImageCount(), levels, `${width} x ${height}`);
    for (let level = 0; level < levels; level++) {
      const image = await tiff.getImage(level);
      const step = 2 ** level;
      const across = Math.ceil(width / step);
      assert.deepEqual([image.getWidth(), image.getHeight()], [across, Math.ceil(height / step)]);
      const [samples] = await image.readRasters();
      for (const [i, sample] of Array.from(samples as Int16Array).entries())
        if (sample !== ((i % across) * step + Math.floor(i / across) * step) % 30_000)
          assert.fail(`level ${level}, sample ${i} is ${sample}`);
    }
    const image = await tiff.getImage();
    assert.deepEqual(image.getOrigin().slice(0, 2), [460000, 5100000]);
    assert.deepEqual(image.getResolution().slice(0, 2), [10, -20]);
    assert.equal(image.getGDALNoData(), -32768);
    assert.equal(image.getGeoKeys()?.ProjectedCSTypeGeoKey, 32633);
  }
});

test('no block of an overview shows more of the grid than it may', () => {
  const { blockAt, blockCount } = cogFile(band(10_980, 10_980));
  const shown = Array.from({ length: blockCount }, (_, i) => blockAt(i).window).map(({ width, height }) =>
    Math.max(width, height),
  );
  assert.equal(Math.max(...shown), 2048);
  assert.throws(() => blockAt(blockCount), RangeError);
});

test('a grid without an EPSG code is refused', () => {
  assert.throws(() => cogFile({ ...band(10, 10), grid: { ...grid(10, 10), crs: 'custom' } }), InvalidInput);
});
