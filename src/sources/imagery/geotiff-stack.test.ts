// Long file: one test for each property of a GeoTIFF; a third is the table of pixels that GDAL prints.
import assert from 'node:assert/strict';
import { hash } from 'node:crypto';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import type { TestContext } from 'node:test';
import { fileURLToPath } from 'node:url';
import type { RasterStack } from '../../app/imagery/raster-stack.ts';
import { GeoTiffStackReader } from './geotiff-stack.ts';
import { layerFiles } from '../layers/layer-files.ts';
import { tiffFixture } from '../../../test/fixtures/tiff-fixture.ts';
import type { TiffField, TiffFixture } from '../../../test/fixtures/tiff-fixture.ts';

const reader = new GeoTiffStackReader();

async function openBytes(t: TestContext, bytes: Uint8Array): Promise<RasterStack> {
  const folder = mkdtempSync(join(tmpdir(), 'groundwatch-tiff-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const path = join(folder, 'stack.tif');
  writeFileSync(path, bytes);
  const stack = await reader.open(path);
  t.after(() => stack.close());
  return stack;
}

const openFixture = (t: TestContext, fixture: TiffFixture): Promise<RasterStack> =>
  openBytes(t, tiffFixture(fixture));

/** 5 x 3 pixels, three bands, both signs and the extremes of int16. */
const BANDS = [
  [1, 2, 3, 4, 5, -6, -7, -8, -9, -10, 32767, -32768, 0, 1000, -1000],
  [100, 100, 100, 100, 100, 0, 0, 0, 0, 0, -1, -1, -1, -1, -1],
  [9, 8, 7, 6, 5, 4, 3, 2, 1, 0, -32767, 300, 301, 302, 303],
];

const LAYOUTS: readonly Partial<TiffFixture>[] = [
  {},
  { interleaved: true },
  { rowsPerStrip: 2, interleaved: true, deflate: true },
  { rowsPerStrip: 1, deflate: true, differenced: true },
  { tile: 16, deflate: true, differenced: true, interleaved: true },
  { tile: 16, big: true },
  { bigEndian: true, rowsPerStrip: 1 },
  { bigEndian: true, tile: 16, deflate: true, differenced: true, interleaved: true },
  { bigEndian: true, big: true, rowsPerStrip: 2, interleaved: true },
];

for (const layout of LAYOUTS) {
  test(`reads every band exactly from ${JSON.stringify(layout)}`, async (t) => {
    const stack = await openFixture(t, { width: 5, height: 3, bands: BANDS, nodata: '-32768', ...layout });
    assert.equal(stack.bandCount, 3);
    assert.equal(stack.sampleType, 'int16');
    assert.equal(stack.nodata, -32768);
    for (const band of [2, 0, 1]) assert.deepEqual([...(await stack.readBand(band))], BANDS[band]);
    await assert.rejects(stack.readBand(3), RangeError);
  });
}

test('each sample type maps to the smallest cube type that stores it exactly', async (t) => {
  const cases = [
    ['uint8', [0, 255], 'int16'],
    ['int16', [-32768, 32767], 'int16'],
    ['uint16', [0, 65535], 'float32'],
    ['int32', [-2147483648, 2147483647], 'float64'],
    ['float32', [Math.fround(0.1), Number.NaN], 'float32'],
    ['float64', [0.1, 1e300], 'float64'],
  ] as const;
  for (const [kind, band, type] of cases) {
    const stack = await openFixture(t, { width: 2, height: 1, bands: [band], kind });
    assert.equal(stack.sampleType, type, kind);
    assert.deepEqual([...(await stack.readBand(0))], [...band], kind);
  }
});

test('dates are read from band names, unless a band has none or two have the same', async (t) => {
  const named = async (...names: readonly string[]) => {
    const items = names.map(
      (name, i) => `<Item name="DESCRIPTION" sample="${i}" role="description">${name}</Item>`,
    );
    const bands = names.map(() => [5]);
    const metadata = `<GDALMetadata>${items.join('')}</GDALMetadata>`;
    return (await openFixture(t, { width: 1, height: 1, bands, metadata })).dates;
  };
  assert.deepEqual(await named('2015-07-11T10:00:08', '1984-06-06_Landsat 5 TM'), [
    { band: 1, timeMs: Date.UTC(2015, 6, 11, 10, 0, 8), scene: null },
    { band: 2, timeMs: Date.UTC(1984, 5, 6), scene: null },
  ]);
  assert.equal(await named('2015-07-11', 'ndvi'), undefined);
  assert.equal(await named('2015-07-11', '2015-07-11'), undefined);
});

test('rows of bits, as GDAL writes masks with NBITS=1, are read as 0 and 1', async (t) => {
  // The fixture writes whole bytes: a row of ten one-bit pixels takes two.
  const stack = await openFixture(t, {
    width: 2,
    height: 2,
    bands: [[0b1010_0000, 0b0100_0000, 0b0000_0001, 0b1000_0000]],
    kind: 'uint8',
    fields: { 256: [4, [10]], 258: [3, [1]] },
  });
  assert.equal(stack.grid.width, 10);
  assert.deepEqual([...(await stack.readBand(0))].join(''), '10100000010000000110');
});

test('int16 with a declared nodata other than -32768 is read as float32, so that -32768 stays a value', async (t) => {
  const stack = await openFixture(t, { width: 3, height: 1, bands: [[-32768, -3000, 5]], nodata: '-3000' });
  assert.equal(stack.sampleType, 'float32');
  assert.equal(stack.nodata, -3000);
  assert.deepEqual([...(await stack.readBand(0))], [-32768, -3000, 5]);
});

test('nodata is compared in the precision of the samples', async (t) => {
  const lowest = -3.4028234663852886e38; // lowest float32, IEEE 754
  const stack = await openFixture(t, {
    width: 1,
    height: 1,
    bands: [[lowest]],
    kind: 'float32',
    nodata: '-3.4028235e+38',
  });
  assert.equal((await stack.readBand(0))[0], stack.nodata);
  const nan = await openFixture(t, { width: 1, height: 1, bands: [[0]], kind: 'float32', nodata: 'nan' });
  assert.equal(nan.nodata, Number.NaN);
  const none = await openFixture(t, { width: 1, height: 1, bands: [[0]] });
  assert.equal(none.nodata, null);
  await assert.rejects(
    openFixture(t, { width: 1, height: 1, bands: [[0]], nodata: 'none' }),
    /nodata value 'none'/,
  );
});

/** A file of GDAL 3.6.2 with `COMPRESS=LERC ENDIANNESS=BIG`: 3 x 2 pixels, uint16. */
const LERC_BIG_ENDIAN =
  'TU0AKgAAAAgAEQEAAAMAAAABAAMAAAEBAAMAAAABAAIAAAECAAMAAAABABAAAAEDAAMAAAABiEcAAAEGAAMAAAABAAEAAAERAAQA' +
  'AAABAAABggEVAAMAAAABAAEAAAEWAAMAAAABAAIAAAEXAAQAAAABAAAAVwEcAAMAAAABAAEAAAFTAAMAAAABAAEAAIMOAAwAAAAD' +
  'AAAA4oSCAAwAAAAGAAAA+oevAAMAAAAgAAABKoewAAwAAAACAAABaoexAAIAAAAIAAABesXyAAQAAAACAAAA2gAAAAAAAAAEAAAA' +
  'AD/wAAAAAAAAP/AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAEAkAAAAAAAAQEkAAAAAAAAAAAAAAAAAAAAB' +
  'AAEAAAAHBAAAAAABAAIEAQAAAAEAAQgAAAAAARDmCAGHsQAHAAAIBgAAAAEjjggJh7AAAQABCAuHsAABAABAcqQdlnRtiEFYVKZA' +
  'AAAAV0dTIDg0fABMZXJjMiAEAAAAX9uZCwIAAAADAAAAAQAAAAYAAAAIAAAAVwAAAAMAAAAAAAAAAADgPwAAAAAAAHBAAAAAAOD/' +
  '70AAAAAAAAH//wEAAQECAAOcQAAF//8=';

test('LERC in a big-endian file of GDAL 3.6.2 is read correctly', async (t) => {
  const stack = await openBytes(t, Buffer.from(LERC_BIG_ENDIAN, 'base64'));
  assert.deepEqual([...(await stack.readBand(0))], [1, 258, 3, 40000, 5, 65535]);
});

test('a block that the file omits is nodata', async (t) => {
  const stack = await openFixture(t, {
    width: 2,
    height: 2,
    bands: [[1, 2, 3, 4]],
    rowsPerStrip: 1,
    nodata: '-32768',
    fields: { 273: [4, [8, 0]], 279: [4, [4, 0]] },
  });
  assert.deepEqual([...(await stack.readBand(0))], [1, 2, -32768, -32768]);
});

test('scale and offset come from GDAL_METADATA, and bands must agree', async (t) => {
  const item = (band: number, role: string, value: string): string =>
    `<Item name="${role.toUpperCase()}" sample="${band}" role="${role}">${value}</Item>`;
  const both = (a: string, b: string): TiffFixture => ({
    width: 1,
    height: 1,
    bands: [[0], [0]],
    metadata: `<GDALMetadata>${item(0, 'scale', a)}${item(0, 'offset', '-0.1')}${item(1, 'scale', b)}${item(1, 'offset', '-0.1')}</GDALMetadata>`,
  });
  const stack = await openFixture(t, both('0.0001', '0.0001'));
  assert.equal(stack.scale, 0.0001);
  assert.equal(stack.offset, -0.1);
  await assert.rejects(
    openFixture(t, both('0.0001', '0.001')),
    /band 1 the scale 0.0001 and band 2 the scale 0.001/,
  );
});

test('the transform is kept: north-up, bottom-up, rotated, and shifted by half a pixel for PixelIsPoint', async (t) => {
  const at = async (fixture: Partial<TiffFixture>): Promise<readonly number[]> =>
    (await openFixture(t, { width: 2, height: 2, bands: [[1, 2, 3, 4]], ...fixture })).grid.transform;
  assert.deepEqual(await at({ origin: [10, 50], pixel: [0.5, 0.25] }), [10, 0.5, 0, 50, 0, -0.25]);
  assert.deepEqual(await at({ origin: [10, 50], pixel: [0.5, -0.25] }), [10, 0.5, 0, 50, 0, 0.25]);
  const matrix = [3, 4, 0, 10, 4, -3, 0, 50, 0, 0, 0, 0, 0, 0, 0, 1];
  assert.deepEqual(await at({ matrix }), [10, 3, 4, 50, 4, -3]);
  const keys = { 1024: 2, 1025: 2, 2048: 4326 };
  assert.deepEqual(
    await at({ origin: [10, 50], pixel: [0.5, 0.25], keys }),
    [9.75, 0.5, 0, 50.125, 0, -0.25],
  );
});

test('the reference system is that of the GeoKeys', async (t) => {
  const utm = await openFixture(t, {
    width: 1,
    height: 1,
    bands: [[0]],
    origin: [465181, 5080254],
    keys: { 1024: 1, 1025: 1, 3072: 32633 },
  });
  assert.equal(utm.grid.crs, 'EPSG:32633');
  assert.match(utm.grid.proj4, /\+proj=utm \+zone=33 \+datum=WGS84/);
});

test('a file without a usable place on Earth is refused; the message says what was expected', async (t) => {
  const plain = { width: 2, height: 2, bands: [[1, 2, 3, 4]] };
  const cases: readonly [Partial<TiffFixture>, RegExp][] = [
    [{ keys: null }, /stack\.tif has no reference system; expected/],
    [{ keys: { 1024: 1, 1025: 1, 3072: 26715 } }, /EPSG:26715 on an ellipsoid .* gdalwarp/],
    [{ keys: { 1024: 1, 1025: 1, 3072: 1999 } }, /reference system that cannot be used \(EPSG:1999/],
    [{ tiePoints: Array.from({ length: 24 }, (_, i) => i) }, /4 ground control points and no transform/],
    [{ fields: { 33550: [12, [0, 1, 0]] } }, /maps its pixels to a line/],
    [{ origin: [500, 95] }, /no place on Earth/],
    [
      { origin: [500_000, 5e6], pixel: [1e-4, 1e-4], keys: { 1024: 1, 1025: 1, 3072: 32633 } },
      /stack\.tif has pixels of less than a centimetre .* in degrees, such as EPSG:4326/,
    ],
    // A Mollweide map as GDAL writes it: keys for WGS84, but none for the projection.
    [{ keys: { 1024: 32767, 1025: 1, 2048: 4326 } }, /no reference system/],
  ];
  for (const [fixture, message] of cases) {
    await assert.rejects(openFixture(t, { ...plain, ...fixture }), { name: 'InvalidInput', message });
  }
});

test('false headers and unusable samples are refused before any pixel is read', async (t) => {
  const plain = { width: 2, height: 2, bands: [[1, 2, 3, 4]] };
  const cases: readonly [TiffFixture['fields'], RegExp][] = [
    [{ 256: [4, [200_000]], 257: [4, [200_000]] }, /200000 x 200000 pixels .* at most/],
    [{ 256: [4, [0]] }, /0 x 2 pixels/],
    [{ 258: [3, [12]] }, /holds int12 samples; expected unsigned integers of 1 to 16/],
    [{ 339: [3, [6]], 258: [3, [64]] }, /holds complex64 samples/],
    [{ 259: [3, [7]] }, /compressed by JPEG; expected one of none, LZW, DEFLATE/],
    [{ 279: [4, [1_000_000]] }, /truncated: block 1 of 1 ends at byte 1000008, the file has \d+/],
    [{ 278: [4, [1]] }, /lists 1 block positions and 1 lengths; its shape needs 2/],
    [{ 317: [3, [3]] }, /predictor 3, which does not go with int16/],
    [{ 254: [4, [4]] }, /internal mask/],
  ];
  for (const [fields, message] of cases) {
    await assert.rejects(openFixture(t, { ...plain, fields: fields! }), { name: 'InvalidInput', message });
  }
});

/** A little-endian TIFF with its page once more, `width` pixels wide. */
function withSecondPage(bytes: Buffer, width: number): Buffer {
  const at = bytes.readUInt32LE(4);
  const fields = bytes.readUInt16LE(at);
  const page = Buffer.from(bytes.subarray(at, at + 2 + 12 * fields + 4));
  for (let field = 2; field < 2 + 12 * fields; field += 12)
    if (page.readUInt16LE(field) === 256) page.writeUInt32LE(width, field + 8);
  const whole = Buffer.concat([bytes, page]);
  whole.writeUInt32LE(bytes.length, at + 2 + 12 * fields);
  return whole;
}

test('pages of one size are refused, because only the first would be read; a page of another size is not read', async (t) => {
  const bytes = tiffFixture({ width: 2, height: 2, bands: [[1, 2, 3, 4]] });
  await assert.rejects(openBytes(t, withSecondPage(bytes, 2)), {
    name: 'InvalidInput',
    message: /stack\.tif has 2 pages of 2 x 2 pixels; expected one page.*GTIFF_DIR:1:stack\.tif/,
  });
  assert.deepEqual(
    await (await openBytes(t, withSecondPage(bytes, 1))).readBand(0),
    Int16Array.of(1, 2, 3, 4),
  );
});

const NAMED = (names: readonly string[]) =>
  `<GDALMetadata>${names.map((name, i) => `<Item name="DESCRIPTION" sample="${i}" role="description">${name}</Item>`).join('')}</GDALMetadata>`;

for (const interleaved of [false, true])
  test(`an alpha band is no date: its 0 marks missing pixels of all dates${interleaved ? ', interleaved' : ''}`, async (t) => {
    const alpha = { fields: { 338: [3, [0, 2]] as TiffField } };
    const shape = { width: 2, height: 1, interleaved, ...alpha };
    const bands = [
      [7, 8],
      [5, 6],
      [255, 0],
    ];
    const bytes = await openFixture(t, { ...shape, bands, kind: 'uint8', nodata: '7' });
    assert.deepEqual([bytes.bandCount, bytes.alphaBand, bytes.nodata], [2, 3, 7]);
    assert.deepEqual([...(await bytes.readBand(1))], [5, -32768]);
    assert.deepEqual([...(await bytes.readBand(0))], [7, -32768]);
    await assert.rejects(bytes.readBand(2), RangeError);
    const metadata = NAMED(['2024-01-05', '2024-02-04']);
    const floats = await openFixture(t, { ...shape, bands, kind: 'float32', metadata });
    assert.deepEqual([...(await floats.readBand(1))], [5, Number.NaN]);
    assert.deepEqual(
      floats.dates?.map(({ band }) => band),
      [1, 2],
    );
  });

test('a fourth band of bytes that GDAL marked as alpha is a date where its name is one', async (t) => {
  const names = ['2024-01-05', '2024-02-04', '2024-03-05', '2024-04-04'];
  const stack = await openFixture(t, {
    width: 1,
    height: 1,
    bands: [[1], [2], [3], [0]],
    kind: 'uint8',
    metadata: NAMED(names),
    fields: { 262: [3, [2]], 338: [3, [2]] },
  });
  assert.deepEqual([stack.bandCount, stack.alphaBand, stack.dates?.length], [4, null, 4]);
  assert.deepEqual([...(await stack.readBand(0))], [1]);
});

test('an alpha band that is alone or not the last band is refused by its number', async (t) => {
  const alone = { width: 1, height: 1, bands: [[1]], kind: 'uint8', fields: { 338: [3, [2]] } } as const;
  await assert.rejects(
    openFixture(t, alone),
    /alpha band as band 1 of 1; expected it behind one band per date/,
  );
  const first = {
    width: 1,
    height: 1,
    bands: [[1], [2], [3]],
    kind: 'uint8',
    fields: { 338: [3, [2, 0]] },
  } as const;
  await assert.rejects(openFixture(t, first), /alpha band as band 2 of 3/);
});

test('a mask in a file beside the stack, as GDAL writes it, is refused with the way to nodata', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'groundwatch-tiff-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const path = join(folder, 'masked.tif');
  writeFileSync(path, tiffFixture({ width: 5, height: 3, bands: BANDS }));
  writeFileSync(`${path}.msk`, tiffFixture({ width: 5, height: 3, bands: BANDS.slice(0, 1), kind: 'uint8' }));
  const refused = { name: 'InvalidInput', message: /masked\.tif\.msk.*not read.*gdalwarp -dstnodata/ };
  await assert.rejects(reader.open(path), refused);
  await assert.rejects(layerFiles.describe({ path, nodata: null }), refused);
});

test('a file truncated at any byte is refused when it is opened', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'groundwatch-tiff-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const path = join(folder, 'cut.tif');
  const bytes = tiffFixture({ width: 5, height: 3, bands: BANDS, rowsPerStrip: 1, deflate: true });
  for (let length = 0; length < bytes.length; length += 7) {
    writeFileSync(path, bytes.subarray(0, length));
    await assert.rejects(
      reader.open(path),
      { name: 'InvalidInput', message: /^cut\.tif / },
      `${length} bytes`,
    );
  }
  writeFileSync(path, 'band,date\n1,2020-01-01\n');
  await assert.rejects(reader.open(path), /cut\.tif is not a TIFF file/);
  await assert.rejects(reader.open(join(folder, 'absent.tif')), { name: 'InvalidInput' });
  await assert.rejects(reader.open(folder), { name: 'InvalidInput' });
});

test('a block that cannot be decoded, or is larger than its shape, is refused with the file name', async (t) => {
  const fixture = {
    width: 64,
    height: 64,
    bands: [Array.from({ length: 4096 }, (_, i) => i % 97)],
    deflate: true,
  };
  const damaged = tiffFixture(fixture);
  damaged.fill(0xff, 20, 40);
  const stack = await openBytes(t, damaged);
  await assert.rejects(stack.readBand(0), {
    name: 'InvalidInput',
    message: /stack\.tif is damaged: block 1 of 1/,
  });
  const bomb = await openFixture(t, { ...fixture, fields: { 256: [4, [8]], 257: [4, [8]], 278: [4, [8]] } });
  await assert.rejects(bomb.readBand(0), { name: 'InvalidInput', message: /block 1 of 1 cannot be decoded/ });
});

const SHARED = fileURLToPath(new URL('../../../../shared/data/', import.meta.url));
const skip = existsSync(SHARED) ? false : 'the real samples in ../shared/data are not there';

/**
 * File, bands, type, nodata, reference system, band, [col, row, value] as gdallocationinfo of GDAL 3.6.2 prints them.
 */
const GOLDEN: readonly [
  string,
  number,
  string,
  number | null,
  string,
  number,
  readonly [number, number, number][],
][] = [
  [
    'slovenia-sentinel2-ndvi/ndvi.tif',
    68,
    'int16',
    -32768,
    'EPSG:32633',
    40,
    [
      [10, 5, 5030],
      [75, 100, 6310],
      [0, 0, 5940],
    ],
  ],
  [
    'tura-landsat-ndvi/tura_south_ndvi.tif',
    166,
    'int16',
    -32768,
    'EPSG:32636',
    100,
    [
      [14, 0, -32768],
      [142, 81, 6379],
      [70, 40, 7108],
    ],
  ],
  [
    'cog-samples/cog.tif',
    1,
    'float32',
    null,
    'EPSG:32621',
    1,
    [
      [1300, 1200, 3744],
      [2000, 2600, 1],
      [600, 700, 1],
    ],
  ],
  [
    'cog-samples/cog_nodata_nan.tif',
    1,
    'float32',
    0,
    'EPSG:32610',
    1,
    [
      [300, 300, 0.155283600091934],
      [500, 20, 0.171515822410583],
      [540, 540, 0.150675341486931],
    ],
  ],
  [
    'cog-samples/cog_dateline.tif',
    1,
    'float32',
    null,
    'EPSG:32660',
    1,
    [
      [1100, 1000, 21952],
      [2000, 2000, 1],
      [700, 900, 22280],
    ],
  ],
  [
    'cog-samples/cog_ovr.tif',
    1,
    'int16',
    0,
    'EPSG:32621',
    1,
    [
      [1300, 1200, 1],
      [2000, 2600, 1],
      [600, 700, 1],
    ],
  ],
  [
    'cog-samples/inverted_lat.tif',
    1,
    'float32',
    -9999,
    'EPSG:4326',
    1,
    [
      [360, 180, -9999],
      [700, 100, -9999],
      [20, 300, -9999],
    ],
  ],
  [
    'sydney-insar-envisat/cumulative_los_displacement_mm.tif',
    13,
    'float32',
    Number.NaN,
    'EPSG:4326',
    13,
    [
      [10, 20, 5.40485286712646],
      [29, 71, -3.21890950202942],
      [3, 40, 0.540758550167084],
    ],
  ],
  [
    'matogrosso-modis-stack/ndvi.tif',
    137,
    'int16',
    -32768,
    'custom',
    99,
    [
      [3, 23, 4041],
      [23, 26, 6974],
      [0, 0, 7767],
    ],
  ],
];

for (const [file, bands, type, nodata, crs, band, pixels] of GOLDEN) {
  test(`${file} has the samples that GDAL 3.6.2 reads`, { skip }, async () => {
    const stack = await reader.open(join(SHARED, file));
    try {
      assert.deepEqual(
        [stack.bandCount, stack.sampleType, stack.nodata, stack.grid.crs],
        [bands, type, nodata, crs],
      );
      const samples = await stack.readBand(band - 1);
      for (const [col, row, value] of pixels) {
        // GDAL prints 15 digits; a float32 has 7.
        const got = samples[row * stack.grid.width + col]!;
        if (Number.isNaN(value)) assert.ok(Number.isNaN(got));
        else
          assert.ok(Math.abs(got - value) <= 1e-6 * Math.abs(value), `${col},${row}: ${got}, GDAL ${value}`);
      }
      assert.equal(stack.sha256, hash('sha256', readFileSync(join(SHARED, file))));
    } finally {
      await stack.close();
    }
  });
}

test(
  'real files that are not stacks are refused: only control points, bands of different scale',
  { skip },
  async () => {
    await assert.rejects(
      reader.open(join(SHARED, 'cog-samples/cog_gcps_ovr.tif')),
      /210 ground control points/,
    );
    await assert.rejects(
      reader.open(join(SHARED, 'cog-samples/cog_scale.tif')),
      /scale 0\.0001 and band 2 the scale 0\.001/,
    );
  },
);
