import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { fileDateMs, fileDates } from './file-date.ts';
import { StackFileReader } from './stack-file.ts';
import { tiffFixture, type TiffFixture } from '../../../test/fixtures/tiff-fixture.ts';

const PLAIN: TiffFixture = { width: 2, height: 1, bands: [[1, 2]], nodata: '-3000' };

function folderOf(t: TestContext, files: Readonly<Record<string, Partial<TiffFixture>>>): string {
  const folder = mkdtempSync(join(tmpdir(), 'groundwatch-folder-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  for (const [file, fixture] of Object.entries(files))
    writeFileSync(join(folder, file), tiffFixture({ ...PLAIN, ...fixture }));
  writeFileSync(join(folder, 'README.md'), 'not a picture');
  return folder;
}

const open = (folder: string) => new StackFileReader().open(folder);

test('a folder of single-band files is a stack with the dates of the file names', async (t) => {
  const folder = folderOf(t, {
    'TERRA_MODIS_012010_NDVI_2013-10-16.tif': { bands: [[30, -3000]] },
    'TERRA_MODIS_012010_NDVI_2013-09-14.tif': { bands: [[10, 20]] },
  });
  const stack = await open(folder);
  assert.equal(stack.bandCount, 2);
  assert.equal(stack.nodata, -3000);
  assert.deepEqual(stack.dates, [
    { band: 1, timeMs: Date.UTC(2013, 8, 14), scene: 'TERRA_MODIS_012010_NDVI_2013-09-14' },
    { band: 2, timeMs: Date.UTC(2013, 9, 16), scene: 'TERRA_MODIS_012010_NDVI_2013-10-16' },
  ]);
  assert.deepEqual([...(await stack.readBand(0))], [10, 20]);
  assert.deepEqual([...(await stack.readBand(1))], [30, -3000]);
  assert.deepEqual(stack.files, [
    'TERRA_MODIS_012010_NDVI_2013-09-14.tif',
    'TERRA_MODIS_012010_NDVI_2013-10-16.tif',
  ]);
  assert.match(stack.sha256, /^[0-9a-f]{64}$/);
  await stack.close();
});

test('dates are read in the forms that providers use, and other numbers are not dates', () => {
  const day = (file: string): string | null => {
    const ms = fileDateMs(file);
    return ms === null ? null : new Date(ms).toISOString().slice(0, 16);
  };
  assert.deepEqual(
    [
      'ndvi_2020_06_01.tif',
      'MOD13Q1.A2013257.h12v10.006.2015270083020.tif',
      'LC08_L2SP_014031_20200106_20200823_02_T1_SR_B4.TIF',
      'T33TWM_20200816T154911_B08_10m.tif',
      '20200601.tiff',
      'ndvi_2021-02-30.tif',
      'tile_01234567_x.tif',
      'ndvi_007.tif',
      'A2020400.tif',
    ].map(day),
    [
      '2020-06-01T00:00',
      '2013-09-14T00:00',
      '2020-01-06T00:00',
      '2020-08-16T15:49',
      '2020-06-01T00:00',
      null,
      null,
      null,
      null,
    ],
  );
});

test('months by name, days of the year and years at the end are dates; what may be two dates is refused', async (t) => {
  const days = (files: readonly string[]) =>
    fileDates(files).map((ms) => new Date(ms).toISOString().slice(0, 16));
  assert.deepEqual(
    days([
      'ndvi_02Jul2019.tif',
      'NDVI-2-July-2018.tif',
      '2017_JUL_02_x.tif',
      'S2_20190702T101530_B8.tif',
      'ndvi_2019183.tif',
      'x_2016-183.tif',
      'ndvi_25.12.2019.tif',
      'ndvi_05.05.2015.tif',
      '12.25.2014.tif',
    ]),
    [
      '2019-07-02T00:00',
      '2018-07-02T00:00',
      '2017-07-02T00:00',
      '2019-07-02T10:15',
      '2019-07-02T00:00',
      '2016-07-01T00:00',
      '2019-12-25T00:00',
      '2015-05-05T00:00',
      '2014-12-25T00:00',
    ],
  );
  // One name tells the order of the others.
  assert.deepEqual(days(['03.01.2019.tif', '19.01.2019.tif']), ['2019-01-03T00:00', '2019-01-19T00:00']);
  assert.deepEqual(days(['03-01-2019.tif', '03-17-2019.tif']), ['2019-03-01T00:00', '2019-03-17T00:00']);
  for (const other of [[], ['04.02.2019.tif'], ['19.01.2019.tif', '03.17.2019.tif']])
    assert.throws(
      () => fileDates(['03.01.2019.tif', ...other]),
      /^InvalidInput: 03\.01\.2019\.tif: its date is 2019-01-03 or 2019-03-01, and no name in the folder tells which; expected the year first, such as 2019-01-03; or give --dates/,
    );
  const folder = await open(folderOf(t, { '03.01.2019.tif': {}, '04.02.2019.tif': {} }));
  assert.throws(() => folder.dates, /its date is 2019-01-03 or 2019-03-01/);
  for (const file of [
    'tile_2019_100m.tif',
    'p_2019_030.tif',
    '31Feb2019.tif',
    '32.01.2019.tif',
    '2019400.tif',
  ])
    assert.equal(fileDateMs(file), null, file);
});

test('two files of one type that differ in nodata or scale are told so, not as other types', async (t) => {
  const [a, b] = ['ndvi_2020-01-01.tif', 'ndvi_2020-02-01.tif'];
  const int16 = { kind: 'int16' } as const;
  for (const [other, message] of [
    [{ ...int16, nodata: '-32768' }, /another nodata value than .*: -32768 instead of -3000/],
    [
      {
        ...int16,
        metadata: '<GDALMetadata><Item name="SCALE" sample="0" role="scale">0.1</Item></GDALMetadata>',
      },
      /another scale and offset than .*: 0.1 and 0 instead of 1 and 0/,
    ],
  ] as const)
    await assert.rejects(open(folderOf(t, { [a]: int16, [b]: other })), { name: 'InvalidInput', message });
});

test('a folder that is not a stack is refused; the message names the file that does not fit', async (t) => {
  const a = 'ndvi_2020-01-01.tif';
  const b = 'ndvi_2020-02-01.tif';
  const cases: readonly [Readonly<Record<string, Partial<TiffFixture>>>, RegExp][] = [
    [
      {},
      /expected a folder of GeoTIFFs \(\.tif\), one a date, or of NetCDF \(\.nc\) or HDF5 \(\.h5\); found none/,
    ],
    [
      {
        [a]: {},
        [b]: {
          bands: [
            [1, 2],
            [3, 4],
          ],
        },
      },
      /ndvi_2020-02-01\.tif has 2 bands; expected one/,
    ],
    [
      { [a]: {}, [b]: { origin: [5, 0] } },
      /ndvi_2020-02-01\.tif has another grid than ndvi_2020-01-01\.tif: 2 x 1/,
    ],
    [
      { [a]: {}, [b]: { kind: 'float64' } },
      /another sample type than ndvi_2020-01-01\.tif: float64 instead of float32/,
    ],
    [{ [a]: {}, [b]: { nodata: '-9999' } }, /another nodata value than .*: -9999 instead of -3000/],
  ];
  for (const [files, message] of cases)
    await assert.rejects(open(folderOf(t, files)), { name: 'InvalidInput', message });
  const undated = await open(folderOf(t, { 'a.tif': {}, [b]: {} }));
  assert.throws(() => undated.dates, /^InvalidInput: a\.tif: expected a date in the name/);
  const twice = await open(folderOf(t, { [a]: {}, 'evi_2020-01-01.tif': {} }));
  assert.throws(
    () => twice.dates,
    /evi_2020-01-01\.tif and ndvi_2020-01-01\.tif are of one date; expected a folder of one/,
  );
});

const SINOP = fileURLToPath(new URL('../../../../shared/data/sinop-modis-ndvi', import.meta.url));

test(
  'sinop-modis-ndvi (sits), a file a date: values as gdallocationinfo of GDAL 3.6.2 prints them',
  { skip: existsSync(SINOP) ? false : 'skipped: the measured data of sinop-modis-ndvi are not here' },
  async () => {
    const stack = await open(SINOP);
    assert.equal(stack.bandCount, 12);
    assert.equal(stack.dates!.at(0)!.timeMs, Date.UTC(2013, 8, 14));
    assert.equal(stack.dates!.at(-1)!.timeMs, Date.UTC(2014, 7, 29));
    const pixel = 50 * stack.grid.width + 100;
    assert.deepEqual([(await stack.readBand(0))[pixel], (await stack.readBand(11))[pixel]], [8659, 8560]);
  },
);
