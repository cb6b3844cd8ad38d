/**
 * Publication of one search of a collection, beside the number of changes that are recorded already: time, memory, and
 * the longest transaction. Each recorded change has provenance of some 20 kB. Give numbers of changes as NAME...; the
 * default is 1000 10000.
 */
import { sql } from 'kysely';
import type { Storage } from '../src/app/storage.ts';
import { claimedChange, collectionRecord, putAoi, square } from '../test/fixtures/records.ts';
import { testStorage } from '../test/fixtures/storage.ts';
import { publishChanges } from '../test/fixtures/publish-changes.ts';

const SIDE = 500; // side of the grid [pixels]
const FOUND = 500; // number of changes that the search finds: half of them are recorded, half are new

const counts = process.argv.slice(2).map(Number);
const world = await testStorage();
const { storage, database, owner } = world;
for (const count of counts.length > 0 ? counts : [1_000, 10_000]) {
  const collection = collectionRecord({
    grid: {
      ...collectionRecord().grid,
      width: SIDE,
      height: SIDE,
      transform: [14, 0.0001, 0, 46, 0, -0.0001],
    },
    bounds: [14, 45.95, 14.05, 46],
  });
  await storage.collections.create(collection);
  await putAoi(storage, owner, square(13.99, 45.94, 0.1));
  for (let from = 0; from < count; from += 5_000)
    await sql`
    insert into changes (environment, collection_id, id, model_version, object_key, type, status, confidence, metric,
      magnitude, area_m2, geometry, bounds, first_anomaly_at, detected_at, digest, provenance, versions, told_as)
    select 'production', ${collection.id}, 'chg_' || md5(${collection.id} || i), 'change-v1.0.0', i::text,
      'vegetation_loss', 'rejected', 0, 'ndvi', -0.1, 100,
      '{"type":"Polygon","coordinates":[[[0,0],[0.01,0],[0.01,0.01],[0,0.01],[0,0]]]}', box '(0.01,0.01),(0,0)',
      '2020-01-01', '2020-03-01', 'd',
      jsonb_build_object('pixels', jsonb_build_object('seed', i, 'runs', jsonb_build_array(i, 1)),
        'evidence', (select jsonb_agg(random() + i + g) from generate_series(1, 1000) as g)),
      '[]', 'confirmed'
    from generate_series(${from}::int, ${Math.min(count, from + 5_000) - 1}::int) as i`.execute(database.db);
  await sql`analyze changes`.execute(database.db);
  let longest = 0;
  const timed: Storage = {
    ...storage,
    transaction: (work) =>
      storage.transaction(async (stores) => {
        const began = performance.now();
        const result = await work(stores);
        longest = Math.max(longest, performance.now() - began);
        return result;
      }),
  };
  globalThis.gc?.();
  const before = process.memoryUsage.rss();
  let most = before;
  const watch = setInterval(() => (most = Math.max(most, process.memoryUsage.rss())), 20);
  const objects = Array.from({ length: FOUND }, (_, i) => claimedChange(collection, [i * 400]));
  const by = { modelVersion: 'change-v1.0.0', softwareVersion: 'groundwatch 1.4.0' };
  const began = performance.now();
  let outlines = 0;
  for await (const some of storage.changes.outlines(collection.id)) outlines += some.length;
  const read = performance.now() - began;
  const report = await publishChanges(timed, { stack: [{ collection, scenes: [] }], objects, by });
  const took = performance.now() - began - read;
  clearInterval(watch);
  console.log(
    `${count} recorded changes: outlines of ${outlines} in ${(read / 1000).toFixed(2)} s; ${report.inserted} published in ` +
      `${(took / 1000).toFixed(2)} s; longest transaction ${longest.toFixed(0)} ms; ` +
      `${((most - before) / 1e6).toFixed(0)} MB more than before`,
  );
}
await world.close();
process.exit(0);
