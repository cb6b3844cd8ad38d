import { sql, type Kysely, type Selectable } from 'kysely';
import type { ChangeStatus, ChangeVersion, Provenance } from '../contract/changes.ts';
import type { AreaGeometry } from '../geo/polygon.ts';
import type { Aoi } from '../app/areas/aoi-store.ts';
import type { Owner } from '../app/owner.ts';
import type {
  ChangeOutline,
  ChangeRecord,
  ChangeStore,
  NewChange,
  ToldAs,
} from '../app/changes/change-store.ts';
import { changesUnderBoxes } from './lists/changes-under-boxes.ts';
import { claimFates } from './claim-fates.ts';
import { boxText, overlaps } from './connection/bounds.ts';
import { ROWS_PER_INSERT } from './connection/insert-limit.ts';
import { markChange, markChanges } from './incidents/incident-marks.ts';
import { limitWaiting, lockGround } from './ground-locks.ts';
import { countChanges, listChanges, listDrawnChanges, listedOf } from './lists/change-list.ts';
import { listPlacedChanges, pickPlacedChanges } from './lists/placed-change-list.ts';
import { paintedChanges } from './lists/painted-changes.ts';
import type { ChangesTable, Database } from './schema.ts';
import { DAY_MS, formatTimestamp } from '../base/time.ts';
import { DELETED_AREA_DAYS } from '../contract/limits.ts';

/** Time after the deletion of an area for which its changes stay readable by id [ms]. */
const AFTER_DELETION_MS = DELETED_AREA_DAYS * DAY_MS;
/** Number of outlines per query. The database unpacks the provenance of each, which takes some 50 us. */
const OUTLINES_AT_ONCE = 500;
/** Maximum time for which the creation of an area waits for a lock [ms]. A part of a publication takes a second at most. */
const CREATION_LOCK_MS = 10_000;

type Row = Selectable<ChangesTable>;

function changeOf(row: Row): ChangeRecord {
  return {
    ...listedOf(row),
    digest: row.digest,
    provenance: row.provenance as Provenance,
    toldAs: toldOf(row),
    versions: versionsOf(row),
  };
}

/** What events told. Release 1.3.0 does not record it, but tells a change when it is confirmed. */
function toldOf(row: Pick<Row, 'told_as' | 'confirmed_at' | 'status'>): ToldAs | null {
  const isTold = row.confirmed_at !== null && row.status !== 'rejected';
  return row.told_as ?? (isTold ? 'confirmed' : null);
}

/** The versions of a change. Release 1.3.0 does not record what it states, so that is added here. */
function versionsOf(row: Row): readonly ChangeVersion[] {
  const versions = row.versions as readonly ChangeVersion[];
  if (versions.at(-1)?.digest === row.digest) return versions;
  const stated: ChangeVersion = {
    model_version: row.model_version,
    software_version: (row.provenance as Provenance).software_version,
    stated_at: formatTimestamp(row.updated_at.getTime()),
    status: row.status as ChangeStatus,
    confidence: row.confidence,
    digest: row.digest,
  };
  return [...versions, stated];
}

type OutlineRow = Pick<
  Row,
  | 'id'
  | 'collection_id'
  | 'model_version'
  | 'object_key'
  | 'type'
  | 'status'
  | 'confidence'
  | 'metric'
  | 'magnitude'
  | 'first_anomaly_at'
  | 'confirmed_at'
  | 'digest'
  | 'told_as'
> & { readonly pixels: Provenance['pixels'] };

function outlineOf(row: OutlineRow): ChangeOutline {
  return {
    id: row.id,
    collectionId: row.collection_id,
    modelVersion: row.model_version,
    objectKey: row.object_key,
    type: row.type,
    status: row.status as ChangeStatus,
    confidence: row.confidence,
    metric: row.metric,
    magnitude: row.magnitude,
    firstAnomalyAt: row.first_anomaly_at,
    digest: row.digest,
    toldAs: toldOf(row),
    provenance: { pixels: row.pixels },
  };
}

