import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { type TiffField, tiffFixture, type TiffFixture, WGS84_KEYS } from '../fixtures/tiff-fixture.ts';
import { sharedService, type TestService } from '../fixtures/service.ts';

const DATES = 'band,date\n1,2020-01-01\n2,2020-01-17\n';
const PLAIN: TiffFixture = {
  width: 4,
  height: 3,
  bands: [Array.from({ length: 12 }, (_, i) => 1000 + i), Array.from({ length: 12 }, (_, i) => 2000 + i)],
  origin: [10, 50],
  pixel: [0.001, 0.001],
  keys: WGS84_KEYS,
  nodata: '-32768',
};

describe('a stack that cannot be used is refused by name, and leaves nothing behind', () => {
  let service: TestService;
  let folder: string;
  const files = new Map<string, string>();
  const put = async (name: string, content: Buffer | string): Promise<string> => {
    const path = join(folder, name);
    await writeFile(path, content);
    files.set(name, path);
    return path;
  };
  const ingest = (collection: string, values: string, dates: string, ...rest: string[]) =>
    service.cli(
      'ingest',
      'stack',
      '--environment',
      'staging',
      '--collection',
      collection,
      '--metric',
      'ndvi',
      '--values',
      values,
      '--dates',
      dates,
      ...rest,
    );
  const collections = async (): Promise<number> => {
    const { database } = await service.backstage();
    const { rows } = await database.pool.query<{ count: number }>(
      'select count(*)::int as count from collections',
    );
    return rows[0]!.count;
  };

  before(async () => {
    service = await sharedService();
    folder = await mkdtemp(join(tmpdir(), 'groundwatch-stacks-'));
  });
  after(() => rm(folder, { recursive: true }));

  test('each defect is named, and no collection appears', async () => {
    const whole = tiffFixture(PLAIN);
    const good = await put('good.tif', whole);
    const dates = await put('dates.csv', DATES);
    const missing = Array.from({ length: 12 }, () => -32_768);
    const edge = (band: readonly number[] = []): number[] => [-9999, -9999, -9999, ...band.slice(3)];
    const [one = [], two = []] = PLAIN.bands;
    const { nodata: _, ...unstated } = { ...PLAIN, bands: [edge(one), edge(two)] };
    const misstated = { ...PLAIN, bands: [one, edge(two)] };
    const before = await collections();
    const cases: readonly [what: string, expected: RegExp, run: () => Promise<unknown>][] = [
      [
        'a truncated file',
        /truncated/,
        async () => ingest('bad', await put('truncated.tif', whole.subarray(0, whole.length - 8)), dates),
      ],
      [
        'no TIFF at all',
        /not a TIFF/,
        async () => ingest('bad', await put('text.tif', 'not a picture'), dates),
      ],
      [
        'no reference system',
        /reference system|CRS/i,
        async () => ingest('bad', await put('nowhere.tif', tiffFixture({ ...PLAIN, keys: null })), dates),
      ],
      [
        'a band without a date',
        /band/,
        async () => ingest('bad', good, await put('short.csv', 'band,date\n1,2020-01-01\n')),
      ],
      [
        'a date of an alpha band',
        /the band is '2'; expected an integer from 1 to 1.*Band 2 of .*alpha\.tif is marked as alpha/s,
        async () => {
          const alpha = { ...PLAIN, fields: { 338: [3, [2]] as TiffField } };
          return ingest('bad', await put('alpha.tif', tiffFixture(alpha)), dates);
        },
      ],
      [
        'a date that does not exist',
        /2020-02-30/,
        async () => ingest('bad', good, await put('nonsense.csv', 'band,date\n1,2020-01-01\n2,2020-02-30\n')),
      ],
      [
        'a date in the future',
        /future\.csv: band 2 is dated 2206-01-17T00:00:00\.000Z, in the future; expected at most 20\d\d-/,
        async () => ingest('bad', good, await put('future.csv', 'band,date\n1,2020-01-01\n2,2206-01-17\n')),
      ],
      [
        'a mask of another shape',
        /4 x 3.*got 3 x 3/,
        async () => {
          const square = { ...PLAIN, width: 3, bands: PLAIN.bands.map((band) => band.slice(0, 9)) };
          return ingest('bad', good, dates, '--mask', await put('square.tif', tiffFixture(square)));
        },
      ],
      [
        'everything masked',
        /every pixel of every band/,
        async () =>
          ingest('bad', await put('empty.tif', tiffFixture({ ...PLAIN, bands: [missing, missing] })), dates),
      ],
      [
        'nodata that the file does not state',
        /none\.tif, band 1: 3 of 12 pixels that are not masked have the value -9999.*the file states no nodata value\. Give --nodata -9999/,
        async () => ingest('bad', await put('none.tif', tiffFixture(unstated)), dates, '--scale', '0.0001'),
      ],
      [
        'nodata other than the file states, in the last band',
        /other\.tif, band 2: 3 of 12 pixels.*the file states -1 for that\. Give --nodata -9999, or --nodata with -1/,
        async () =>
          ingest(
            'bad',
            await put('other.tif', tiffFixture({ ...misstated, nodata: '-1' })),
            dates,
            '--scale',
            '0.0001',
          ),
      ],
      [
        'nodata in one of many bands',
        /many\.tif, band 2: 3 of 12 pixels.*Give --nodata -9999/,
        async () => {
          const { nodata: _none, ...rest } = PLAIN;
          const bands = Array.from({ length: 9 }, (_band, b) => (b === 1 ? edge(two) : one));
          const lines = bands.map((_band, b) => `${b + 1},2020-01-0${b + 1}`);
          return ingest(
            'bad',
            await put('many.tif', tiffFixture({ ...rest, bands })),
            await put('nine.csv', ['band,date', ...lines, ''].join('\n')),
            '--scale',
            '0.0001',
          );
        },
      ],
      [
        'a stack of zeros only',
        /zeros\.tif, band 1: 12 of 12 pixels .* value 0 .*Give --nodata 0/,
        async () => {
          const { nodata: _none, ...rest } = PLAIN;
          const bands = PLAIN.bands.map((band) => band.map(() => 0));
          return ingest(
            'bad',
            await put('zeros.tif', tiffFixture({ ...rest, bands })),
            dates,
            '--scale',
            '0.0001',
          );
        },
      ],
      ['a metric that is no key', /--metric/, () => ingest('bad', good, dates, '--metric', 'NDVI!')],
      [
        'an unknown account',
        /no account named nobody/,
        () => ingest('bad', good, dates, '--account', 'nobody'),
      ],
    ];
    for (const [what, expected, run] of cases) await assert.rejects(run, expected, what);
    assert.equal(await collections(), before);
  });

  test('a stack of another grid or scale is refused by the collection it was meant for, which stays as it was', async () => {
    const dates = await put('dates.csv', DATES);
    const first = await ingest(
      'moor',
      await put('first.tif', tiffFixture(PLAIN)),
      dates,
      '--scale',
      '0.0001',
    );
    assert.equal(first['added'], 2);
    const moved = await put('moved.tif', tiffFixture({ ...PLAIN, origin: [11, 50] }));
    await assert.rejects(
      () => ingest('moor', moved, dates, '--scale', '0.0001'),
      /has the grid 4 x 3.*this stack/,
    );
    await assert.rejects(
      () => ingest('moor', files.get('first.tif')!, dates, '--scale', '0.001'),
      /the scale 0.0001/,
    );
    await assert.rejects(
      () => ingest('moor', moved, dates, '--scale', '0.0001', '--metric', 'nbr'),
      /has ndvi on the grid 4 x 3.*this stack of nbr/,
    );
    await assert.rejects(
      () => ingest('unscaled', files.get('first.tif')!, dates),
      /band 1: 12 of 12 pixels are no ndvi, which lies in \[-1, 1\].*give --scale 0\.0001 if/,
    );
    const again = await ingest('moor', files.get('first.tif')!, dates, '--scale', '0.0001');
    assert.equal(again['added'], 0);
  });

  test('--nodata says what a fill value means: nothing, or an observation', async () => {
    const dates = await put('dates.csv', DATES);
    const band = [-9999, -9999, ...Array.from({ length: 10 }, () => 5000)];
    const { nodata: _, ...unstated } = { ...PLAIN, bands: [band, band] };
    const values = await put('edges.tif', tiffFixture(unstated));
    for (const [nodata, missing] of [
      ['-9999', 2],
      ['-32768', 0],
    ] as const) {
      const { added } = await ingest(
        `edges${nodata}`,
        values,
        dates,
        '--scale',
        '0.0001',
        '--nodata',
        nodata,
      );
      assert.equal(added, 2);
      const { database } = await service.backstage();
      const { rows } = await database.pool.query<{ share: number }>(
        'select clear_fraction::float8 as share from scenes s join collections c on c.id = s.collection_id where c.name = $1',
        [`edges${nodata}`],
      );
      assert.deepEqual(
        rows.map(({ share }) => Math.round((1 - share) * 12)),
        [missing, missing],
      );
    }
  });
});
