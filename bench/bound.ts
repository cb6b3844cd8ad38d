/**
 * Cost of row-level security. Times the same reads and one creation in three ways: on connections that are bound to the
 * owner, on connections without a bound owner, and on connections that were bound to another owner, so that the call
 * binds them again.
 */
import { sql } from 'kysely';
import { createAoi } from '../src/app/areas/manage-aois.ts';
import type { Aoi } from '../src/app/areas/aoi-store.ts';
import type { Owner } from '../src/app/owner.ts';
import type { Storage } from '../src/app/storage.ts';
import { changeRecord, collectionRecord, putAoi, square } from '../test/fixtures/records.ts';
import { testStorage } from '../test/fixtures/storage.ts';

const OWNERS = 20;
const ROWS = 50; // number of areas of each owner, and of changes in one of these areas
const ROUNDS = 200;
const PAGE = { limit: 100, after: undefined };

const world = await testStorage();
const { storage } = world;
const collection = collectionRecord();
await storage.collections.create(collection);
const held: { readonly owner: Owner; readonly aoi: Aoi }[] = [];
for (let i = 0; i < OWNERS; i++) {
  const { id: accountId } = await storage.accounts.create(`bench ${i}`);
  const owner = { accountId, environment: 'production' } as const;
  const areas = [];
  for (let row = 0; row < ROWS; row++) areas.push(await putAoi(storage, owner));
  for (let row = 0; row < ROWS; row++) {
    const change = changeRecord(collection.id);
    await storage.changes.insert(change);
    await storage.changes.link(change, [areas[0]!]);
  }
  held.push({ owner, aoi: areas[0]! });
}
await sql`analyze`.execute(world.database.db); // on a running server, autovacuum does this
const all = { status: 'all', since: undefined, publishedSince: undefined } as const;
const calls: Readonly<Record<string, (on: Storage, owner: Owner, aoi: Aoi) => Promise<unknown>>> = {
  'one area': (on, owner, { id }) => on.aois.find(owner, id),
  [`list of ${ROWS} areas`]: (on, owner) => on.aois.list(owner, PAGE),
  [`list of ${ROWS} changes`]: (on, owner, { id }) => on.changes.list(owner, { aoiId: id, ...all }, PAGE),
  'create an area': (on, owner) =>
    on.transaction((stores) => createAoi(stores, owner, { name: 'new', geometry: square(100, 10) })),
};
for (const [name, call] of Object.entries(calls)) {
  const times = { across: [] as number[], bound: [] as number[], 'bound anew': [] as number[] };
  for (let round = 0; round < ROUNDS; round++) {
    const { owner, aoi } = held[round % OWNERS]!;
    // The order matters: the connection is bound to another owner before 'bound anew', and to the same owner before
    // 'bound'.
    for (const way of ['across', 'bound anew', 'bound'] as const) {
      const on = way === 'across' ? storage : storage.boundTo(owner);
      const started = performance.now();
      await call(on, owner, aoi);
      times[way].push(performance.now() - started);
    }
  }
  const told = Object.entries(times).map(([way, taken]) => {
    taken.sort((a, b) => a - b);
    return `${way} ${taken[ROUNDS / 10]!.toFixed(2)} (${taken[ROUNDS / 2]!.toFixed(2)})`;
  });
  console.log(`${name}: ${told.join(', ')} ms, 10th percentile (median)`);
}
await world.close();
process.exit(0);
