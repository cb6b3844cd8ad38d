import { sql, type Kysely, type RawBuilder, type Selectable } from 'kysely';
import type { IncidentMembers, IncidentStore, MemberKey } from '../../app/incidents/incident-store.ts';
import type { Owner } from '../../app/owner.ts';
import type { AreaGeometry } from '../../geo/polygon.ts';
import { DAY_MS } from '../../base/time.ts';
import { turnedBoxes } from '../connection/bounds.ts';
import { ROWS_PER_INSERT } from '../connection/insert-limit.ts';
import { listIncidents } from '../lists/incident-list.ts';
import type { Database } from '../schema.ts';
import type { IncidentsTable } from '../tables/incident-tables.ts';
import { markMissed, pastIn } from './incident-marks.ts';
import { followed } from './followed-losses.ts';
import { columnsOf, incidentOf } from './incident-rows.ts';
import { lastObserved, LAST_OBSERVED } from './last-observed.ts';
import { memberColumns, memberOf } from './member-rows.ts';
import { anomalySources, changeSources } from './member-sources.ts';
import { ownedBy as of } from './owned-by.ts';

/** How far back members are looked for that another release wrote beside this one [ms]. */
const MISSED_MS = 7 * DAY_MS;

/**
 * Incidents, their members, and the marks of what they are made of next, in the database.
 * Long function: one method per query.
 */
export function incidentStore(db: Kysely<Database>): IncidentStore {
  return {
    async outlines(changeIds) {
      if (changeIds.length === 0) return new Map();
      const rows = await db
        .selectFrom('changes')
        .select(['id', 'geometry'])
        .where('id', '=', sql<string>`any(${changeIds})`)
        .execute();
      return new Map(rows.map(({ id, geometry }) => [id, geometry as AreaGeometry]));
    },
    list: (owner, filter, page) => listIncidents(db, owner, filter, page),
    async find(owner, id) {
      const row = await db
        .selectFrom('incidents')
        .selectAll()
        .select(LAST_OBSERVED.as('last_observed_at'))
        .where(of(owner))
        .where(
          'id',
          '=',
          sql<string>`(select coalesce(merged_into, id) from incidents where id = ${id} and ${of(owner)})`,
        )
        .executeTakeFirst();
      return row && incidentOf(row);
    },
    async news(owner, { aoiId, perils, after, withPast, most }) {
      const { rows } = await sql<Selectable<IncidentsTable> & { readonly count: number }>`
        select incidents.*, ${LAST_OBSERVED} as last_observed_at, (count(*) over ())::int as count
        from incident_areas area join incidents on incidents.id = area.incident_id and incidents.merged_into is null
        where area.aoi_id = ${aoiId} and ${of(owner, 'area')} and incidents.updated_at > ${after}
          and incidents.perils && ${perils}::text[] and (${withPast} or not incidents.past)
        order by incidents.started_at desc, incidents.id desc limit ${most}`.execute(db);
      return { incidents: rows.map(incidentOf), count: rows[0]?.count ?? 0 };
    },
    members: (owner, id, most) => shownMembers(db, owner, id, most),
    async marked() {
      // One step through the index for each owner, however many marks it has.
      const { rows } = await sql<Owner>`
        with recursive owners as (
          (select account_id, environment from incident_marks order by account_id, environment limit 1)
          union all
          select after.* from owners cross join lateral (
            select account_id, environment from incident_marks
            where (account_id, environment) > (owners.account_id, owners.environment)
            order by account_id, environment limit 1) after
        )
        select account_id as "accountId", environment from owners`.execute(db);
      return rows;
    },
    markMissed: () => markMissed(db, new Date(Date.now() - MISSED_MS)),
    async hold({ accountId, environment }) {
      const head = { account_id: accountId, environment };
      await db
        .insertInto('incident_heads')
        .values(head)
        .onConflict((conflict) => conflict.doNothing())
        .execute();
      await sql`select from incident_heads where ${of({ accountId, environment })} for update`.execute(db);
    },
    async takeMarked(owner, limit) {
      const { rows } = await sql<{ kind: MemberKey['kind']; id: string; quiet: boolean; past: boolean }>`
        delete from incident_marks where ctid = any(array(
          select ctid from incident_marks where ${of(owner)} limit ${limit}))
        returning kind, id, quiet, past`.execute(db);
      const idsOf = (kind: MemberKey['kind']) => [
        ...new Set(rows.filter((row) => row.kind === kind).map(({ id }) => id)),
      ];
      return {
        anomalies: idsOf('anomaly'),
        changes: idsOf('change'),
        isQuiet: rows.every(({ quiet }) => quiet),
        past: pastIn(rows),
        count: rows.length,
      };
    },
    async sources(owner, { anomalies, changes }) {
      return {
        anomalies: await anomalySources(db, owner, anomalies),
        changes: await changeSources(db, owner, changes),
      };
    },
    async incidentsOf(owner, members) {
      const { rows } = await sql<{ id: string }>`
        select distinct m.incident_id as id from ${given(members)} join incident_members m using (kind, id)
        where ${of(owner, 'm')}`.execute(db);
      return rows.map(({ id }) => id);
    },
    async near(owner, searches) {
      if (searches.length === 0) return [];
      const boxes = searches.flatMap(({ fromMs, toMs, box }) =>
        turnedBoxes(box).map((turned) => ({ fromMs, toMs, turned })),
      );
      const { rows } = await sql<{ id: string }>`
        select distinct m.incident_id as id
        from unnest(${boxes.map(({ fromMs }) => fromMs)}::float8[], ${boxes.map(({ toMs }) => toMs)}::float8[],
          ${boxes.map(({ turned }) => turned)}::text[]) as near (from_ms, to_ms, box)
        join incident_members m on ${of(owner, 'm')} and m.to_ms >= near.from_ms and m.from_ms <= near.to_ms
          and m.ground && near.box::box
        where m.to_ms >= ${Math.min(...searches.map(({ fromMs }) => fromMs))}`.execute(db);
      return rows.map(({ id }) => id);
    },
    followed: (owner, around) => followed(db, owner, around),
    lastObserved: (owner, ids) => lastObserved(db, owner, ids),
    async membersOf(owner, incidentIds) {
      if (incidentIds.length === 0) return [];
      const rows = await db
        .selectFrom('incident_members')
        .selectAll()
        .where(of(owner))
        .where('incident_id', '=', sql<string>`any(${incidentIds})`)
        .execute();
      const names = await areaNames(db, owner, [...new Set(rows.flatMap((row) => row.aoi_ids))]);
      return rows.map((row) => memberOf(row, names));
    },
    async byIds(owner, ids) {
      const rows = await db
        .selectFrom('incidents')
        .selectAll()
        .where(of(owner))
        .where('id', '=', sql<string>`any(${ids})`)
        .where('merged_into', 'is', null)
        .execute();
      return rows.map(incidentOf);
    },
    async put(incidents) {
      for (const { allAoiIds, ...incident } of incidents) {
        const { id, account_id, environment, ...columns } = columnsOf(incident);
        await db
          .insertInto('incidents')
          .values({ id, account_id, environment, ...columns })
          .onConflict((conflict) => conflict.columns(['id', 'account_id']).doUpdateSet(columns))
          .execute();
        await sql`delete from incident_areas where incident_id = ${id} and aoi_id <> all(${allAoiIds})`.execute(
          db,
        );
        await sql`insert into incident_areas (account_id, environment, aoi_id, incident_id)
          select ${account_id}, ${environment}::environment, aoi_id, ${id} from unnest(${allAoiIds}::text[]) as aoi_id
          on conflict do nothing`.execute(db);
      }
    },
    async putMembers(owner, members) {
      for (let from = 0; from < members.length; from += ROWS_PER_INSERT)
        await db
          .insertInto('incident_members')
          .values(members.slice(from, from + ROWS_PER_INSERT).map((member) => memberColumns(owner, member)))
          .onConflict((conflict) =>
            conflict.columns(['account_id', 'environment', 'kind', 'id']).doUpdateSet((eb) => ({
              incident_id: eb.ref('excluded.incident_id'),
              what: eb.ref('excluded.what'),
              sign: eb.ref('excluded.sign'),
              severity: eb.ref('excluded.severity'),
              from_ms: eb.ref('excluded.from_ms'),
              to_ms: eb.ref('excluded.to_ms'),
              ground: eb.ref('excluded.ground'),
              extent: eb.ref('excluded.extent'),
              aoi_ids: eb.ref('excluded.aoi_ids'),
              area_m2: eb.ref('excluded.area_m2'),
              over_ms: eb.ref('excluded.over_ms'),
              departure: eb.ref('excluded.departure'),
            })),
          )
          .execute();
    },
    async removeMembers(owner, members) {
      if (members.length === 0) return;
      await sql`delete from incident_members m using ${given(members)}
        where m.kind = given.kind and m.id = given.id and ${of(owner, 'm')}`.execute(db);
    },
    remove: (owner, gone) => removeIncidents(db, owner, gone),
  };
}

