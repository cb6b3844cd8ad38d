import type { Selectable } from 'kysely';
import type { MemberRecord } from '../../app/incidents/incident-store.ts';
import type { Owner } from '../../app/owner.ts';
import type { Severity } from '../../contract/anomalies.ts';
import type { Peril } from '../../contract/fields.ts';
import { boxText, parseBox } from '../connection/bounds.ts';
import type { IncidentMembersTable } from '../tables/incident-tables.ts';

/** Converts a row of `incident_members`, with the names of areas that exist. */
export function memberOf(
  row: Selectable<IncidentMembersTable>,
  names: ReadonlyMap<string, string>,
): MemberRecord {
  return {
    kind: row.kind,
    id: row.id,
    incidentId: row.incident_id,
    what: row.what,
    sign: row.sign < 0 ? -1 : 1,
    peril: row.peril as Peril | null,
    severity: row.severity as Severity,
    fromMs: row.from_ms,
    toMs: row.to_ms,
    ground: parseBox(row.ground),
    extent: parseBox(row.extent),
    areas: row.aoi_ids.flatMap((id) => (names.has(id) ? [{ id, name: names.get(id)! }] : [])),
    areaM2: row.area_m2,
    departure: row.departure,
    overMs: row.over_ms ?? row.to_ms,
  };
}

/** Columns of a member. */
export function memberColumns({ accountId, environment }: Owner, member: MemberRecord) {
  return {
    account_id: accountId,
    environment,
    kind: member.kind,
    id: member.id,
    incident_id: member.incidentId,
    what: member.what,
    sign: member.sign,
    peril: member.peril,
    severity: member.severity,
    from_ms: member.fromMs,
    to_ms: member.toMs,
    ground: boxText(member.ground),
    extent: boxText(member.extent),
    aoi_ids: member.areas.map(({ id }) => id),
    area_m2: member.areaM2,
    over_ms: member.overMs,
    departure: member.departure,
  };
}
