import { sql, type Kysely, type RawBuilder, type Selectable } from 'kysely';
import type {
  BriefChange,
  ChangeFilter,
  ChangeListItem,
  DrawnChange,
} from '../../app/changes/change-store.ts';
import type { Owner } from '../../app/owner.ts';
import type { Page, PageRequest } from '../../app/page.ts';
import type { ChangeStatus } from '../../contract/changes.ts';
import { PAGE_BYTES } from '../../contract/limits.ts';
import { CHANGE_STATUSES } from '../../contract/vocabulary.ts';
import type { AreaGeometry } from '../../geo/polygon.ts';
import { boundedPage, type BoundedList } from '../connection/bounded-page.ts';
import { parseBox } from '../connection/bounds.ts';
import type { ChangesTable, Database } from '../schema.ts';

type Row = Selectable<ChangesTable>;

/** Columns of a change in a list. Provenance is left out, since it can be larger than 40 kB. */
const LISTED = [
  'changes.id',
  'changes.environment',
  'changes.collection_id',
  'changes.model_version',
  'changes.object_key',
  'changes.type',
  'changes.status',
  'changes.confidence',
  'changes.metric',
  'changes.magnitude',
  'changes.area_m2',
  'changes.geometry',
  'changes.bounds',
  'changes.first_anomaly_at',
  'changes.detected_at',
  'changes.confirmed_at',
  'changes.recovered_at',
  'changes.created_at',
  'changes.updated_at',
] as const;
type ListedColumn = (typeof LISTED)[number] extends `changes.${infer Name}` ? Name : never;

/** Converts the listed columns of a row of `changes`. */
export function listedOf(row: Pick<Row, ListedColumn>): Omit<ChangeListItem, 'aoiIds'> {
  return {
    id: row.id,
    environment: row.environment,
    collectionId: row.collection_id,
    modelVersion: row.model_version,
    objectKey: row.object_key,
    type: row.type,
    status: row.status as ChangeStatus,
    confidence: row.confidence,
    metric: row.metric,
    magnitude: row.magnitude,
    areaM2: row.area_m2,
    geometry: row.geometry as AreaGeometry,
    bounds: parseBox(row.bounds),
    firstAnomalyAt: row.first_anomaly_at,
    detectedAt: row.detected_at,
    confirmedAt: row.confirmed_at,
    recoveredAt: row.recovered_at,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  };
}

/** Conditions on the links of changes to areas, which the filter of a list consists of. */
const visibleIn = (owner: Owner, { aoiId }: ChangeFilter) =>
  sql<boolean>`account_id = ${owner.accountId} and environment = ${owner.environment} and aoi_id = ${aoiId}`;
const isStatus = ({ status }: ChangeFilter) =>
  status === 'all' ? sql<boolean>`true` : sql<boolean>`status = ${status}`;
const isDetected = ({ since }: ChangeFilter) =>
  since === undefined ? sql<boolean>`true` : sql<boolean>`detected_at >= ${since}`;
const isPublished = ({ publishedSince }: ChangeFilter) =>
  publishedSince === undefined ? sql<boolean>`true` : sql<boolean>`published_at >= ${publishedSince}`;

/** Lists changes without their geometries. */
export function listChanges(
  db: Kysely<Database>,
  owner: Owner,
  filter: ChangeFilter,
  page: PageRequest,
): Promise<Page<BriefChange>> {
  type BriefRow = Pick<Row, 'id' | 'collection_id' | 'type' | 'confidence' | 'detected_at'>;
  return boundedPage<BriefRow, BriefChange>(
    db,
    {
      ...linksInOrder(owner, filter, page),
      complete: (rows) => sql`
        select changes.id, collection_id, type, confidence, changes.detected_at
        from (${rows}) as link cross join lateral (select * from changes where changes.id = link.id limit 1) changes
        order by link.detected_at desc, link.id desc`,
      recordOf: ({ id, collection_id: collectionId, type, confidence }) => ({
        id,
        collectionId,
        type,
        confidence,
      }),
      position: (row) => [row.detected_at, row.id],
    },
    page,
  );
}

type DrawnRow = Row & { readonly aoi_ids: string[] | null; readonly geometry_text: string | null };