function columnsOf(change: NewChange) {
  return {
    environment: change.environment,
    collection_id: change.collectionId,
    id: change.id,
    model_version: change.modelVersion,
    object_key: change.objectKey,
    type: change.type,
    status: change.status,
    confidence: change.confidence,
    metric: change.metric,
    magnitude: change.magnitude,
    area_m2: change.areaM2,
    geometry: JSON.stringify(change.geometry),
    bounds: boxText(change.bounds),
    first_anomaly_at: change.firstAnomalyAt,
    detected_at: change.detectedAt,
    confirmed_at: change.confirmedAt,
    recovered_at: change.recoveredAt,
    digest: change.digest,
    provenance: JSON.stringify(change.provenance),
    baseline: (change.provenance.baseline as { readonly kind?: string }).kind ?? null,
    told_as: change.toldAs,
    versions: JSON.stringify(change.versions),
  };
}

/**
 * Changes in the database, and the areas through which each is visible.
 * Long function: one method per query.
 */
export function changeStore(db: Kysely<Database>): ChangeStore {
  const showAll = async (
    links: readonly {
      readonly change: Pick<ChangeRecord, 'id' | 'status' | 'detectedAt'>;
      readonly aoi: Pick<Aoi, 'id' | 'accountId' | 'environment'>;
    }[],
  ): Promise<void> => {
    await db
      .insertInto('aoi_changes')
      .values(
        links.map(({ change, aoi }) => ({
          account_id: aoi.accountId,
          environment: aoi.environment,
          aoi_id: aoi.id,
          change_id: change.id,
          status: change.status,
          detected_at: change.detectedAt,
        })),
      )
      .onConflict((conflict) =>
        conflict.columns(['aoi_id', 'change_id', 'account_id']).doUpdateSet((eb) => ({
          status: eb.ref('excluded.status'),
          detected_at: eb.ref('excluded.detected_at'),
          // A change of status counts as a new publication, since lists can be filtered by status.
          published_at: sql<Date>`case when aoi_changes.status = excluded.status
            then aoi_changes.published_at else excluded.published_at end`,
        })),
      )
      .execute();
  };
  const readable = (owner: Owner) =>
    db
      .selectFrom('readable_changes as changes')
      .innerJoin('collections', 'collections.id', 'changes.collection_id')
      .where('changes.environment', '=', owner.environment)
      .where((eb) =>
        eb.or([eb('collections.account_id', 'is', null), eb('collections.account_id', '=', owner.accountId)]),
      );
  return {
    list: (owner, filter, page) => listChanges(db, owner, filter, page),
    listDrawn: (owner, filter, page) => listDrawnChanges(db, owner, filter, page),
    listPlaced: (owner, filter, page) => listPlacedChanges(db, owner, filter, page),
    pickPlaced: (owner, filter, size) => pickPlacedChanges(db, owner, filter, size),
    painted: (owner, filter, most) => paintedChanges(db, owner, filter, most),
    count: (owner, filter, most) => countChanges(db, owner, filter, most),
    async find(owner, id) {
      const links = await db
        .selectFrom('aoi_changes as link')
        .innerJoin('aois', 'aois.id', 'link.aoi_id')
        .select(['link.aoi_id', 'aois.deleted_at'])
        .where('link.change_id', '=', id)
        .where('link.account_id', '=', owner.accountId)
        .where('link.environment', '=', owner.environment)
        .where((eb) =>
          eb.or([
            eb('aois.deleted_at', 'is', null),
            eb('aois.deleted_at', '>', new Date(Date.now() - AFTER_DELETION_MS)),
          ]),
        )
        .orderBy('link.aoi_id')
        .execute();
      if (links.length === 0) return undefined;
      const row = await db.selectFrom('changes').selectAll().where('id', '=', id).executeTakeFirst();
      return (
        row && {
          change: changeOf(row),
          aoiIds: links.filter((link) => link.deleted_at === null).map((link) => link.aoi_id),
        }
      );
    },
    fates: (owner, most) => claimFates(db, owner, most),
    async locate(id) {
      const row = await db.selectFrom('changes').selectAll().where('id', '=', id).executeTakeFirst();
      return row && changeOf(row);
    },
    async ofCollection(collectionId) {
      const rows = await db
        .selectFrom('changes')
        .selectAll()
        .where('collection_id', '=', collectionId)
        .orderBy('id')
        .execute();
      return rows.map(changeOf);
    },
    async *outlines(collectionId) {
      for (let after = ''; ;) {
        const { rows } = await sql<OutlineRow>`
          select id, collection_id, model_version, object_key, type, status, confidence, metric, magnitude,
            first_anomaly_at, confirmed_at, digest, told_as, provenance -> 'pixels' as pixels
          from changes where collection_id = ${collectionId} and id > ${after}
          order by id limit ${OUTLINES_AT_ONCE}`.execute(db);
        if (rows.length === 0) return;
        after = rows.at(-1)!.id;
        yield rows.map(outlineOf);
      }
    },
    async countOf(collectionId) {
      const { rows } = await sql<{ all: number; confirmed: number }>`
        select count(*) as "all", count(*) filter (where status = 'confirmed') as confirmed
        from changes where collection_id = ${collectionId}`.execute(db);
      return rows[0]!;
    },
    async byIds(ids) {
      const rows = await db
        .selectFrom('changes')
        .selectAll()
        .where('id', '=', sql<string>`any(${ids})`)
        .execute();
      return new Map(rows.map((row) => [row.id, changeOf(row)]));
    },
    async overlapping(owner, bounds) {
      const rows = await readable(owner)
        .select(['changes.id', 'changes.digest', 'changes.status', 'changes.detected_at as detectedAt'])
        .where(overlaps('changes.bounds', bounds))
        .orderBy('changes.id')
        .execute();
      return rows.map((row) => ({ ...row, status: row.status as ChangeStatus }));
    },
    overlappingEach: (owner, boxes) => changesUnderBoxes(db, owner, boxes),
    async geometries(owner, ids) {
      const rows = await readable(owner)
        .select(['changes.id', 'changes.geometry'])
        .where('changes.id', '=', sql<string>`any(${ids})`)
        .execute();
      return new Map(rows.map(({ id, geometry }) => [id, geometry as AreaGeometry]));
    },
    async insert(change) {
      await db.insertInto('changes').values(columnsOf(change)).execute();
    },
    async update(change) {
      await db
        .updateTable('changes')
        .set({ ...columnsOf(change), updated_at: new Date() })
        .where('id', '=', change.id)
        .execute();
    },
    async link(change, aois) {
      const kept = aois.map((aoi) => aoi.id);
      await markChange(db, change);
      // Links to deleted areas are kept, so that the change stays readable by id.
      let stale = db
        .deleteFrom('aoi_changes')
        .where('change_id', '=', change.id)
        .where('aoi_id', 'in', db.selectFrom('aois').select('id').where('deleted_at', 'is', null));
      if (kept.length > 0) stale = stale.where('aoi_id', 'not in', kept);
      await stale.execute();
      for (let from = 0; from < aois.length; from += ROWS_PER_INSERT)
        await showAll(aois.slice(from, from + ROWS_PER_INSERT).map((aoi) => ({ change, aoi })));
      if (aois.length > 0) await markChange(db, change);
    },
    async reveal(changes, aoi) {
      for (let from = 0; from < changes.length; from += ROWS_PER_INSERT)
        await showAll(changes.slice(from, from + ROWS_PER_INSERT).map((change) => ({ change, aoi })));
      await markChanges(db, aoi, changes);
    },
    async lockGround(environment, boxes, act) {
      if (act === 'create area') await limitWaiting(db, { lockMs: CREATION_LOCK_MS });
      await lockGround(db, environment, boxes, act);
    },
  };
}
