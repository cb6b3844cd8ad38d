import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { BandFile, bandBytes, TILE_EDGE, tileBytes } from './band-file.ts';
import { writeBand } from './band-writer.ts';

test('tiles of zeros take no disk and read as zeros; the others keep their samples', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'groundwatch-band-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const path = join(folder, 'band.gwl');
  const grid = {
    crs: 'EPSG:4326',
    proj4: '+proj=longlat +datum=WGS84 +no_defs',
    width: 40 * TILE_EDGE,
    height: 2 * TILE_EDGE,
    transform: [-180, 0.01, 0, 85, 0, -0.01],
  } as const;
  await writeBand(path, { grid, kind: 'int16', nodata: 0, origin: 'test' }, 0, (tiles, tileRow) => {
    if (tileRow === 0) tiles[3 * TILE_EDGE * TILE_EDGE + 5] = 7;
  });
  const { size, blocks } = statSync(path);
  assert.equal(size, bandBytes('int16', grid));
  assert.ok(blocks * 512 < 10 * tileBytes('int16'), `${blocks * 512} bytes on the disk`);
  const band = BandFile.open(path)!;
  for (let tile = 0; tile < 80; tile++) {
    const samples = band.readTile(tile);
    assert.equal(samples.indexOf(7), tile === 3 ? 5 : -1);
    assert.ok(samples.every((value, i) => value === 0 || (tile === 3 && i === 5)));
  }
  band.close();
});