/** Lists changes with their geometries, each with the ids of all areas of the account that see it. */
export function listDrawnChanges(
  db: Kysely<Database>,
  owner: Owner,
  filter: ChangeFilter,
  page: PageRequest,
): Promise<Page<DrawnChange>> {
  return boundedPage<DrawnRow, DrawnChange>(
    db,
    {
      ...linksInOrder(owner, filter, page),
      ...drawn(owner, sql`link.detected_at desc, link.id desc`),
      position: (row) => [row.detected_at, row.id],
    },
    page,
  );
}

/**
 * How the changes of a page are read with their geometries. The page ends early when these are large.
 * @param order columns of `link`, the rows of the page
 */
export function drawn(
  owner: Owner,
  order: RawBuilder<unknown>,
): Pick<BoundedList<DrawnRow, DrawnChange>, 'complete' | 'recordOf' | 'heavy'> {
  // The size of a stored geometry is known without reading it. It is about half of its text, or less.
  const before = sql`sum(pg_column_size(changes.geometry)) over (
    order by ${order} rows unbounded preceding) - pg_column_size(changes.geometry)`;
  return {
    complete: (rows) => sql`
      select ${sql.join(LISTED.filter((column) => column !== 'changes.geometry').map((column) => sql.ref(column)))},
        case when ${before} < ${PAGE_BYTES / 2}::int then replace(changes.geometry::text, ' ', '') end as geometry_text, (
        select array_agg(other.aoi_id order by other.aoi_id)
        from aoi_changes other join aois on aois.id = other.aoi_id and aois.deleted_at is null
        where other.change_id = link.id
          and other.account_id = ${owner.accountId} and other.environment = ${owner.environment}
      ) as aoi_ids
      from (${rows}) as link cross join lateral (select * from changes where changes.id = link.id limit 1) changes
      order by ${order}`,
    recordOf: (row) => {
      const { geometry: _none, ...listed } = listedOf(row);
      return { ...listed, geometryText: row.geometry_text!, aoiIds: row.aoi_ids ?? [] };
    },
    heavy: (row) => row.geometry_text,
  };
}

/** The links of changes to areas in the order of a list. */
function linksInOrder(
  owner: Owner,
  filter: ChangeFilter,
  page: PageRequest,
): Pick<BoundedList<unknown, unknown>, 'order' | 'inOrder' | 'tests' | 'selected'> {
  const { status, publishedSince } = filter;
  const link = sql`select change_id as id, detected_at, published_at from aoi_changes`;
  const isAfter = (position: RawBuilder<unknown>) =>
    page.after === undefined
      ? sql<boolean>`true`
      : sql<boolean>`${position} < (${page.after[0]}::date, ${page.after[1]})`;
  const statuses = status === 'all' ? CHANGE_STATUSES : [status];
  return {
    order: sql`found.detected_at desc, found.id desc`,
    inOrder: (limit) => sql`
      ${link} where ${visibleIn(owner, filter)} and ${isStatus(filter)} and ${isDetected(filter)}
        and ${isAfter(sql`(detected_at, change_id)`)}
      order by detected_at desc, change_id desc limit ${limit}`,
    tests: isPublished(filter),
    ...(publishedSince !== undefined && {
      selected: {
        // The index begins with the status, so each status is read on its own.
        rows: (limit) =>
          sql.join(
            statuses.map(
              (
                one,
              ) => sql`(${link} where ${visibleIn(owner, filter)} and status = ${one} and ${isPublished(filter)}
                order by published_at limit ${limit})`,
            ),
            sql` union all `,
          ),
        tests: sql`${isDetected(filter)} and ${isAfter(sql`(found.detected_at, found.id)`)}`,
      },
    }),
  };
}

/**
 * Counts the changes that a list of one status gives on all pages, at most `most`. With both times in the filter, only
 * the first published ones are looked at, twice as many.
 */
export async function countChanges(
  db: Kysely<Database>,
  owner: Owner,
  filter: ChangeFilter,
  most: number,
): Promise<number> {
  // The order is that of an index, so that no more rows are read than may be counted.
  const order =
    filter.publishedSince === undefined ? sql`detected_at desc, change_id desc` : sql`published_at`;
  const { rows } = await sql<{ count: number }>`
    select count(*)::int as count from (
      select from (
        select detected_at from aoi_changes
        where ${visibleIn(owner, filter)} and ${isStatus(filter)} and ${isPublished(filter)}
        order by ${order} limit ${2 * most}
      ) found where ${isDetected(filter)} limit ${most}
    ) counted`.execute(db);
  return rows[0]!.count;
}