/** A table `given` of the keys of members. */
function given(members: readonly MemberKey[]): RawBuilder<unknown> {
  return sql`unnest(${members.map(({ kind }) => kind)}::text[], ${members.map(({ id }) => id)}::text[])
    as given (kind, id)`;
}

async function removeIncidents(
  db: Kysely<Database>,
  owner: Owner,
  gone: Parameters<IncidentStore['remove']>[1],
): Promise<void> {
  for (const { id, mergedInto } of gone) {
    if (mergedInto === null) {
      await sql`delete from incidents where ${of(owner)} and (id = ${id} or merged_into = ${id})`.execute(db);
      continue;
    }
    await sql`update incidents set merged_into = ${mergedInto}
      where ${of(owner)} and (id = ${id} or merged_into = ${id})`.execute(db);
    await sql`delete from incident_areas where incident_id = ${id}`.execute(db);
  }
}

async function areaNames(
  db: Kysely<Database>,
  owner: Owner,
  ids: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const rows = await db
    .selectFrom('aois')
    .select(['id', 'name'])
    .where(of(owner))
    .where('id', '=', sql<string>`any(${ids})`)
    .where('deleted_at', 'is', null)
    .execute();
  return new Map(rows.map(({ id, name }) => [id, name]));
}

async function shownMembers(
  db: Kysely<Database>,
  owner: Owner,
  id: string,
  most: number,
): Promise<IncidentMembers> {
  const first = (kind: MemberKey['kind']) => sql`
    select id, from_ms from incident_members where incident_id = ${id} and kind = ${kind} and ${of(owner)}
    order by from_ms desc limit ${most}`;
  const anomalies = await sql<IncidentMembers['anomalies'][number]>`
    select a.id, a.metric, a.peril, a.severity, a.aoi_id as "aoiId", a.started_at as "startedAt", a.ended_at as "endedAt"
    from (${first('anomaly')}) m join anomalies a on a.id = m.id order by m.from_ms desc, m.id desc`.execute(
    db,
  );
  const changes = await sql<IncidentMembers['changes'][number]>`
    select c.id, c.type, c.status, c.confidence, c.area_m2 as "areaM2", c.first_anomaly_at as "firstAnomalyAt",
      c.confirmed_at as "confirmedAt"
    from (${first('change')}) m join changes c on c.id = m.id order by m.from_ms desc, m.id desc`.execute(db);
  return { anomalies: anomalies.rows, changes: changes.rows };
}
