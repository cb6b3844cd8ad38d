import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'kysely';
import { after, before, describe, test } from 'node:test';
import { collectionRecord } from '../../../test/fixtures/records.ts';
import { testStorage, type TestStorage } from '../../../test/fixtures/storage.ts';
import { PointsFileReader } from '../../sources/stations/file.ts';
import { CollectionWriter } from '../imagery/collection-writer.ts';
import { deriveSeries } from './derive-series.ts';
import { InvalidInput } from '../../base/errors.ts';
import { silentCollections } from './silent-stations.ts';
import { newId } from '../../base/ids.ts';
import { type IngestLimits, ingestPoints, type PointsIngest } from './ingest-points.ts';

const HOUR_MS = 3_600_000;
const NOW = Date.UTC(2026, 5, 1);

interface Options extends Partial<Omit<PointsIngest, 'file'>>, Partial<PointsIngest['file']> {
  readonly limits?: IngestLimits;
  readonly now?: number;
}

describe('observations at stations are taken in', () => {
  let world: TestStorage;
  let folder: string;
  before(async () => {
    world = await testStorage();
    folder = await mkdtemp(join(tmpdir(), 'groundwatch-ingest-points-'));
  });
  after(async () => {
    await world.close();
    await rm(folder, { recursive: true });
  });

  async function ingest(text: string, options: Options = {}) {
    const path = join(folder, 'f.csv');
    await writeFile(path, text);
    const { limits, now = NOW, ...given } = options;
    return ingestPoints(
      { storage: world.storage, clock: { now: () => now }, points: new PointsFileReader() },
      {
        collection: given.collection ?? newId('collection'),
        environment: 'production',
        accountId: null,
        unit: given.unit,
        scale: given.scale ?? 1,
        offset: given.offset ?? 0,
        nodata: given.nodata,
        dropOutside: given.dropOutside ?? false,
        keepDoubtful: given.keepDoubtful ?? false,
        file: {
          path,
          metric: given.metric ?? 'temperature',
          column: given.column,
          station: given.station,
          lat: 'lat' in given ? given.lat : 46,
          lng: 'lng' in given ? given.lng : 14,
          stationsPath: given.stationsPath,
        },
      },
      () => undefined,
      limits,
    );
  }

  /** What a collection holds: days since 1970-01-01, or times, and values. */
  async function held(name: string, metric = 'temperature'): Promise<(readonly [string, number])[]> {
    const { stations: store } = world.storage;
    const collection = (await store.byName('production', null, name)).find((one) => one.metric === metric);
    if (collection === undefined) return [];
    const series = await store.read(
      collection.id,
      await store.stations(collection.id, [-180, -90, 180, 90]),
      -Infinity,
      Infinity,
    );
    return series.flatMap(({ timesMs, values }) =>
      Array.from(
        timesMs,
        (ms, i) => [new Date(ms).toISOString().replace('T00:00:00.000Z', ''), values[i]!] as const,
      ),
    );
  }

  test('several that take the same file in at once make one collection, and each observation is new to one of them', async () => {
    const collection = newId('collection');
    const text = 'date,temperature\n2020-01-01,1\n2020-01-02,2\n';
    const reports = await Promise.all(Array.from({ length: 4 }, () => ingest(text, { collection })));
    assert.equal(new Set(reports.map((report) => report.collection.id)).size, 1);
    assert.equal(
      reports.reduce((sum, { added }) => sum + added, 0),
      2,
    );
    assert.deepEqual(await held(collection), [
      ['2020-01-01', 1],
      ['2020-01-02', 2],
    ]);
  });

  test('once; the same file again adds nothing, a later one what is new or corrected', async () => {
    const collection = newId('collection');
    const first = 'date,temperature\n2020-01-01,1\n2020-01-02,2\n';
    assert.equal((await ingest(first, { collection })).added, 2);
    assert.equal((await ingest(first, { collection })).added, 0);
    assert.equal((await ingest('date,temperature\n2020-01-02,2.5\n2020-01-03,3\n', { collection })).added, 2);
    assert.deepEqual(await held(collection), [
      ['2020-01-01', 1],
      ['2020-01-02', 2.5],
      ['2020-01-03', 3],
    ]);
  });

  test('times in any order; the same observation twice is one; gaps and their codes stay gaps and are counted', async () => {
    const collection = newId('collection');
    const report = await ingest(
      'date,temperature\n2020-01-03,3\n2020-01-01,1\n2020-01-03,3\n2020-01-02,\n2020-01-04,-9999\n2020-01-05,999\n2020-01-06,-99.9\n2020-01-07,77\n',
      { collection, nodata: 77 },
    );
    assert.deepEqual(await held(collection), [
      ['2020-01-01', 1],
      ['2020-01-03', 3],
    ]);
    assert.deepEqual(
      [report.observations, report.added, report.range, report.gaps],
      [2, 2, [1, 3], { empty: 1, coded: 4, outside: 0 }],
    );
  });

  test('999 is a pressure and a flow, and no rain', async () => {
    const [air, rain] = [newId('collection'), newId('collection')];
    await ingest('date,pressure\n2020-01-01,999\n', { collection: air, metric: 'pressure' });
    await ingest('date,precipitation\n2020-01-01,999\n2020-01-02,1\n', {
      collection: rain,
      metric: 'precipitation',
    });
    assert.deepEqual(await held(air, 'pressure'), [['2020-01-01', 999]]);
    assert.deepEqual(await held(rain, 'precipitation'), [['2020-01-02', 1]]);
  });

  for (const [name, text, options, message] of [
    [
      'an unknown unit',
      'date,temperature\n2020-01-01,1\n',
      { unit: 'R' },
      /--unit: expected a unit of temperature, one of C, K, F; got "R"/,
    ],
    [
      'kelvins taken for degrees',
      'date,temperature\n2020-01-01,288.15\n',
      {},
      /line 2, column temperature: temperature expected in \[-95, 65\] C, got 288.15: check --unit/,
    ],
    [
      'degrees taken for kelvins',
      'date,temperature\n2020-01-01,12\n',
      { unit: 'K' },
      /got -261.15 \(12 as written\)/,
    ],
    [
      'two values of one time',
      'date,temperature\n2020-01-01,1\n2020-01-02,2\n2020-01-01,3\n',
      {},
      /line 4: station 46,14 has 3 at 2020-01-01T00:00:00.000Z, and 1 in line 2: one value expected/,
    ],
    [
      'two values of one time, one after the other',
      'date,temperature\n2020-01-01,1\n2020-01-01,3\n',
      {},
      /line 3: station 46,14 has 3/,
    ],
    [
      'nothing but gaps',
      'date,temperature\n2020-01-01,\n2020-01-02,-9999\n',
      {},
      /no observation: 1 places are empty, 1 hold a code/,
    ],
    [
      'an impossible name',
      'date,temperature\n2020-01-01,1\n',
      { collection: 'a b' },
      /--collection: expected 1 to 100/,
    ],
    ['an impossible metric', 'date,Temp\n2020-01-01,1\n', { metric: 'Temp' }, /--metric: expected a key/],
    [
      'a bad line after good ones',
      `date,temperature\n${'2020-01-01,1\n'.repeat(5000)}2020-01-02,x\n`,
      {},
      /line 5002, column temperature/,
    ],
  ] as const)
    test(`nothing is written of ${name}`, async () => {
      const collection = 'collection' in options ? options.collection : newId('collection');
      await assert.rejects(ingest(text, { collection, ...options }), (error) => {
        assert.ok(error instanceof InvalidInput, String(error));
        assert.match(error.message, message);
        return true;
      });
      assert.deepEqual(await world.storage.stations.byName('production', null, collection), []);
    });

  test('values out of range are left out when that is asked for', async () => {
    const collection = newId('collection');
    const report = await ingest('date,humidity\n2020-01-01,50\n2020-01-02,101.5\n', {
      collection,
      metric: 'humidity',
      dropOutside: true,
    });
    assert.equal(report.gaps.outside, 1);
    assert.deepEqual(await held(collection, 'humidity'), [['2020-01-01', 50]]);
  });

  test('a name of images, another unit, a station elsewhere and a computed metric are refused', async () => {
    const raster = collectionRecord({ metric: 'temperature' });
    await world.storage.collections.create(raster);
    const text = 'date,temperature\n2020-01-01,1\n';
    await assert.rejects(ingest(text, { collection: raster.name }), /has temperature as images/);
    const taken = newId('collection');
    await ingest(text, { collection: taken });
    await assert.rejects(
      CollectionWriter.open(
        { storage: world.storage, cube: undefined as never },
        { ...raster, name: taken, metric: 'temperature' },
      ),
      /has temperature at stations/,
    );
    const own = newId('collection');
    await ingest('date,wetness\n2020-01-01,1\n', { collection: own, metric: 'wetness', unit: 'min' });
    await assert.rejects(
      ingest('date,wetness\n2020-01-01,1\n', { collection: own, metric: 'wetness', unit: 'h' }),
      /has wetness in min, this file in h/,
    );
    const placed = newId('collection');
    await ingest(text, { collection: placed, station: 'S' });
    await assert.rejects(
      ingest(text, { collection: placed, station: 'S', lat: 46.01 }),
      /Station S of .* stands at 46, 14; f\.csv has it at 46.01, 14/,
    );
    const rain = newId('collection');
    const month = Array.from({ length: 40 }, (_, i) => `${new Date(i * 24 * HOUR_MS).toISOString()},1`).join(
      '\n',
    );
    const { collection, stations } = await ingest(`date,precipitation\n${month}\n`, {
      collection: rain,
      metric: 'precipitation',
    });
    const deps = { storage: world.storage, clock: { now: () => NOW } };
    const derived = await deriveSeries(
      deps,
      collection,
      stations.map(({ key }) => key),
    );
    assert.deepEqual(
      derived.map(({ collection: { metric }, added }) => [metric, added]),
      [['precipitation_30d', 14]],
    );
    assert.deepEqual((await held(rain, 'precipitation_30d')).at(-1), ['1970-02-09', 30]);
    assert.deepEqual(
      (await deriveSeries(deps, collection, ['46,14'])).map(({ added }) => added),
      [0],
      'again',
    );
    await assert.rejects(
      ingest('date,precipitation_30d\n2020-01-01,1\n', { collection: rain, metric: 'precipitation_30d' }),
      /computes precipitation_30d from precipitation/,
    );
    // A corrected day moves the thirty sums that it is in, the ten before them being there alone.
    const corrected = await ingest(`date,precipitation\n${new Date(20 * 24 * HOUR_MS).toISOString()},11\n`, {
      collection: rain,
      metric: 'precipitation',
    });
    assert.equal(corrected.added, 1);
    assert.deepEqual(
      (await deriveSeries(deps, collection, ['46,14'])).map(({ added }) => added),
      [14],
    );
    assert.deepEqual((await held(rain, 'precipitation_30d')).at(-1), ['1970-02-09', 40]);
  });

  test('what is computed follows after a crash between the points and it, and half-way in it', async () => {
    const name = newId('collection');
    const rain = (mm: number) =>
      ['a', 'b']
        .flatMap((station) =>
          Array.from(
            { length: 40 },
            (_, i) => `${station},46,14,${new Date(i * 24 * HOUR_MS).toISOString()},${i === 20 ? mm : 1}`,
          ),
        )
        .join('\n');
    const header = 'station,lat,lng,date,precipitation\n';
    const given = { collection: name, metric: 'precipitation', lat: undefined, lng: undefined };
    const deps = { storage: world.storage, clock: { now: () => NOW } };
    // Nothing was computed before the process ended; the service takes up the job that the points left.
    const { collection } = await ingest(header + rain(1), given);
    const jobs = () =>
      sql<{ n: number }>`select count(*)::int as n from groundwatch_jobs.job
        where name = 'derive-feeds' and state = 'created' and data ->> 'collectionId' = ${collection.id}`
        .execute(world.database.db)
        .then(({ rows }) => rows[0]!.n);
    assert.equal(await jobs(), 1);
    const [derived] = await deriveSeries(deps, collection);
    assert.deepEqual(
      [derived?.collection.metric, derived?.stations, derived?.added],
      ['precipitation_30d', 2, 28],
    );
    assert.deepEqual(await deriveSeries(deps, collection), [], 'nothing is left to do');
    // A correction, and then an end after it was computed and before it was known to be.
    await ingest(header + rain(11), given);
    assert.equal(await jobs(), 1, 'one job, however often it is asked for');
    const dies: typeof world.storage = {
      ...world.storage,
      stations: { ...world.storage.stations, underived: () => Promise.reject(new Error('killed')) },
    };
    await assert.rejects(deriveSeries({ ...deps, storage: dies }, collection), /killed/);
    let left = 1;
    const half: typeof world.storage = {
      ...world.storage,
      transaction: (work) =>
        left-- > 0 ? world.storage.transaction(work) : Promise.reject(new Error('killed half-way')),
    };
    await assert.rejects(deriveSeries({ ...deps, storage: half }, collection), /killed half-way/);
    // The same file again adds nothing, and what was left is done.
    assert.equal((await ingest(header + rain(11), given)).added, 0);
    assert.deepEqual(
      (await deriveSeries(deps, collection)).map(({ stations, added }) => [stations, added]),
      [[2, 0]],
    );
    const [held] = await world.storage.stations.stationsNamed(derived!.collection.id, ['a']);
    const [series] = await world.storage.stations.read(derived!.collection.id, [held!], -Infinity, Infinity);
    assert.equal(series!.values.at(-1), 40);
    assert.deepEqual(await deriveSeries(deps, collection), []);
  });

  test('what a command and the service compute at once is made once, and whole', async () => {
    const month = Array.from({ length: 40 }, (_, i) => `${new Date(i * 24 * HOUR_MS).toISOString()},1`).join(
      '\n',
    );
    const name = newId('collection');
    const { collection } = await ingest(`date,precipitation\n${month}\n`, {
      collection: name,
      metric: 'precipitation',
    });
    const deps = { storage: world.storage, clock: { now: () => NOW } };
    await Promise.all([1, 2, 3].map(() => deriveSeries(deps, collection, ['46,14'])));
    const metrics = (await world.storage.stations.byName('production', null, name)).map(
      ({ metric }) => metric,
    );
    assert.deepEqual(metrics.toSorted(), ['precipitation', 'precipitation_30d']);
    assert.deepEqual((await held(name, 'precipitation_30d')).at(-1), ['1970-02-09', 30]);
  });

  test('what is written while the same is computed is computed again', async () => {
    const name = newId('collection');
    const lines = (mm: number) =>
      `date,precipitation\n${Array.from({ length: 40 }, (_, i) => `${new Date(i * 24 * HOUR_MS).toISOString()},${i === 20 ? mm : 1}`).join('\n')}`;
    const given = { collection: name, metric: 'precipitation' };
    const { collection } = await ingest(lines(1), given);
    const marks = await world.storage.stations.underived(collection.id, 10);
    assert.equal(marks.length, 1);
    await ingest(lines(11), given);
    await world.storage.stations.settle(collection.id, marks);
    assert.equal((await world.storage.stations.underived(collection.id, 10)).length, 1);
  });

  describe('a file that is too long to hold', () => {
    const limits = { sorted: 1000, written: 700 };
    const lines = Array.from(
      { length: 5000 },
      (_, i) =>
        `${i % 2 === 0 ? 'A' : 'B'},1,${1 + (i % 2)},${new Date((i >> 1) * HOUR_MS).toISOString()},${i % 50}`,
    );
    const header = 'id,lat,lng,datetime,temperature\n';

    test('is read twice and written piece by piece', async () => {
      const collection = newId('collection');
      const report = await ingest(header + lines.join('\n'), {
        collection,
        limits,
        lat: undefined,
        lng: undefined,
      });
      assert.deepEqual([report.observations, report.added, report.stations.length], [5000, 5000, 2]);
      const stored = await held(collection);
      assert.equal(stored.length, 5000);
      assert.deepEqual(stored[2499], [new Date(2499 * HOUR_MS).toISOString(), 4998 % 50]);
      const again = await ingest(header + lines.join('\n'), {
        collection,
        limits,
        lat: undefined,
        lng: undefined,
      });
      assert.equal(again.added, 0);
    });

    test('is refused when it is not in order, before anything is written', async () => {
      const collection = newId('collection');
      const turned = [...lines.slice(0, 4500), lines[0]!, ...lines.slice(4500)];
      await assert.rejects(
        ingest(header + turned.join('\n'), { collection, limits, lat: undefined, lng: undefined }),
        /line 4502: station A goes back in time; a file of more than 1000 observations has to be in the order of time/,
      );
      assert.deepEqual(await held(collection), []);
    });
  });

  describe('rain that cannot be believed', () => {
    /** Hours of rain at stations some kilometres apart, by their values. */
    const hours = (...stations: readonly (readonly number[])[]): string =>
      `id,lat,lng,datetime,precipitation\n${stations
        .flatMap((values, s) =>
          values.map(
            (value, h) =>
              `S${s},34,${-78 + s * 0.02},${new Date(Date.UTC(2018, 8, 13, h)).toISOString()},${value}`,
          ),
        )
        .join('\n')}\n`;
    const rain = { metric: 'precipitation', lat: undefined, lng: undefined } as const;

    test('is left out and told, with the reason', async () => {
      const collection = newId('collection');
      const { doubtful, added } = await ingest(hours([1, 4, 0, 160, 2, 0], [2, 3, 1, 600, 400, 300]), {
        ...rain,
        collection,
      });
      assert.deepEqual(
        doubtful.first.map(({ station, value, reason }) => `${station} ${value}: ${reason}`),
        [
          'S0 160: at most 2 mm in the hours beside it',
          'S1 600: more than ever fell on earth in 1 h (491 mm)',
        ],
      );
      assert.equal(doubtful.count, 2);
      assert.equal(added, 10);
      assert.ok((await held(collection, 'precipitation')).every(([, value]) => value < 500));
    });

    test('is believed when the hours beside it, or the stations around, bear it out', async () => {
      for (const text of [
        hours([1, 4, 60, 160, 40, 0]),
        hours([0, 160, 0], [0, 130, 0], [0, 120, 0], [0, 100, 0], [0, 90, 0]),
        hours([0, 90, 0]),
      ])
        assert.equal((await ingest(text, rain)).doubtful.count, 0);
    });

    test('is not believed when all stations around have far less, whatever the hours beside it', async () => {
      const { doubtful } = await ingest(
        hours([90, 160, 90], [9, 30, 0], [0, 20, 0], [0, 40, 0], [0, 10, 0]),
        rain,
      );
      assert.match(doubtful.first[0]!.reason, /at most 40 mm at the 4 stations within 10 km/);
    });

    test('is kept when that is asked for', async () => {
      const { doubtful, added } = await ingest(hours([1, 4, 0, 160, 2, 0]), { ...rain, keepDoubtful: true });
      assert.deepEqual([doubtful.count, added], [0, 6]);
    });

    test('is told by what is stored, when it comes alone', async () => {
      const collection = newId('collection');
      await ingest(hours([1, 4, 0, 0, 2, 0]), { ...rain, collection });
      const late = `id,lat,lng,datetime,precipitation\nS0,34,-78,2018-09-13T06:00Z,160\n`;
      assert.equal((await ingest(late, { ...rain, collection })).doubtful.count, 1);
      const daily = Array.from(
        { length: 20 },
        (_, d) => `S0,34,-78,2018-09-${String(d + 1).padStart(2, '0')},${d === 9 ? 400 : 1}`,
      );
      const days = await ingest(`id,lat,lng,date,precipitation\n${daily.join('\n')}\n`, rain);
      assert.equal(days.doubtful.count, 0, '400 mm have fallen in a day');
    });

    test('is found where a long file is cut', async () => {
      const values = Array.from({ length: 400 }, (_, i) => (i % 97 === 50 ? 170 : i % 7));
      const { doubtful, added } = await ingest(hours(values), {
        ...rain,
        limits: { sorted: 100, written: 51 },
      });
      assert.deepEqual([doubtful.count, added], [4, 396]);
    });
  });

  test('a live feed that goes silent is told; a record of the past is not waited for', async () => {
    const [live, past] = [newId('collection'), newId('collection')];
    const text = (last: number): string =>
      `datetime,temperature\n${Array.from({ length: 48 }, (_, h) => `${new Date(last - (47 - h) * HOUR_MS).toISOString()},1`).join('\n')}\n`;
    await ingest(text(NOW - HOUR_MS), { collection: live });
    await ingest(text(Date.UTC(1978, 11, 31)), { collection: past });
    const silentAt = async (now: number): Promise<string[]> =>
      (await silentCollections({ storage: world.storage, clock: { now: () => now } }))
        .map(({ collection }) => collection.name)
        .filter((name) => name === live || name === past);
    assert.deepEqual(await silentAt(NOW + 2 * HOUR_MS), []);
    assert.deepEqual(await silentAt(NOW + 4 * HOUR_MS), [live]);
    await ingest(text(NOW + 3 * HOUR_MS), { collection: live, now: NOW + 4 * HOUR_MS });
    assert.deepEqual(await silentAt(NOW + 4 * HOUR_MS), []);
  });
});
