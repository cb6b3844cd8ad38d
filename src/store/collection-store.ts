import { sql, type Kysely, type Selectable } from 'kysely';
import type { SampleType } from '../app/series/cube-store.ts';
import type { Collection, CollectionStore } from '../app/series/collection-store.ts';
import type { Grid } from '../geo/grid.ts';
import { collectionRows } from './collection-rows.ts';
import { boxText, overlaps, parseBox, turnedBoxes } from './connection/bounds.ts';
import { ROWS_PER_INSERT } from './connection/insert-limit.ts';
import { longTransaction } from './connection/long-transaction.ts';
import { newestOf, pageOf } from './connection/page.ts';
import { prepare } from './connection/prepared.ts';
import { SCENE_COLUMNS, sceneOf, scenesOf } from './lists/scene-list.ts';
import type { CollectionsTable, Database } from './schema.ts';

const COLUMNS =
  'id, kind, environment, account_id, name, metric, unit, scale, value_offset, sample_type, grid, pixel_area_m2, bounds, simulated';

const COVERING = prepare<Selectable<CollectionsTable>>(
  'rasters over a box',
  `select ${COLUMNS}
  from collections
  where kind = 'raster' and environment = $1 and (account_id is null or account_id = $2) and metric = $3
    and (bounds && $4::box or bounds && $5::box or bounds && $6::box)
  order by pixel_area_m2, id`,
);

const OBSERVING = prepare<Selectable<CollectionsTable>>(
  'rasters over a place and points around it',
  `select ${COLUMNS}
  from collections
  where environment = $1 and (account_id is null or account_id = $2) and metric = $3
    and (kind = 'raster' and (bounds && $4::box or bounds && $5::box or bounds && $6::box)
      or kind = 'points' and (bounds && $7::box or bounds && $8::box or bounds && $9::box))
  order by pixel_area_m2, id`,
);

function collectionOf(row: Selectable<CollectionsTable>): Collection {
  return {
    id: row.id,
    environment: row.environment,
    accountId: row.account_id,
    name: row.name,
    metric: row.metric,
    unit: row.unit,
    scale: row.scale!,
    offset: row.value_offset!,
    sampleType: row.sample_type as SampleType,
    grid: row.grid as Grid,
    pixelAreaM2: row.pixel_area_m2!,
    bounds: parseBox(row.bounds),
    ...(row.simulated && { simulated: true as const }),
  };
}

/**
 * Raster collections and their scenes in the database. The samples are in the cube.
 * Long function: one method per query of collections and scenes, each with its list of columns.
 */
