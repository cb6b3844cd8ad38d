import { sql, type Kysely, type Selectable } from 'kysely';
import type { IncidentFilter, IncidentRecord } from '../../app/incidents/incident-store.ts';
import type { Owner } from '../../app/owner.ts';
import type { Page, PageRequest } from '../../app/page.ts';
import { boundedPage } from '../connection/bounded-page.ts';
import { overlaps } from '../connection/bounds.ts';
import { LAST_OBSERVED } from '../incidents/last-observed.ts';
import { incidentOf } from '../incidents/incident-rows.ts';
import type { Database } from '../schema.ts';
import type { IncidentsTable } from '../tables/incident-tables.ts';

type Row = Selectable<IncidentsTable>;

const all = (conditions: readonly (ReturnType<typeof sql<boolean>> | undefined)[]) =>
  sql<boolean>`(${sql.join(
    [sql<boolean>`true`, ...conditions.filter((condition) => condition !== undefined)],
    sql` and `,
  )})`;

/** Lists incidents, those that began last first. */
export function listIncidents(
  db: Kysely<Database>,
  { accountId, environment }: Owner,
  { aoiId, peril, status, since, until, updatedSince, bounds }: IncidentFilter,
  page: PageRequest,
): Promise<Page<IncidentRecord>> {
  const theirs = sql`account_id = ${accountId} and environment = ${environment} and merged_into is null`;
  const inRange = all([
    since && sql<boolean>`started_at >= ${since}`,
    until && sql<boolean>`started_at < ${until}`,
    page.after && sql<boolean>`(started_at, id) < (${page.after[0]}::timestamptz, ${page.after[1]})`,
  ]);
  const hasStatus = status === undefined ? undefined : sql<boolean>`status = ${status}`;
  // A scalar subquery is evaluated row by row, with an index.
  const inArea =
    aoiId === undefined
      ? undefined
      : sql<boolean>`(select true from incident_areas where aoi_id = ${aoiId} and incident_id = found.id)`;
  const isUpdated = updatedSince && sql<boolean>`updated_at >= ${updatedSince}`;
  const others = [
    peril === undefined ? undefined : sql<boolean>`${peril} = any (perils)`,
    bounds && overlaps('found.bounds', bounds),
  ];
  return boundedPage<Row, IncidentRecord>(
    db,
    {
      order: sql`found.started_at desc, found.id desc`,
      inOrder: (limit) => sql`
        select * from incidents where ${theirs} and ${all([hasStatus, inRange])}
        order by started_at desc, id desc limit ${limit}`,
      tests: all([isUpdated, inArea, ...others]),
      ...(isUpdated !== undefined
        ? {
            selected: {
              rows: (limit: number) => sql`
                select * from incidents where ${theirs} and ${isUpdated} order by updated_at limit ${limit}`,
              tests: all([hasStatus, inRange, inArea, ...others]),
            },
          }
        : aoiId !== undefined && {
            selected: {
              rows: (limit: number) => sql`
                select incidents.* from (select incident_id from incident_areas
                  where aoi_id = ${aoiId} and account_id = ${accountId} and environment = ${environment}
                  limit ${limit}) area
                cross join lateral (select * from incidents where id = area.incident_id and merged_into is null limit 1) incidents`,
              tests: all([hasStatus, inRange, ...others]),
            },
          }),
      complete: (rows) => sql<Row>`select incidents.*, ${LAST_OBSERVED} as last_observed_at
        from (${rows}) as incidents order by started_at desc, id desc`,
      recordOf: incidentOf,
      position: (row) => [row.started_at.toISOString(), row.id],
    },
    page,
  );
}
