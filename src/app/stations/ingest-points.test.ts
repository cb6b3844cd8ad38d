import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { NOW, pointsIngest, type PointsIngestFixture } from '../../../test/fixtures/points-ingest.ts';
import { collectionRecord } from '../../../test/fixtures/records.ts';
import { InvalidInput } from '../../base/errors.ts';
import { newId } from '../../base/ids.ts';
import { HOUR_MS } from '../../base/time.ts';
import { CollectionWriter } from '../imagery/collection-writer.ts';
import { deriveSeries } from './derive-series.ts';

describe('ingesting observations at stations', () => {
  let fixture: PointsIngestFixture;
  before(async () => {
    fixture = await pointsIngest();
  });
  after(() => fixture.close());

  test('concurrent ingests of one file create one collection, and each observation counts as new in one of them', async () => {
    const collection = newId('collection');
    const text = 'date,temperature\n2020-01-01,1\n2020-01-02,2\n';
    const reports = await Promise.all(Array.from({ length: 4 }, () => fixture.ingest(text, { collection })));
    assert.equal(new Set(reports.map((report) => report.collection.id)).size, 1);
    assert.equal(
      reports.reduce((sum, { added }) => sum + added, 0),
      2,
    );
    assert.deepEqual(await fixture.stored(collection), [
      ['2020-01-01', 1],
      ['2020-01-02', 2],
    ]);
  });

  test('the same file again adds nothing; a later file adds the new and corrected observations', async () => {
    const collection = newId('collection');
    const first = 'date,temperature\n2020-01-01,1\n2020-01-02,2\n';
    assert.equal((await fixture.ingest(first, { collection })).added, 2);
    assert.equal((await fixture.ingest(first, { collection })).added, 0);
    assert.equal(
      (await fixture.ingest('date,temperature\n2020-01-02,2.5\n2020-01-03,3\n', { collection })).added,
      2,
    );
    assert.deepEqual(await fixture.stored(collection), [
      ['2020-01-01', 1],
      ['2020-01-02', 2.5],
      ['2020-01-03', 3],
    ]);
  });

  test('an observation dated in the future is refused by line and station; an empty value there is a gap', async () => {
    const collection = newId('collection');
    const now = Date.UTC(2020, 0, 2, 9);
    await assert.rejects(
      fixture.ingest('date,temperature\n2020-01-01,1\n2020-01-02,2\n2020-01-04,3\n', { collection, now }),
      (error: unknown) => {
        assert.ok(error instanceof InvalidInput);
        assert.match(
          error.message,
          /^f\.csv, line 4: station \S+ has a value dated 2020-01-04T00:00:00\.000Z, in the future; expected at most 2020-01-03T09:00:00\.000Z$/,
        );
        return true;
      },
    );
    assert.deepEqual(await fixture.stored(collection), []);
    await fixture.ingest('date,temperature\n2020-01-03,1\n2020-01-04,\n2020-01-05,-9999\n', {
      collection,
      now,
    });
    assert.deepEqual(await fixture.stored(collection), [['2020-01-03', 1]]);
  });

  test('times may come in any order, duplicates count once, and empty values and gap codes are counted as gaps', async () => {
    const collection = newId('collection');
    const report = await fixture.ingest(
      'date,temperature\n2020-01-03,3\n2020-01-01,1\n2020-01-03,3\n2020-01-02,\n2020-01-04,-9999\n2020-01-05,999\n2020-01-06,-99.9\n2020-01-07,77\n',
      { collection, nodata: 77 },
    );
    assert.deepEqual(await fixture.stored(collection), [
      ['2020-01-01', 1],
      ['2020-01-03', 3],
    ]);
    assert.deepEqual(
      [report.observations, report.added, report.range, report.gaps],
      [2, 2, [1, 3], { empty: 1, coded: 4, outside: 0 }],
    );
  });

  test('999 is read as a pressure, but as a gap code in rain', async () => {
    const [air, rain] = [newId('collection'), newId('collection')];
    await fixture.ingest('date,pressure\n2020-01-01,999\n', { collection: air, metric: 'pressure' });
    await fixture.ingest('date,precipitation\n2020-01-01,999\n2020-01-02,1\n', {
      collection: rain,
      metric: 'precipitation',
    });
    assert.deepEqual(await fixture.stored(air, 'pressure'), [['2020-01-01', 999]]);
    assert.deepEqual(await fixture.stored(rain, 'precipitation'), [['2020-01-02', 1]]);
  });

  for (const [name, text, options, message] of [
    [
      'unknown unit',
      'date,temperature\n2020-01-01,1\n',
      { unit: 'R' },
      /--unit: expected a unit of temperature, one of C, K, F; got "R"/,
    ],
    [
      'kelvins read as degrees Celsius',
      'date,temperature\n2020-01-01,288.15\n',
      {},
      /line 2, column temperature: temperature expected in \[-95, 65\] C, got 288.15: check --unit/,
    ],
    [
      'degrees Celsius read as kelvins',
      'date,temperature\n2020-01-01,12\n',
      { unit: 'K' },
      /got -261.15 \(12 as written\)/,
    ],
    [
      'two values at one time',
      'date,temperature\n2020-01-01,1\n2020-01-02,2\n2020-01-01,3\n',
      {},
      /line 4: station 46,14 has 3 at 2020-01-01T00:00:00.000Z, and 1 in line 2: one value expected/,
    ],
    [
      'two values at one time on consecutive lines',
      'date,temperature\n2020-01-01,1\n2020-01-01,3\n',
      {},
      /line 3: station 46,14 has 3/,
    ],
    [
      'only gaps',
      'date,temperature\n2020-01-01,\n2020-01-02,-9999\n',
      {},
      /no observation: 1 places are empty, 1 hold a code/,
    ],
    [
      'invalid collection name',
      'date,temperature\n2020-01-01,1\n',
      { collection: 'a b' },
      /--collection: expected 1 to 100/,
    ],
    ['invalid metric name', 'date,Temp\n2020-01-01,1\n', { metric: 'Temp' }, /--metric: expected a key/],
    [
      'a bad line after good lines',
      `date,temperature\n${'2020-01-01,1\n'.repeat(5000)}2020-01-02,x\n`,
      {},
      /line 5002, column temperature/,
    ],
  ] as const)
    test(`a file is refused before anything is written: ${name}`, async () => {
      const collection = 'collection' in options ? options.collection : newId('collection');
      await assert.rejects(fixture.ingest(text, { collection, ...options }), (error) => {
        assert.ok(error instanceof InvalidInput, String(error));
        assert.match(error.message, message);
        return true;
      });
      assert.deepEqual(await fixture.world.storage.stations.byName('production', null, collection), []);
    });

  test('dropOutside leaves out values outside the range of the metric', async () => {
    const collection = newId('collection');
    const report = await fixture.ingest('date,humidity\n2020-01-01,50\n2020-01-02,101.5\n', {
      collection,
      metric: 'humidity',
      dropOutside: true,
    });
    assert.equal(report.gaps.outside, 1);
    assert.deepEqual(await fixture.stored(collection, 'humidity'), [['2020-01-01', 50]]);
  });

  test('a raster collection, another unit, a moved station and a derived metric are refused', async () => {
    const raster = collectionRecord({ metric: 'temperature' });
    await fixture.world.storage.collections.create(raster);
    const text = 'date,temperature\n2020-01-01,1\n';
    await assert.rejects(fixture.ingest(text, { collection: raster.name }), /has temperature as images/);
    const taken = newId('collection');
    await fixture.ingest(text, { collection: taken });
    await assert.rejects(
      CollectionWriter.open(
        { storage: fixture.world.storage, cube: undefined as never },
        { ...raster, name: taken, metric: 'temperature' },
      ),
      /has temperature at stations/,
    );
    const own = newId('collection');
    await fixture.ingest('date,wetness\n2020-01-01,1\n', { collection: own, metric: 'wetness', unit: 'min' });
    await assert.rejects(
      fixture.ingest('date,wetness\n2020-01-01,1\n', { collection: own, metric: 'wetness', unit: 'h' }),
      /has wetness in min, this file in h/,
    );
    const placed = newId('collection');
    await fixture.ingest(text, { collection: placed, station: 'S' });
    await assert.rejects(
      fixture.ingest(text, { collection: placed, station: 'S', lat: 46.01 }),
      /Station S of .* stands at 46, 14; f\.csv has it at 46.01, 14/,
    );
    const rain = newId('collection');
    const month = Array.from({ length: 40 }, (_, i) => `${new Date(i * 24 * HOUR_MS).toISOString()},1`).join(
      '\n',
    );
    const { collection, stations } = await fixture.ingest(`date,precipitation\n${month}\n`, {
      collection: rain,
      metric: 'precipitation',
    });
    await deriveSeries(
      { storage: fixture.world.storage, clock: { now: () => NOW } },
      collection,
      stations.map(({ key }) => key),
    );
    await assert.rejects(
      fixture.ingest('date,precipitation_30d\n2020-01-01,1\n', {
        collection: rain,
        metric: 'precipitation_30d',
      }),
      /computes precipitation_30d from precipitation/,
    );
  });

  describe('a file that is too long to keep in memory', () => {
    const limits = { sorted: 1000, written: 700 };
    const lines = Array.from(
      { length: 5000 },
      (_, i) =>
        `${i % 2 === 0 ? 'A' : 'B'},1,${1 + (i % 2)},${new Date((i >> 1) * HOUR_MS).toISOString()},${i % 50}`,
    );
    const header = 'id,lat,lng,datetime,temperature\n';

    test('is read twice and written in parts', async () => {
      const collection = newId('collection');
      const report = await fixture.ingest(header + lines.join('\n'), {
        collection,
        limits,
        lat: undefined,
        lng: undefined,
      });
      assert.deepEqual([report.observations, report.added, report.stations.length], [5000, 5000, 2]);
      const stored = await fixture.stored(collection);
      assert.equal(stored.length, 5000);
      assert.deepEqual(stored[2499], [new Date(2499 * HOUR_MS).toISOString(), 4998 % 50]);
      const again = await fixture.ingest(header + lines.join('\n'), {
        collection,
        limits,
        lat: undefined,
        lng: undefined,
      });
      assert.equal(again.added, 0);
    });

    test('is refused before anything is written when its times are out of order', async () => {
      const collection = newId('collection');
      const turned = [...lines.slice(0, 4500), lines[0]!, ...lines.slice(4500)];
      await assert.rejects(
        fixture.ingest(header + turned.join('\n'), { collection, limits, lat: undefined, lng: undefined }),
        /line 4502: station A goes back in time; a file of more than 1000 observations has to be in the order of time/,
      );
      assert.deepEqual(await fixture.stored(collection), []);
    });
  });
});
