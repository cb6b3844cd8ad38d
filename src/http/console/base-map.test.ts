import assert from 'node:assert/strict';
import { copyFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { brotliDecompressSync } from 'node:zlib';
import { decode } from 'fast-png';
import Fastify from 'fastify';
import { NotFound } from '../../base/errors.ts';
import { baseMapRoutes } from './base-map.routes.ts';
import { readTileArchive, tileNumber } from './tile-archive.ts';

const FOLDER = join(import.meta.dirname, '../../../web/public');

test('tiles are numbered as PMTiles says', () => {
  const numbers = [
    [0, 0, 0],
    [1, 0, 0],
    [1, 0, 1],
    [1, 1, 1],
    [1, 1, 0],
    [2, 0, 0],
    [2, 1, 3],
    [12, 3423, 1763],
  ].map(([z, x, y]) => tileNumber({ z: z!, x: x!, y: y! }));
  // The numbers of zoom 0 to 2 and of 12/3423/1763 are in the specification and the tests of its authors.
  assert.deepEqual(numbers, [0, 1, 2, 3, 4, 5, 11, 19_078_479]);
});

test('bytes of another format are refused', () => {
  assert.throws(() => readTileArchive(Buffer.from('MBTiles and more')), /not an archive of PMTiles 3/);
});

describe('the tiles of the base map', () => {
  const app = Fastify();
  app.setErrorHandler((error, _, reply) => reply.code(error instanceof NotFound ? 404 : 500).send(''));
  baseMapRoutes(app, { folder: FOLDER });
  const get = (url: string, headers = {}) => app.inject({ url, headers });

  test('are vector tiles with layers, compressed for those who can read it', async () => {
    const packed = await get('/base-map/6/33/22', { 'accept-encoding': 'br' });
    assert.equal(packed.headers['content-encoding'], 'br');
    assert.equal(packed.headers['content-type'], 'application/vnd.mapbox-vector-tile');
    const plain = await get('/base-map/6/33/22');
    assert.equal(plain.headers['content-encoding'], undefined);
    assert.deepEqual(brotliDecompressSync(packed.rawPayload), plain.rawPayload);
    // The tile 33/22 of zoom 6 has the Rhine from Lake Constance to Karlsruhe, and the towns on it.
    for (const name of ['land', 'borders', 'rivers', 'places', 'Rhine', 'Strasbourg', 'Basel'])
      assert.ok(plain.rawPayload.includes(name), name);
  });

  test('are empty at sea and beyond the highest zoom of the archive', async () => {
    for (const url of ['/base-map/6/27/22', '/base-map/7/66/44']) {
      const { statusCode, rawPayload } = await get(url);
      assert.deepEqual([statusCode, rawPayload.length], [200, 0]);
    }
  });

  test('have a relief beside them: shades where there are mountains, and nothing at sea', async () => {
    const alps = await get('/base-map/relief/4/8/5');
    assert.deepEqual([alps.statusCode, alps.headers['content-type']], [200, 'image/png']);
    const { width, data, palette } = decode(alps.rawPayload);
    assert.equal(width, 256);
    // The row and column of the Aletsch glacier (8.0 E, 46.5 N) have slopes to both sides within 100 km.
    const shades = Array.from({ length: 20 * 20 }, (_, i) => {
      const [col, row] = [84 + (i % 20), 165 + Math.floor(i / 20)];
      return palette![data[row * 256 + col]!]!;
    });
    assert.ok(
      shades.some(([red, , , alpha]) => red! < 128 && alpha! > 60),
      'shade',
    );
    assert.ok(
      shades.some(([red, , , alpha]) => red! > 128 && alpha! > 30),
      'light',
    );
    const sea = decode((await get('/base-map/relief/4/2/9')).rawPayload);
    assert.deepEqual([sea.width, [...sea.data]], [1, [0, 0, 0, 0]]);
    assert.equal((await get('/base-map/relief/4/16/0')).statusCode, 404);
  });

  test('are not found at a zoom, column or row that does not exist', async () => {
    for (const url of [
      '/base-map/1/2/0',
      '/base-map/23/0/0',
      '/base-map/-1/0/0',
      '/base-map/1/x/0',
      '/base-map/1/0/0.5',
    ])
      assert.equal((await get(url)).statusCode, 404, url);
  });

  test('are not there until the console is built, and then are', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'groundwatch-base-map-'));
    const early = Fastify();
    early.setErrorHandler((error, _, reply) => reply.code(error instanceof NotFound ? 404 : 500).send(''));
    baseMapRoutes(early, { folder });
    assert.equal((await early.inject('/base-map/0/0/0')).statusCode, 404);
    copyFileSync(join(FOLDER, 'base-map.pmtiles'), join(folder, 'base-map.pmtiles'));
    assert.equal((await early.inject('/base-map/0/0/0')).statusCode, 200);
    rmSync(folder, { recursive: true });
  });
});
