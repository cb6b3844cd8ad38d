import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { gdal, withoutGdal } from '../../../test/fixtures/gdal.ts';
import { type TiffFixture, tiffFixture } from '../../../test/fixtures/tiff-fixture.ts';
import type { WindowedRaster } from '../../app/imagery/scene-source.ts';
import { memoryFile } from '../../formats/memory-file.ts';
import { openWindowedFile } from './windowed-file.ts';

const [WIDTH, HEIGHT] = [301, 203];
const UTM_33N = { 1024: 1, 1025: 1, 3072: 32633 } as const;
const refused = (message: RegExp) => ({ name: 'InvalidInput', message });

/** Ground of fields and noise, as a function of the pixel. */
const ground = (seed: number, most: number) => (i: number) => {
  const [x, y] = [i % WIDTH, Math.floor(i / WIDTH)];
  return Math.abs((x >> 4) * 977 + (y >> 4) * 613 + ((i * 48_271 + seed) % 127)) % most;
};

async function opened(bytes: Buffer): Promise<WindowedRaster> {
  return openWindowedFile(memoryFile(bytes), 'x.jp2', async () => undefined);
}

describe('JPEG 2000 made by GDAL', { skip: withoutGdal }, () => {
  let folder: string;
  before(() => {
    folder = mkdtempSync(join(tmpdir(), 'groundwatch-jp2-'));
  });
  after(() => rmSync(folder, { recursive: true, force: true }));

  const LOSSLESS = ['QUALITY=100', 'REVERSIBLE=YES'];
  let made = 0;
  /** Makes a JPEG 2000 file by GDAL. @returns its bytes, and the samples of each band as GDAL reads them from it */
  const jp2 = async (
    tiff: Partial<TiffFixture>,
    options: readonly string[],
    end = 'jp2',
  ): Promise<{ readonly bytes: Buffer; readonly bands: readonly (readonly number[])[] }> => {
    const base = join(folder, `f${++made}`);
    const bands = tiff.bands ?? [Array.from({ length: WIDTH * HEIGHT }, (_, i) => ground(1, 15_000)(i))];
    const fixture: TiffFixture = {
      width: WIDTH,
      height: HEIGHT,
      bands,
      kind: 'uint16',
      origin: [399_960, 5_100_000],
      pixel: [10, 10],
      keys: UTM_33N,
      ...tiff,
    };
    writeFileSync(`${base}.tif`, tiffFixture(fixture));
    const path = `${base}.${end}`;
    await gdal('gdal_translate', [
      '-q',
      '-of',
      'JP2OpenJPEG',
      ...options.flatMap((o) => ['-co', o]),
      `${base}.tif`,
      path,
    ]);
    await gdal('gdal_translate', [
      '-q',
      '-of',
      'ENVI',
      '-ot',
      'Float64',
      '-co',
      'INTERLEAVE=BSQ',
      path,
      `${base}.raw`,
    ]);
    const raw = readFileSync(`${base}.raw`);
    const all = new Float64Array(raw.buffer, raw.byteOffset, raw.length / 8);
    const pixels = WIDTH * HEIGHT;
    return {
      bytes: readFileSync(path),
      bands: bands.map((_, b) => [...all.subarray(b * pixels, (b + 1) * pixels)]),
    };
  };
  const compare = async (bytes: Buffer, bands: readonly (readonly number[])[]): Promise<void> => {
    const raster = await opened(bytes);
    const windows = [
      { col: 0, row: 0, width: WIDTH, height: HEIGHT },
      { col: 60, row: 60, width: 9, height: 140 },
      { col: -2, row: HEIGHT - 3, width: WIDTH + 9, height: 7 },
    ];
    for (const [b, expected] of bands.entries())
      for (const window of windows) {
        const samples = await raster.read(b, window);
        for (let i = 0; i < samples.length; i++) {
          const [x, y] = [window.col + (i % window.width), window.row + Math.floor(i / window.width)];
          const inside = x >= 0 && y >= 0 && x < WIDTH && y < HEIGHT;
          const value = inside ? expected[y * WIDTH + x]! : Number.NaN;
          if (!Object.is(samples[i], value))
            assert.fail(`band ${b}, ${x}, ${y}: ${samples[i]} instead of ${value}`);
        }
      }
  };

  const three = [1, 2, 3].map((seed) =>
    Array.from({ length: WIDTH * HEIGHT }, (_, i) => ground(seed, 250)(i)),
  );
  test('two or four bands in one image are refused with the command that converts them', async () => {
    for (const count of [2, 4]) {
      const { bytes } = await jp2({ bands: Array.from({ length: count }, () => three[0]!) }, []);
      await assert.rejects(
        opened(bytes),
        refused(new RegExp(`expected 1 or 3 bands .*got ${count}.*gdal_translate`)),
      );
    }
  });

  for (const [what, tiff, options, end] of [
    ['in tiles that do not divide it', {}, ['BLOCKXSIZE=64', 'BLOCKYSIZE=96']],
    ['with a list of tiles', {}, ['BLOCKXSIZE=64', 'BLOCKYSIZE=64', 'TLM=YES']],
    [
      'in several parts a tile, with lists of packets',
      {},
      ['BLOCKXSIZE=128', 'BLOCKYSIZE=128', 'TILEPARTS=RESOLUTIONS', 'PLT=YES'],
    ],
    [
      'in precincts and small blocks',
      {},
      [
        'BLOCKXSIZE=128',
        'BLOCKYSIZE=100',
        'PRECINCTS={64,64},{32,32}',
        'CODEBLOCK_WIDTH=16',
        'CODEBLOCK_HEIGHT=16',
        'PROGRESSION=RPCL',
        'SOP=YES',
        'EPH=YES',
      ],
    ],
    ['of 15 bits', {}, ['NBITS=15', 'BLOCKXSIZE=64', 'BLOCKYSIZE=64', 'RESOLUTIONS=3']],
    [
      'of signed samples',
      { kind: 'int16', bands: [Array.from({ length: WIDTH * HEIGHT }, (_, i) => ground(1, 9000)(i) - 4000)] },
      ['BLOCKXSIZE=64', 'BLOCKYSIZE=64'],
    ],
    [
      'of three bands of 8 bits',
      { kind: 'uint8', bands: three },
      ['BLOCKXSIZE=128', 'BLOCKYSIZE=128', 'YCC=NO'],
    ],
    ['as one tile', {}, ['BLOCKXSIZE=1024', 'BLOCKYSIZE=1024']],
    ['without boxes for places but GML', {}, ['GeoJP2=NO', 'BLOCKXSIZE=128', 'BLOCKYSIZE=128']],
    ['with its boxes at the end', {}, ['GEOBOXES_AFTER_JP2C=YES', 'BLOCKXSIZE=128', 'BLOCKYSIZE=128']],
  ] as readonly (readonly [string, Partial<TiffFixture>, readonly string[], string?])[])
    test(`${what}: each sample as GDAL reads it`, async () => {
      const { bytes, bands } = await jp2(tiff, [...LOSSLESS, ...options], end);
      await compare(bytes, bands);
      const { grid } = await opened(bytes);
      assert.deepEqual([grid.width, grid.height, grid.crs], [WIDTH, HEIGHT, 'EPSG:32633']);
      assert.deepEqual(grid.transform, [399_960, 10, 0, 5_100_000, 0, -10]);
    });

  test('with loss: each sample as GDAL reads it', async () => {
    const { bytes, bands } = await jp2({}, ['QUALITY=30', 'BLOCKXSIZE=64', 'BLOCKYSIZE=64']);
    await compare(bytes, bands);
  });

  test('a window reads the header and its own tiles only', async () => {
    const { bytes, bands } = await jp2({}, [...LOSSLESS, 'BLOCKXSIZE=64', 'BLOCKYSIZE=64', 'TLM=YES']);
    let read = 0;
    const file = memoryFile(bytes);
    const counted = {
      stat: () => file.stat(),
      read: async (...[into, at, length, position]: Parameters<typeof file.read>) => {
        const found = await file.read(into, at, length, position);
        read += found.bytesRead;
        return found;
      },
    };
    const raster = await openWindowedFile(counted, 'x.jp2', async () => undefined);
    read = 0;
    const samples = await raster.read(0, { col: 70, row: 70, width: 20, height: 20 });
    assert.equal(samples[0], bands[0]![70 * WIDTH + 70]);
    assert.ok(read < bytes.length / 8, `${read} of ${bytes.length} bytes`);
  });

  test('a file that is cut short or damaged, or claims too much, is refused within bounds', async () => {
    const { bytes } = await jp2({}, [...LOSSLESS, 'BLOCKXSIZE=64', 'BLOCKYSIZE=64']);
    const everything = { col: 0, row: 0, width: WIDTH, height: HEIGHT };
    const read = async (file: Buffer): Promise<unknown> => (await opened(file)).read(0, everything);
    for (const share of [0.02, 0.3, 0.7, 0.999])
      await assert.rejects(
        read(bytes.subarray(0, bytes.length * share)),
        refused(/cut short|damaged|does not say/),
      );
    const siz = bytes.indexOf(Buffer.from('ff51', 'hex'));
    const changed = (...edits: readonly (readonly [at: number, value: number])[]): Buffer => {
      const copy = Buffer.from(bytes);
      for (const [at, value] of edits) copy.writeUInt32BE(value, siz + at);
      return copy;
    };
    await assert.rejects(
      read(changed([22, 1], [26, 1])),
      refused(/would have 301 x 203 tiles|tile \d+ of .* is missing/),
    );
    await assert.rejects(
      read(changed([6, 2 ** 31], [10, 2 ** 31], [22, 2 ** 30], [26, 2 ** 30])),
      refused(/expected at most 268435456 pixels/),
    );
    await assert.rejects(
      read(changed([6, 16_000], [10, 16_000], [22, 16_000], [26, 16_000])),
      refused(/expected tiles of at most 33554432 pixels/),
    );
    await assert.rejects(read(changed([22, 0])), refused(/damaged/));
    await assert.rejects(read(changed([6, 0])), refused(/damaged/));
    const sot = bytes.indexOf(Buffer.from('ff90', 'hex'));
    const length = Buffer.from(bytes);
    length.writeUInt32BE(0x7fff_ffff, sot + 6);
    await assert.rejects(read(length), refused(/cut short|missing/));
    const lost = Buffer.from(bytes);
    lost.writeUInt16BE(77, sot + 4);
    await assert.rejects(read(lost), refused(/tile 1 of 20 is missing/));
    let failed = 0;
    for (let i = 0; i < 60; i++) {
      const broken = Buffer.from(bytes);
      // Anywhere in the main header and the boxes.
      broken[(i * 13) % (sot + 20)]! ^= 1 << (i % 8);
      await read(broken).catch((error: Error) => {
        failed++;
        assert.equal(error.name, 'InvalidInput', error.stack);
      });
    }
    assert.ok(failed > 10, `${failed} of 60`);
    // The decoder still works.
    assert.equal(((await read(bytes)) as Float32Array).length, WIDTH * HEIGHT);
  });
});