export function collectionStore(db: Kysely<Database>): CollectionStore {
  const collections = collectionRows(db, 'raster');
  return {
    async create(collection) {
      const made = await db
        .insertInto('collections')
        .values({
          account_id: collection.accountId,
          environment: collection.environment,
          id: collection.id,
          name: collection.name,
          metric: collection.metric,
          unit: collection.unit,
          scale: collection.scale,
          value_offset: collection.offset,
          sample_type: collection.sampleType,
          grid: JSON.stringify(collection.grid),
          pixel_area_m2: collection.pixelAreaM2,
          bounds: boxText(collection.bounds),
          simulated: collection.simulated === true,
        })
        .onConflict((conflict) => conflict.constraint('collections_name').doNothing())
        .returning('id')
        .execute();
      return made.length > 0;
    },
    async find(id) {
      const row = await collections.find(id);
      return row && collectionOf(row);
    },
    async byName(environment, accountId, name) {
      const rows = await collections.byName(environment, accountId, name);
      return rows.map(collectionOf);
    },
    async list() {
      const rows = await collections.list();
      return rows.map(collectionOf);
    },
    async covering(owner, metric, bounds) {
      const { environment, accountId } = owner;
      const rows = await COVERING(db, [environment, accountId, metric, ...turnedBoxes(bounds)]);
      return rows.map(collectionOf);
    },
    async observing({ environment, accountId }, metric, place, around) {
      const boxes = [...turnedBoxes(place), ...turnedBoxes(around)];
      const rows = await OBSERVING(db, [environment, accountId, metric, ...boxes]);
      return {
        rasters: rows.filter(({ kind }) => kind === 'raster').map(collectionOf),
        pointIds: rows.filter(({ kind }) => kind === 'points').map(({ id }) => id),
      };
    },
    imagery: (owner, bounds) =>
      collections
        .readable(owner)
        .innerJoin('scenes', 'scenes.collection_id', 'collections.id')
        .where(overlaps('collections.bounds', bounds))
        .groupBy(['collections.id', 'collections.name', 'collections.metric', 'collections.simulated'])
        .orderBy('collections.name')
        .orderBy('collections.metric')
        .orderBy('collections.id')
        .select([
          'collections.name as collection',
          'collections.metric',
          'collections.simulated',
          sql<number>`count(*)::int`.as('scenes'),
          sql<Date>`min(scenes.observed_at)`.as('firstAt'),
          sql<Date>`max(scenes.observed_at)`.as('lastAt'),
        ])
        .execute(),
    countByMetric: collections.countByMetric,
    async readable(owner, page) {
      const dated = (order: 'asc' | 'desc') =>
        sql<Date | null>`(select observed_at from scenes where collection_id = collections.id
          order by observed_at ${sql.raw(order)} limit 1)`;
      const hasColours = sql<boolean>`exists (select 1 from scenes
        where collection_id = collections.id and colour_of is not null)`;
      const rows = await newestOf(
        collections
          .readable(owner)
          .selectAll()
          .select([dated('asc').as('firstAt'), dated('desc').as('lastAt'), hasColours.as('hasColours')]),
        'collections.id',
        page,
      ).execute();
      const { items, next } = pageOf(rows, page, ({ id }) => [id]);
      return {
        items: items.map((row) => {
          const { firstAt, lastAt, hasColours: has } = row;
          return { ...collectionOf(row), firstAt, lastAt, hasColours: has };
        }),
        next,
      };
    },
    async findReadable(owner, id) {
      const row = await collections.readable(owner).selectAll().where('id', '=', id).executeTakeFirst();
      return row && collectionOf(row);
    },
    async readableNamed(owner, name, most) {
      const rows = await collections
        .readable(owner)
        .selectAll()
        .where('name', '=', name)
        .orderBy('id', 'desc')
        .limit(most)
        .execute();
      return rows.map(collectionOf);
    },
    async span(collectionId) {
      const { rows } = await sql<{ first: Date | null; last: Date | null }>`
        select min(observed_at) as first, max(observed_at) as last from scenes
        where collection_id = ${collectionId}`.execute(db);
      return [rows[0]!.first, rows[0]!.last];
    },
    async readableOf(owner, { ids, bounds }, most) {
      const rows = await collections
        .readable(owner)
        .selectAll()
        .$if(ids !== undefined, (query) => query.where('id', '=', sql<string>`any(${ids})`))
        .$if(bounds !== undefined, (query) => query.where(overlaps('bounds', bounds!)))
        .orderBy('id', 'desc')
        .limit(most)
        .execute();
      return rows.map(collectionOf);
    },
    scenesOf: (collectionIds, filter, page) => scenesOf(db, collectionIds, filter, page),
    async findScene(owner, id) {
      const row = await db
        .selectFrom('scenes')
        .select([...SCENE_COLUMNS, 'collection_id'])
        .where('id', '=', id)
        .executeTakeFirst();
      if (row === undefined) return undefined;
      const { collection_id, ...scene } = row;
      const found = await collections
        .readable(owner)
        .selectAll()
        .where('id', '=', collection_id)
        .executeTakeFirst();
      return found && { scene: sceneOf(scene), collection: collectionOf(found) };
    },
    scenePage: (collectionId, page) => scenesOf(db, [collectionId], {}, page),
    async scenesNamed(collectionId, keys) {
      const rows = await db
        .selectFrom('scenes')
        .select(SCENE_COLUMNS)
        .where('collection_id', '=', collectionId)
        .where('key', '=', sql<string>`any(${keys})`)
        .execute();
      return rows.map(sceneOf);
    },
    async scenes(collectionId) {
      const rows = await db
        .selectFrom('scenes')
        .select(SCENE_COLUMNS)
        .where('collection_id', '=', collectionId)
        .orderBy('observed_at')
        .orderBy('key')
        .execute();
      return rows.map(sceneOf);
    },
    async putScenes(collectionId, scenes) {
      for (let from = 0; from < scenes.length; from += ROWS_PER_INSERT) {
        await db
          .insertInto('scenes')
          .values(
            scenes.slice(from, from + ROWS_PER_INSERT).map((scene) => ({
              collection_id: collectionId,
              id: scene.id,
              key: scene.key,
              href: scene.href,
              observed_at: scene.observedAt,
              sha256: scene.sha256,
              clear_fraction: scene.clearFraction,
              reading: scene.reading === undefined ? null : JSON.stringify(scene.reading),
              colour_of: scene.colourOf ?? null,
            })),
          )
          .onConflict((conflict) =>
            conflict.columns(['collection_id', 'key']).doUpdateSet((eb) => ({
              href: eb.ref('excluded.href'),
              observed_at: eb.ref('excluded.observed_at'),
              sha256: eb.ref('excluded.sha256'),
              clear_fraction: eb.ref('excluded.clear_fraction'),
              reading: eb.ref('excluded.reading'),
              colour_of: eb.ref('excluded.colour_of'),
            })),
          )
          .execute();
      }
    },
    async removeScenes(collectionId, keys) {
      // Other metrics of these scenes have their picture here, and lose it.
      await db
        .updateTable('scenes')
        .set({ colour_of: null })
        .where('colour_of', '=', collectionId)
        .where('key', '=', sql<string>`any(${keys})`)
        .execute();
      await db
        .deleteFrom('scenes')
        .where('collection_id', '=', collectionId)
        .where('key', '=', sql<string>`any(${keys})`)
        .execute();
    },
    remove: collections.remove,
    async monitoredAs(collectionId) {
      const row = await db
        .selectFrom('collections')
        .select('monitored_as')
        .where('id', '=', collectionId)
        .executeTakeFirst();
      return row?.monitored_as ?? null;
    },
    async setMonitoredAs(collectionId, state) {
      await db
        .updateTable('collections')
        .set({ monitored_as: state })
        .where('id', '=', collectionId)
        .execute();
    },
    async lock(collectionId) {
      // While the collection is locked in this mode, other transactions can still write rows that refer to it:
      // scenes, anomalies.
      await db
        .selectFrom('collections')
        .select(['id', longTransaction().as('allowed')])
        .where('id', '=', collectionId)
        .forNoKeyUpdate()
        .execute();
    },
  };
}
