import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { pointsIngest, type PointsIngestFixture } from '../../../test/fixtures/points-ingest.ts';
import { newId } from '../../base/ids.ts';

describe('doubtful rain', () => {
  let fixture: PointsIngestFixture;
  before(async () => {
    fixture = await pointsIngest();
  });
  after(() => fixture.close());

  /** A CSV text of hourly rain at stations 2 km apart. */
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

  test('is left out and reported with the reason', async () => {
    const collection = newId('collection');
    const { doubtful, added } = await fixture.ingest(hours([1, 4, 0, 160, 2, 0], [2, 3, 1, 600, 400, 300]), {
      ...rain,
      collection,
    });
    assert.deepEqual(
      doubtful.first.map(({ station, value, reason }) => `${station} ${value}: ${reason}`),
      [
        'S0 160: at most 2 mm in the neighbouring hours',
        'S1 600: more than ever fell on earth in 1 h (491 mm)',
      ],
    );
    assert.equal(doubtful.count, 2);
    assert.equal(added, 10);
    assert.ok((await fixture.stored(collection, 'precipitation')).every(([, value]) => value < 500));
  });

  test('is accepted when the neighbouring hours or the stations around support it', async () => {
    for (const text of [
      hours([1, 4, 60, 160, 40, 0]),
      hours([0, 160, 0], [0, 130, 0], [0, 120, 0], [0, 100, 0], [0, 90, 0]),
      hours([0, 90, 0]),
    ])
      assert.equal((await fixture.ingest(text, rain)).doubtful.count, 0);
  });

  test('is doubted when all stations around have far less, whatever the neighbouring hours', async () => {
    const { doubtful } = await fixture.ingest(
      hours([90, 160, 90], [9, 30, 0], [0, 20, 0], [0, 40, 0], [0, 10, 0]),
      rain,
    );
    assert.match(doubtful.first[0]!.reason, /at most 40 mm at the 4 stations within 10 km/);
  });

  test('is stored with keepDoubtful', async () => {
    const { doubtful, added } = await fixture.ingest(hours([1, 4, 0, 160, 2, 0]), {
      ...rain,
      keepDoubtful: true,
    });
    assert.deepEqual([doubtful.count, added], [0, 6]);
  });

  test('is compared with the stored observations when it arrives alone', async () => {
    const collection = newId('collection');
    await fixture.ingest(hours([1, 4, 0, 0, 2, 0]), { ...rain, collection });
    const late = `id,lat,lng,datetime,precipitation\nS0,34,-78,2018-09-13T06:00Z,160\n`;
    assert.equal((await fixture.ingest(late, { ...rain, collection })).doubtful.count, 1);
    const daily = Array.from(
      { length: 20 },
      (_, d) => `S0,34,-78,2018-09-${String(d + 1).padStart(2, '0')},${d === 9 ? 400 : 1}`,
    );
    const days = await fixture.ingest(`id,lat,lng,date,precipitation\n${daily.join('\n')}\n`, rain);
    assert.equal(days.doubtful.count, 0, '400 mm in a day is possible');
  });

  test('is found at the boundaries of the parts of a long file', async () => {
    const values = Array.from({ length: 400 }, (_, i) => (i % 97 === 50 ? 170 : i % 7));
    const { doubtful, added } = await fixture.ingest(hours(values), {
      ...rain,
      limits: { sorted: 100, written: 51 },
    });
    assert.deepEqual([doubtful.count, added], [4, 396]);
  });
});
