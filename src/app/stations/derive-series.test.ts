import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { sql } from 'kysely';
import { NOW, pointsIngest, type PointsIngestFixture } from '../../../test/fixtures/points-ingest.ts';
import { newId } from '../../base/ids.ts';
import { HOUR_MS } from '../../base/time.ts';
import { deriveSeries } from './derive-series.ts';

describe('deriving series at stations', () => {
  let fixture: PointsIngestFixture;
  before(async () => {
    fixture = await pointsIngest();
  });
  after(() => fixture.close());

  test('a corrected day of rain changes the 30-day sums that include it', async () => {
    const rain = newId('collection');
    const month = Array.from({ length: 40 }, (_, i) => `${new Date(i * 24 * HOUR_MS).toISOString()},1`).join(
      '\n',
    );
    const { collection, stations } = await fixture.ingest(`date,precipitation\n${month}\n`, {
      collection: rain,
      metric: 'precipitation',
    });
    const deps = { storage: fixture.world.storage, clock: { now: () => NOW } };
    const derived = await deriveSeries(
      deps,
      collection,
      stations.map(({ key }) => key),
    );
    assert.deepEqual(
      derived.map(({ collection: { metric }, added }) => [metric, added]),
      [['precipitation_30d', 14]],
    );
    assert.deepEqual((await fixture.stored(rain, 'precipitation_30d')).at(-1), ['1970-02-09', 30]);
    assert.deepEqual(
      (await deriveSeries(deps, collection, ['46,14'])).map(({ added }) => added),
      [0],
      'again',
    );
    const corrected = await fixture.ingest(
      `date,precipitation\n${new Date(20 * 24 * HOUR_MS).toISOString()},11\n`,
      {
        collection: rain,
        metric: 'precipitation',
      },
    );
    assert.equal(corrected.added, 1);
    assert.deepEqual(
      (await deriveSeries(deps, collection, ['46,14'])).map(({ added }) => added),
      [14],
    );
    assert.deepEqual((await fixture.stored(rain, 'precipitation_30d')).at(-1), ['1970-02-09', 40]);
  });

  test('derived series are completed after a crash before or during their computation', async () => {
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
    const deps = { storage: fixture.world.storage, clock: { now: () => NOW } };
    // Simulates a process that ended before the derived series were computed. The service then runs the job that the
    // ingest queued.
    const { collection } = await fixture.ingest(header + rain(1), given);
    const jobs = () =>
      sql<{ n: number }>`select count(*)::int as n from jobs
        where kind = 'derive-feeds' and state = 'waiting' and subject = ${collection.id}`
        .execute(fixture.world.database.db)
        .then(({ rows }) => rows[0]!.n);
    assert.equal(await jobs(), 1);
    const [derived] = await deriveSeries(deps, collection);
    assert.deepEqual(
      [derived?.collection.metric, derived?.stations, derived?.added],
      ['precipitation_30d', 2, 28],
    );
    assert.deepEqual(await deriveSeries(deps, collection), [], 'nothing is left to do');
    // Ingests a correction. The process then crashes twice: before the derivation, and after it wrote the sums but
    // before it removed the marks.
    await fixture.ingest(header + rain(11), given);
    assert.equal(await jobs(), 1, 'a waiting job is not queued twice');
    const dies: typeof fixture.world.storage = {
      ...fixture.world.storage,
      stations: {
        ...fixture.world.storage.stations,
        derivationMarks: () => Promise.reject(new Error('killed')),
      },
    };
    await assert.rejects(deriveSeries({ ...deps, storage: dies }, collection), /killed/);
    let left = 1;
    const half: typeof fixture.world.storage = {
      ...fixture.world.storage,
      transaction: (work) =>
        left-- > 0 ? fixture.world.storage.transaction(work) : Promise.reject(new Error('killed half-way')),
    };
    await assert.rejects(deriveSeries({ ...deps, storage: half }, collection), /killed half-way/);
    // Ingesting the same file again adds nothing. The next derivation completes the unfinished one.
    assert.equal((await fixture.ingest(header + rain(11), given)).added, 0);
    assert.deepEqual(
      (await deriveSeries(deps, collection)).map(({ stations, added }) => [stations, added]),
      [[2, 0]],
    );
    const [held] = await fixture.world.storage.stations.stationsNamed(derived!.collection.id, ['a']);
    const [series] = await fixture.world.storage.stations.read(
      derived!.collection.id,
      [held!],
      -Infinity,
      Infinity,
    );
    assert.equal(series!.values.at(-1), 40);
    assert.deepEqual(await deriveSeries(deps, collection), []);
  });

  test('concurrent derivations create the derived collection once and completely', async () => {
    const month = Array.from({ length: 40 }, (_, i) => `${new Date(i * 24 * HOUR_MS).toISOString()},1`).join(
      '\n',
    );
    const name = newId('collection');
    const { collection } = await fixture.ingest(`date,precipitation\n${month}\n`, {
      collection: name,
      metric: 'precipitation',
    });
    const deps = { storage: fixture.world.storage, clock: { now: () => NOW } };
    await Promise.all([1, 2, 3].map(() => deriveSeries(deps, collection, ['46,14'])));
    const metrics = (await fixture.world.storage.stations.byName('production', null, name)).map(
      ({ metric }) => metric,
    );
    assert.deepEqual(metrics.toSorted(), ['precipitation', 'precipitation_30d']);
    assert.deepEqual((await fixture.stored(name, 'precipitation_30d')).at(-1), ['1970-02-09', 30]);
  });

  test('observations written during a derivation are derived again', async () => {
    const name = newId('collection');
    const lines = (mm: number) =>
      `date,precipitation\n${Array.from({ length: 40 }, (_, i) => `${new Date(i * 24 * HOUR_MS).toISOString()},${i === 20 ? mm : 1}`).join('\n')}`;
    const given = { collection: name, metric: 'precipitation' };
    const { collection } = await fixture.ingest(lines(1), given);
    const marks = await fixture.world.storage.stations.derivationMarks(collection.id, 10);
    assert.equal(marks.length, 1);
    await fixture.ingest(lines(11), given);
    await fixture.world.storage.stations.removeMarks(collection.id, marks);
    assert.equal((await fixture.world.storage.stations.derivationMarks(collection.id, 10)).length, 1);
  });
});
