import { sql, type Kysely, type Selectable } from 'kysely';
import type { Aoi, AoiStore } from '../app/areas/aoi-store.ts';
import type { AreaGeometry } from '../geo/polygon.ts';
import { boxText, overlaps, parseBox } from './connection/bounds.ts';
import { ROWS_PER_INSERT } from './connection/insert-limit.ts';
import { newestFirst } from './connection/page.ts';
import { markArea } from './incidents/incident-marks.ts';
import { listAois, listPlacedAois, pickPlacedAois } from './lists/aoi-list.ts';
import type { AoisTable, Database } from './schema.ts';

/** Converts a row of `aois`. */
export function aoiOf(row: Selectable<AoisTable>): Aoi {
  return {
    id: row.id,
    accountId: row.account_id,
    environment: row.environment,
    name: row.name,
    geometry: row.geometry as AreaGeometry,
    bounds: parseBox(row.bounds),
    areaM2: row.area_m2,
    createdAt: row.created_at,
  };
}

async function createAll(
  db: Kysely<Database>,
  aois: readonly Omit<Aoi, 'createdAt'>[],
): Promise<readonly Aoi[]> {
  const created: Aoi[] = [];
  for (let from = 0; from < aois.length; from += ROWS_PER_INSERT) {
    const part = aois.slice(from, from + ROWS_PER_INSERT);
    const rows = await db
      .insertInto('aois')
      .values(
        part.map((aoi) => ({
          account_id: aoi.accountId,
          environment: aoi.environment,
          id: aoi.id,
          name: aoi.name,
          geometry: JSON.stringify(aoi.geometry),
          bounds: boxText(aoi.bounds),
          area_m2: aoi.areaM2,
        })),
      )
      .returning(['id', 'created_at'])
      .execute();
    const times = new Map(rows.map((row) => [row.id, row.created_at]));
    created.push(...part.map((aoi) => ({ ...aoi, createdAt: times.get(aoi.id)! })));
  }
  return created;
}

/**
 * Areas of interest in the database. A deleted area is hidden, but kept while its changes are readable.
 * Long function: one method per query.
 */
export function aoiStore(db: Kysely<Database>): AoiStore {
  const live = () => db.selectFrom('aois').selectAll('aois').where('deleted_at', 'is', null);
  return {
    async create(aoi) {
      const [made] = await createAll(db, [aoi]);
      return made!;
    },
    createAll: (aois) => createAll(db, aois),
    async find(owner, id) {
      const row = await live()
        .where('account_id', '=', owner.accountId)
        .where('environment', '=', owner.environment)
        .where('id', '=', id)
        .executeTakeFirst();
      return row && aoiOf(row);
    },
    async locate(id) {
      const row = await live().where('id', '=', id).executeTakeFirst();
      return row && aoiOf(row);
    },
    list(owner, page) {
      const { accountId, environment } = owner;
      const owned = live().where('account_id', '=', accountId).where('environment', '=', environment);
      return newestFirst(owned, 'id', page, aoiOf);
    },
    listDrawn: (owner, page) => listAois(db, owner, page),
    listPlaced: (owner, filter, page) => listPlacedAois(db, owner, filter, page),
    pickPlaced: (owner, filter, size) => pickPlacedAois(db, owner, filter, size),
    async geometryTexts({ accountId, environment }, ids) {
      const { rows } = await sql<{ id: string; geometry: string }>`
        select id, replace(geometry::text, ' ', '') as geometry from aois
        where account_id = ${accountId} and environment = ${environment} and id = any(${ids})`.execute(db);
      return new Map(rows.map(({ id, geometry }) => [id, geometry]));
    },
    async rename(owner, id, name) {
      const row = await db
        .updateTable('aois')
        .set({ name })
        .where('account_id', '=', owner.accountId)
        .where('environment', '=', owner.environment)
        .where('id', '=', id)
        .where('deleted_at', 'is', null)
        .returningAll()
        .executeTakeFirst();
      if (row !== undefined) await markArea(db, id); // titles name the area
      return row && aoiOf(row);
    },
    async remove(owner, id) {
      const removed = await db
        .updateTable('aois')
        .set({ deleted_at: new Date() })
        .where('account_id', '=', owner.accountId)
        .where('environment', '=', owner.environment)
        .where('id', '=', id)
        .where('deleted_at', 'is', null)
        .executeTakeFirst();
      if (removed.numUpdatedRows === 0n) return false;
      await cancelDependants(db, id);
      await markArea(db, id);
      return true;
    },
    cancelDependants: (id) => cancelDependants(db, id),
    async overlapping(environment, accountId, bounds) {
      let query = db
        .selectFrom('aois')
        .select(['id', 'account_id as accountId', 'environment'])
        .where('deleted_at', 'is', null)
        .where('environment', '=', environment)
        .where(overlaps('bounds', bounds));
      if (accountId !== null) query = query.where('account_id', '=', accountId);
      return await query.orderBy('id').execute();
    },
    async geometries(ids) {
      const rows = await db
        .selectFrom('aois')
        .select(['id', 'geometry'])
        .where('id', '=', sql<string>`any(${ids})`)
        .where('deleted_at', 'is', null)
        .execute();
      return new Map(rows.map(({ id, geometry }) => [id, geometry as AreaGeometry]));
    },
  };
}

/** Cancels the subscriptions of a deleted area and deletes its risk watches. */
async function cancelDependants(db: Kysely<Database>, id: string): Promise<void> {
  const deleted = db.selectFrom('aois').select('id').where('id', '=', id).where('deleted_at', 'is not', null);
  await db
    .updateTable('subscriptions')
    .set({ status: 'cancelled' })
    .where('aoi_id', 'in', deleted)
    .where('status', '<>', 'cancelled')
    .execute();
  await db.deleteFrom('risk_watches').where('aoi_id', 'in', deleted).execute();
}
